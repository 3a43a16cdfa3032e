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

struct rules;
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

/* The same for several packets of one class: `verdicts[places[i]]` is that of `keys[i]`. */
void rules_match_several(const struct rules *rules, enum rules_class kind,
                         const uint8_t *const *keys, const uint8_t *places, uint32_t count,
                         struct verdict *verdicts);

struct routes;
struct routes *routes_create(const uint8_t *data, size_t size, char *error, size_t error_size);
void routes_destroy(struct routes *routes);

/* The scalars of the longest prefix that holds an address (host order); NULL: none, or discard. */
const uint64_t *routes_lookup(const struct routes *routes, uint32_t address);
uint32_t routes_scalars(const struct routes *routes);

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

/* What rules look at in an IPv4 packet as it is now. */
static inline struct rules_key rules_key_of(const struct packet *p, enum rules_class kind)
{
    struct rules_key key = {0};
    const uint8_t *ipv4 = PACKET_L3(p);
    const uint8_t *l4 = PACKET_L4_HEADER(p);
    memcpy(&key.src, ipv4 + 12, sizeof key.src);
    memcpy(&key.dst, ipv4 + 16, sizeof key.dst);
    switch (kind) {
    case RULES_TCP:
        key.selector = load8(l4 + 13);
        memcpy(&key.sport, l4, sizeof key.sport);
        memcpy(&key.dport, l4 + 2, sizeof key.dport);
        break;
    case RULES_UDP:
        memcpy(&key.sport, l4, sizeof key.sport);
        memcpy(&key.dport, l4 + 2, sizeof key.dport);
        break;
    case RULES_ICMP: memcpy(&key.sport, l4, sizeof key.sport); break;
    default: key.selector = load8(ipv4 + 9); break;
    }
    return key;
}

/* Decide an IPv4 packet: whether a rule matched, and then its number and whether it permits. */
static inline bool rules_decide(const struct rules *rules, const struct packet *p, bool *permits,
                                uint32_t *index)
{
    enum rules_class kind = rules_class_of(p);
    struct rules_key key = rules_key_of(p, kind);
    return rules_match(rules, kind, &key, permits, index);
}

/* Decide the IPv4 packets of a burst, class by class. */
static inline void rules_decide_burst(const struct rules *rules, const struct packet *packets,
                                      uint32_t count, struct verdict *verdicts)
{
    struct rules_key keys[BURST_FRAMES];
    const uint8_t *sorted[RULES_CLASSES][BURST_FRAMES];
    uint8_t places[RULES_CLASSES][BURST_FRAMES];
    uint32_t counts[RULES_CLASSES] = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (!packet_has_ipv4(&packets[i]))
            continue;
        enum rules_class kind = rules_class_of(&packets[i]);
        keys[i] = rules_key_of(&packets[i], kind);
        sorted[kind][counts[kind]] = (const uint8_t *)&keys[i];
        places[kind][counts[kind]++] = (uint8_t)i;
    }
    for (enum rules_class kind = RULES_BARE; kind < RULES_CLASSES; kind++)
        if (counts[kind] > 0)
            rules_match_several(rules, kind, sorted[kind], places[kind], counts[kind], verdicts);
}

#endif
