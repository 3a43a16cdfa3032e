/* static_tables.h: rule sets, routing tables, lists and rings, built from data (`struct
 * table_blob`).
 *
 * All formats are little-endian without padding:
 *   rules   u32 count; then records of 32 bytes: u32 src, src_mask, dst, dst_mask;
 *           u16 sport_low, sport_high, dport_low, dport_high, flags, flags_mask;
 *           u8 protocol, protocol_mask, permits, idle. Address masks are prefixes. An idle rule
 *           never decides: the others are known to say the same without it (0 in files to change).
 *   routes  u32 count, u32 scalars; then records: u32 address; u8 length; u8 has_result; u16 0;
 *           u64 scalars[]. A route without a result discards.
 *   list    u32 rows, u32 columns; then u64 each, row by row.
 *   ring    u32 slots; then u32 each, row numbers of the ring's list.
 * Data may come from a file while the binary runs, so every create function checks all of it.
 * They return NULL and a message in `error` (a whole sentence without the table's name).
 *
 * rte_acl and rte_lpm take their memory from the EAL, which must be initialised before.
 */
#ifndef STATIC_TABLES_H
#define STATIC_TABLES_H

#include "packet.h"

/* Packets by what conditions on ports and flags can hold for them. Each class has a compiled rule
 * set of its own, so that no rule has to ask what the packet has. */
enum rules_class {
    RULES_BARE, /* no ports, no flags: other protocols, later fragments */
    RULES_TCP,
    RULES_UDP,
    RULES_ICMP,
    RULES_CLASSES
};

/* What rules look at in a packet of one class, in network order as rte_acl wants it. */
struct rules_key {
    uint8_t selector; /* bare: the protocol; TCP: its flags */
    uint8_t unused[3];
    uint32_t src;
    uint32_t dst;
    uint16_t sport; /* ICMP: type and code */
    uint16_t dport;
};

struct rte_acl_ctx;
struct rules {
    struct rte_acl_ctx *acl[RULES_CLASSES]; /* NULL: no rule can match in this class */
    uint8_t tcp_flags;                      /* those that some rule looks at */
    uint8_t permits[];                      /* by rule */
};

struct rules *rules_create(const uint8_t *data, size_t size, char *error, size_t error_size);
void rules_destroy(struct rules *rules);

/* Find the first rule that a packet satisfies: its number and whether it permits. */
bool rules_match(const struct rules *rules, enum rules_class kind, const struct rules_key *key,
                 bool *permits, uint32_t *index);

/* What a rule set says of a packet. */
struct verdict {
    bool matched;
    bool permits;
    uint32_t rule;
};

/* Answer up to BURST_FRAMES questions: `verdicts[places[i]]` is the answer to `questions[i]`. */
struct rules_question;
void rules_answer_several(const struct rules *rules, const struct rules_question *questions,
                          const uint8_t *places, uint32_t count, struct verdict *verdicts);

struct rte_lpm;
struct routes {
    struct rte_lpm *lpm;
    uint32_t otherwise; /* the row of 0.0.0.0/0, which rte_lpm cannot hold */
    uint32_t scalars;
    uint32_t rows; /* different results */
    uint64_t *row; /* row n's scalars at n * scalars */
};

enum { ROUTES_NO_ROW = 0 }; /* no prefix, or discard; rows of results begin at 1 */

struct routes *routes_create(const uint8_t *data, size_t size, char *error, size_t error_size);
void routes_destroy(struct routes *routes);

/* The row of the longest prefix that holds an address (host order). */
uint32_t routes_row(const struct routes *routes, uint32_t address);
uint32_t routes_scalars(const struct routes *routes);

/* The scalars of a row; NULL: none, or discard. */
static inline const uint64_t *routes_result(const struct routes *routes, uint32_t row)
{
    return row == ROUTES_NO_ROW ? NULL : routes->row + (size_t)row * routes->scalars;
}

/* The scalars of the longest prefix that holds an address. */
static inline const uint64_t *routes_lookup(const struct routes *routes, uint32_t address)
{
    return routes_result(routes, routes_row(routes, address));
}

/* What a table said of an address. Zeros are a memo of nothing. */
struct route_memo {
    uint32_t address;
    uint32_t row; /* + 1; 0: nothing was asked yet */
};

/* Look an address up as routes_lookup does. The memo must be of this table, whatever it was asked. */
static inline const uint64_t *routes_recall(const struct routes *routes, struct route_memo *memo,
                                            uint32_t address)
{
    if (memo->row == 0 || memo->address != address)
        *memo = (struct route_memo){address, routes_row(routes, address) + 1};
    return routes_result(routes, memo->row - 1);
}

/* Whether the scalars of all rows are at most the `largest` of their columns: what is known of a column, such
 * as that an index is in range, must hold for every table that is ever loaded. */
bool routes_fit(const struct routes *routes, const uint64_t *largest);

struct list {
    uint32_t rows;
    uint32_t columns;
    uint64_t scalars[];
};

struct list *list_create(const uint8_t *data, size_t size, char *error, size_t error_size);
void list_destroy(struct list *list);
bool list_fits(const struct list *list, const uint64_t *largest); /* as routes_fit */

/* The scalars of a row, or NULL past the last one. */
static inline const uint64_t *list_row(const struct list *list, uint64_t index)
{
    return index < list->rows ? list->scalars + index * list->columns : NULL;
}

/* The scalars of the first row whose column has a value, or NULL. Rows are looked at in turn. */
static inline const uint64_t *list_row_with(const struct list *list, uint32_t column,
                                            uint64_t value)
{
    const uint64_t *row = list->scalars;
    for (uint32_t i = 0; i < list->rows; i++, row += list->columns) {
        if (row[column] == value)
            return row;
    }
    return NULL;
}

struct ring {
    uint32_t slots;
    uint32_t rows[];
};

struct ring *ring_create(const uint8_t *data, size_t size, char *error, size_t error_size);
void ring_destroy(struct ring *ring);

/* The row number that a 32-bit hash picks. A ring has at least one slot. */
static inline uint32_t ring_pick(const struct ring *ring, uint32_t hash)
{
    return ring->rows[hash % ring->slots];
}

/* The largest row number on the ring: a caller checks it against the list when both are there. */
uint32_t ring_last_row(const struct ring *ring);

/* Bytes of EAL memory that building a table takes at most, for hosts that must say so in advance.
 */
size_t static_table_memory(const struct table_blob *blob);

static inline enum rules_class rules_class_of(const struct packet *p)
{
    if (packet_has_tcp(p))
        return RULES_TCP;
    if (packet_has_udp(p))
        return RULES_UDP;
    return packet_has_icmp(p) ? RULES_ICMP : RULES_BARE;
}

/* What a rule set is asked about a packet: all that its answer depends on, in two words. */
struct rules_question {
    uint64_t addresses; /* as they stand in the packet */
    uint64_t rest;      /* from the top: ports as they stand there (ICMP: type and code), 32 bits; the class + 1, so
                         * that zeros are no question; the selector of the key, of TCP's flags those that a rule
                         * looks at, 8 bits */
};

static inline struct rules_question rules_question_of(const struct rules *rules,
                                                      const struct packet *p)
{
    const uint8_t *ipv4 = PACKET_L3(p);
    const uint8_t *l4 = PACKET_L4_HEADER(p);
    const enum rules_class kind = rules_class_of(p);
    uint32_t ports = 0;
    uint16_t type_and_code;
    uint64_t selector = 0;
    struct rules_question question;
    memcpy(&question.addresses, ipv4 + 12, sizeof question.addresses);
    switch (kind) {
    case RULES_TCP:
        selector = load8(l4 + 13) & rules->tcp_flags;
        memcpy(&ports, l4, sizeof ports);
        break;
    case RULES_UDP: memcpy(&ports, l4, sizeof ports); break;
    case RULES_ICMP:
        memcpy(&type_and_code, l4, sizeof type_and_code);
        ports = type_and_code;
        break;
    default: selector = load8(ipv4 + 9); break;
    }
    question.rest = (uint64_t)ports << 32 | ((uint64_t)kind + 1) << 8 | selector;
    return question;
}

static inline enum rules_class rules_class_asked(const struct rules_question *question)
{
    return (enum rules_class)((question->rest >> 8 & 0xFF) - 1);
}

static inline bool rules_is_same(const struct rules_question *one,
                                 const struct rules_question *other)
{
    return one->addresses == other->addresses && one->rest == other->rest;
}

static inline struct rules_key rules_key_of(const struct rules_question *question)
{
    const uint32_t src = (uint32_t)question->addresses, dst = (uint32_t)(question->addresses >> 32);
    const uint32_t ports = (uint32_t)(question->rest >> 32);
    return (struct rules_key){.selector = (uint8_t)question->rest,
                              .src = src,
                              .dst = dst,
                              .sport = (uint16_t)ports,
                              .dport = (uint16_t)(ports >> 16)};
}

static inline struct verdict rules_answer(const struct rules *rules,
                                          const struct rules_question *question)
{
    struct rules_key key = rules_key_of(question);
    struct verdict verdict;
    verdict.matched = rules_match(rules, rules_class_asked(question), &key,
                                  &verdict.permits, &verdict.rule);
    return verdict;
}

/* Decide an IPv4 packet: whether a rule matched, and then its number and whether it permits. */
static inline bool rules_decide(const struct rules *rules, const struct packet *p, bool *permits,
                                uint32_t *index)
{
    struct rules_question question = rules_question_of(rules, p);
    struct verdict verdict = rules_answer(rules, &question);
    *permits = verdict.permits;
    *index = verdict.rule;
    return verdict.matched;
}

/* What a rule set said to a question. Zeros are a memo of nothing. */
struct rules_memo {
    struct rules_question question;
    struct verdict verdict;
};

/* Decide a packet as rules_decide does. The memo must be of this rule set, whatever it was asked. */
static inline bool rules_recall(const struct rules *rules, struct rules_memo *memo,
                                const struct packet *p, bool *permits, uint32_t *index)
{
    struct rules_question question = rules_question_of(rules, p);
    if (!rules_is_same(&memo->question, &question))
        *memo = (struct rules_memo){question, rules_answer(rules, &question)};
    *permits = memo->verdict.permits;
    *index = memo->verdict.rule;
    return memo->verdict.matched;
}

/* Decide the IPv4 packets of a burst: from their memos, and those that have none class by class. */
static inline void rules_recall_burst(const struct rules *rules, struct rules_memo *const *memos,
                                      const struct packet *packets, uint32_t count,
                                      struct verdict *verdicts)
{
    struct rules_question asked[BURST_FRAMES];
    uint8_t places[BURST_FRAMES];
    uint32_t missing = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!packet_has_ipv4(&packets[i]))
            continue;
        struct rules_question question = rules_question_of(rules, &packets[i]);
        if (rules_is_same(&memos[i]->question, &question)) {
            verdicts[i] = memos[i]->verdict;
            continue;
        }
        asked[missing] = question;
        places[missing++] = (uint8_t)i;
    }
    if (missing == 0)
        return;
    rules_answer_several(rules, asked, places, missing, verdicts);
    for (uint32_t i = 0; i < missing; i++)
        *memos[places[i]] = (struct rules_memo){asked[i], verdicts[places[i]]};
}

#endif
