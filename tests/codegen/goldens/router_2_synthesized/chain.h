/* chain.h: what all files of the chain `router_2` share: interfaces, counters, functions. */
#ifndef CHAIN_H
#define CHAIN_H

/* Handlers that a packet may visit several times, up to their budget. */
enum {
    VISIT_ROUTER_1_EAST,
    VISIT_ROUTER_2_WEST,
    VISITS
};
#define PACKET_VISITS VISITS

#define PACKET_IN_FRAME

#include "runtime/packet.h"

enum {
    INTERFACE_LAN,
    INTERFACE_WAN,
    INTERFACES
};

/* Counters: of each interface one for each admission reason, then the NFs' drops and counters. */
enum counter {
    COUNTERS_OF_ADMISSION = INTERFACES * ADMISSION_REASONS,
    COUNTER_ROUTER_1_LINK_BROADCAST = COUNTERS_OF_ADMISSION,
    COUNTER_ROUTER_1_TTL_EXPIRED,
    COUNTER_ROUTER_1_ARITHMETIC,
    COUNTER_ROUTER_1_NO_ROUTE,
    COUNTER_ROUTER_1_NOT_IPV4,
    COUNTER_ROUTER_1_CHAIN_LOOP,
    COUNTER_ROUTER_2_CHAIN_LOOP,
    COUNTER_ROUTER_2_LINK_BROADCAST,
    COUNTER_ROUTER_2_TTL_EXPIRED,
    COUNTER_ROUTER_2_ARITHMETIC,
    COUNTER_ROUTER_2_NO_ROUTE,
    COUNTER_ROUTER_2_NOT_IPV4,
    COUNTERS
};

struct core_state;
struct core_tables;
struct flow;

/* What the handlers need for one burst. Counters are added to the state's when it is done. */
struct burst {
    const struct core_tables *tables;
    struct core_state *state;
    uint64_t now;               /* ns */
    struct emissions *out;
    uint64_t generated;
    uint64_t counters[COUNTERS];
    struct flow *flow;          /* the entry of the packet that runs (flow.h) */
};

static inline void count(struct burst *burst, enum counter counter, uint64_t amount)
{
    burst->counters[counter] += amount;
}

static inline void drop(struct burst *burst, enum counter reason)
{
    count(burst, reason, 1);
}

/* What arrives, by interface, and what several interfaces lead to. */
void from_lan(struct burst *burst, struct packet *packets, uint32_t count);
void from_wan(struct burst *burst, struct packet *packets, uint32_t count);
void router_1_east(struct burst *burst, struct packet *packet, uint64_t dst, uint8_t ttl);
void router_2_west(struct burst *burst, struct packet *packet, uint64_t dst, uint8_t ttl);

#endif
