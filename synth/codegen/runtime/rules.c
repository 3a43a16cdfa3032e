/* rules.c: ordered rule sets with rte_acl, one compiled set for each class of packets.
 *
 * A condition on ports holds only for TCP and UDP, one on flags only for TCP and ICMP, and within a
 * class the protocol is known. So each class gets the rules that can match there, without the parts
 * that are decided: that keeps rte_acl's tries small (a field for "has ports" in one common set
 * costs four times the memory and six times the time on firewall-like sets of 10,000 rules).
 */
#include <stdlib.h>

#include <rte_acl.h>
#include <rte_errno.h>

#include "blob.h"
#include "static_tables.h"

enum { RULE_BYTES = 32, RULES_HEADER_BYTES = 4 };

/* ---- a rule as data */

struct rule {
    uint32_t src, src_mask, dst, dst_mask;
    uint16_t sport_low, sport_high, dport_low, dport_high, flags, flags_mask;
    uint8_t protocol, protocol_mask, permits, is_idle;
};

static struct rule read_rule(const uint8_t *at)
{
    return (struct rule){
        .src = blob32(at) & blob32(at + 4),
        .src_mask = blob32(at + 4),
        .dst = blob32(at + 8) & blob32(at + 12),
        .dst_mask = blob32(at + 12),
        .sport_low = blob16(at + 16),
        .sport_high = blob16(at + 18),
        .dport_low = blob16(at + 20),
        .dport_high = blob16(at + 22),
        .flags = blob16(at + 24) & blob16(at + 26),
        .flags_mask = blob16(at + 26),
        .protocol = at[28] & at[29],
        .protocol_mask = at[29],
        .permits = at[30],
        .is_idle = at[31],
    };
}

static bool is_prefix_mask(uint32_t mask)
{
    return (~mask & (~mask + 1)) == 0;
}

static bool check_rule(const struct rule *rule, uint32_t number, struct blob_error error)
{
    if (!is_prefix_mask(rule->src_mask) || !is_prefix_mask(rule->dst_mask))
        return blob_fail(error, "rule %u has an address mask that is not a prefix", number);
    if (rule->sport_low > rule->sport_high || rule->dport_low > rule->dport_high)
        return blob_fail(error, "rule %u has a port range whose end is before its start", number);
    if (rule->permits > 1)
        return blob_fail(error, "rule %u neither permits nor denies", number);
    if (rule->is_idle > 1)
        return blob_fail(error, "rule %u is neither idle nor not", number);
    return true;
}

static bool check_rules(const uint8_t *data, size_t size, struct blob_error error)
{
    if (!blob_has_header(error, size, RULES_HEADER_BYTES))
        return false;
    uint32_t count = blob32(data);
    if (!blob_has_size(error, size, RULES_HEADER_BYTES, count, RULE_BYTES))
        return false;
    if (count > RTE_ACL_MAX_PRIORITY)
        return blob_fail(error, "%u rules are more than rte_acl can hold", count);
    for (uint32_t i = 0; i < count; i++) {
        struct rule rule = read_rule(data + RULES_HEADER_BYTES + (size_t)i * RULE_BYTES);
        if (!check_rule(&rule, i, error))
            return false;
    }
    return true;
}

/* ---- which rules can match in a class */

static bool has_port_condition(const struct rule *rule)
{
    return rule->sport_low > 0 || rule->sport_high < UINT16_MAX || rule->dport_low > 0 ||
           rule->dport_high < UINT16_MAX;
}

static bool allows_protocol(const struct rule *rule, uint8_t protocol)
{
    return (protocol & rule->protocol_mask) == rule->protocol;
}

static bool can_match(const struct rule *rule, enum rules_class kind)
{
    if (rule->is_idle)
        return false;
    switch (kind) {
    case RULES_TCP: /* whose flags word has the flags in its high half, and zeros below */
        return allows_protocol(rule, PROTOCOL_TCP) && (rule->flags & 0xFF) == 0;
    case RULES_UDP: return allows_protocol(rule, PROTOCOL_UDP) && rule->flags_mask == 0;
    case RULES_ICMP: return allows_protocol(rule, PROTOCOL_ICMP) && !has_port_condition(rule);
    default: return rule->flags_mask == 0 && !has_port_condition(rule);
    }
}

/* ---- rte_acl: one byte first, then groups of four bytes that it loads at once */

enum { FIELD_SELECTOR, FIELD_SRC, FIELD_DST, FIELD_SPORT, FIELD_DPORT, RULE_FIELDS };

#define RULE_FIELD(number, group, kind, member)                                                    \
    {                                                                                              \
        .type = kind, .size = sizeof(((struct rules_key *)0)->member), .field_index = number,      \
        .input_index = group, .offset = offsetof(struct rules_key, member)                         \
    }

static const struct rte_acl_field_def rule_fields[RULE_FIELDS] = {
    RULE_FIELD(FIELD_SELECTOR, 0, RTE_ACL_FIELD_TYPE_BITMASK, selector),
    RULE_FIELD(FIELD_SRC, 1, RTE_ACL_FIELD_TYPE_MASK, src),
    RULE_FIELD(FIELD_DST, 2, RTE_ACL_FIELD_TYPE_MASK, dst),
    RULE_FIELD(FIELD_SPORT, 3, RTE_ACL_FIELD_TYPE_RANGE, sport),
    RULE_FIELD(FIELD_DPORT, 3, RTE_ACL_FIELD_TYPE_RANGE, dport),
};

RTE_ACL_RULE_DEF(acl_rule, RULE_FIELDS);

static struct acl_rule acl_rule_of(const struct rule *rule, enum rules_class kind)
{
    struct acl_rule acl = {0};
    struct rte_acl_field *field = acl.field;
    field[FIELD_SRC].value.u32 = rule->src;
    field[FIELD_SRC].mask_range.u32 = (uint32_t)__builtin_popcount(rule->src_mask);
    field[FIELD_DST].value.u32 = rule->dst;
    field[FIELD_DST].mask_range.u32 = (uint32_t)__builtin_popcount(rule->dst_mask);
    field[FIELD_SPORT].value.u16 = rule->sport_low;
    field[FIELD_SPORT].mask_range.u16 = rule->sport_high;
    field[FIELD_DPORT].value.u16 = rule->dport_low;
    field[FIELD_DPORT].mask_range.u16 = rule->dport_high;
    switch (kind) {
    case RULES_TCP:
        field[FIELD_SELECTOR].value.u8 = (uint8_t)(rule->flags >> 8);
        field[FIELD_SELECTOR].mask_range.u8 = (uint8_t)(rule->flags_mask >> 8);
        break;
    case RULES_ICMP:
        field[FIELD_SPORT].value.u16 = rule->flags;
        field[FIELD_SPORT].mask_range.u16 = rule->flags_mask;
        break;
    case RULES_BARE:
        field[FIELD_SELECTOR].value.u8 = rule->protocol;
        field[FIELD_SELECTOR].mask_range.u8 = rule->protocol_mask;
        break;
    default: break;
    }
    return acl;
}

static struct rte_acl_ctx *create_acl(const struct rules *rules, enum rules_class kind,
                                      uint32_t count)
{
    char name[RTE_ACL_NAMESIZE];
    snprintf(name, sizeof name, "%p.%u", (const void *)rules, (unsigned)kind);
    struct rte_acl_param parameters = {.name = name,
                                       .socket_id = SOCKET_ID_ANY,
                                       .rule_size = RTE_ACL_RULE_SZ(RULE_FIELDS),
                                       .max_rule_num = count};
    return rte_acl_create(&parameters);
}

/* Add the rules that can match in a class; return how many, or a negative error. */
static int64_t add_rules(struct rte_acl_ctx *acl, const uint8_t *data, enum rules_class kind)
{
    uint32_t count = blob32(data);
    int64_t added = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct rule rule = read_rule(data + RULES_HEADER_BYTES + (size_t)i * RULE_BYTES);
        if (!can_match(&rule, kind))
            continue;
        struct acl_rule acl_rule = acl_rule_of(&rule, kind);
        acl_rule.data.category_mask = 1;
        acl_rule.data.priority = (int32_t)(count - i);
        acl_rule.data.userdata = i + 1;
        int failed = rte_acl_add_rules(acl, (const struct rte_acl_rule *)&acl_rule, 1);
        if (failed != 0)
            return failed;
        added++;
    }
    return added;
}

/* rte_acl then takes as many tries as it needs. With a limit (`max_size`) it begins with few large
 * ones instead, and spent 20 GB and 80 s on a set that it builds in seconds without. */
static bool build_acl(struct rte_acl_ctx *acl, enum rules_class kind)
{
    struct rte_acl_config config = {.num_categories = 1, .num_fields = RULE_FIELDS};
    memcpy(config.defs, rule_fields, sizeof rule_fields);
    if (kind == RULES_ICMP)
        config.defs[FIELD_SPORT].type = RTE_ACL_FIELD_TYPE_BITMASK;
    return rte_acl_build(acl, &config) == 0;
}

static bool compile_kind(struct rules *rules, const uint8_t *data, enum rules_class kind,
                         struct blob_error error)
{
    uint32_t count = blob32(data);
    struct rte_acl_ctx *acl = create_acl(rules, kind, count);
    if (acl == NULL)
        return blob_fail(error, "rte_acl has no memory for %u rules: %s", count,
                         rte_strerror(rte_errno));
    int64_t added = add_rules(acl, data, kind);
    if (added > 0 && build_acl(acl, kind)) {
        rules->acl[kind] = acl;
        return true;
    }
    rte_acl_free(acl);
    return added == 0 || blob_fail(error, "rte_acl cannot build %u rules in its memory", count);
}

static bool compile_rules(struct rules *rules, const uint8_t *data, struct blob_error error)
{
    uint32_t count = blob32(data);
    for (uint32_t i = 0; i < count; i++) {
        struct rule rule = read_rule(data + RULES_HEADER_BYTES + (size_t)i * RULE_BYTES);
        rules->permits[i] = rule.permits;
        rules->tcp_flags |= (uint8_t)(rule.flags_mask >> 8);
    }
    for (enum rules_class kind = RULES_BARE; count > 0 && kind < RULES_CLASSES; kind++)
        if (!compile_kind(rules, data, kind, error))
            return false;
    return true;
}

struct rules *rules_create(const uint8_t *data, size_t size, char *error, size_t error_size)
{
    struct blob_error reason = {error, error_size};
    if (!check_rules(data, size, reason))
        return NULL;
    struct rules *rules = calloc(1, sizeof *rules + blob32(data));
    if (rules == NULL) {
        blob_fail(reason, "memory is short");
        return NULL;
    }
    if (!compile_rules(rules, data, reason)) {
        rules_destroy(rules);
        return NULL;
    }
    return rules;
}

void rules_destroy(struct rules *rules)
{
    if (rules == NULL)
        return;
    for (enum rules_class kind = RULES_BARE; kind < RULES_CLASSES; kind++)
        rte_acl_free(rules->acl[kind]);
    free(rules);
}

bool rules_match(const struct rules *rules, enum rules_class kind, const struct rules_key *key,
                 bool *permits, uint32_t *index)
{
    const uint8_t *keys[1] = {(const uint8_t *)key};
    uint32_t result = 0;
    *permits = false;
    *index = 0;
    if (rules->acl[kind] == NULL || rte_acl_classify(rules->acl[kind], keys, &result, 1, 1) != 0 ||
        result == 0)
        return false;
    *index = result - 1;
    *permits = rules->permits[*index];
    return true;
}

/* Answer the questions of one class. */
static void answer_class(const struct rules *rules, struct rte_acl_ctx *acl,
                         const struct rules_key *const *keys, const uint8_t *places,
                         uint32_t count, struct verdict *verdicts)
{
    const uint8_t *data[BURST_FRAMES];
    uint32_t results[BURST_FRAMES] = {0};
    memcpy(data, keys, count * sizeof *keys);
    if (acl != NULL)
        rte_acl_classify(acl, data, results, count, 1);
    for (uint32_t i = 0; i < count; i++) {
        bool matched = results[i] != 0;
        uint32_t rule = matched ? results[i] - 1 : 0;
        verdicts[places[i]] = (struct verdict){matched, matched && rules->permits[rule], rule};
    }
}

void rules_answer_several(const struct rules *rules, const struct rules_question *questions,
                          const uint8_t *places, uint32_t count, struct verdict *verdicts)
{
    struct rules_key keys[BURST_FRAMES];
    const struct rules_key *sorted[RULES_CLASSES][BURST_FRAMES];
    uint8_t sorted_places[RULES_CLASSES][BURST_FRAMES];
    uint32_t counts[RULES_CLASSES] = {0};
    for (uint32_t i = 0; i < count; i++) {
        const enum rules_class kind = rules_class_asked(&questions[i]);
        keys[i] = rules_key_of(&questions[i]);
        sorted[kind][counts[kind]] = &keys[i];
        sorted_places[kind][counts[kind]++] = places[i];
    }
    for (enum rules_class kind = RULES_BARE; kind < RULES_CLASSES; kind++)
        if (counts[kind] > 0)
            answer_class(rules, rules->acl[kind], sorted[kind], sorted_places[kind], counts[kind],
                         verdicts);
}
