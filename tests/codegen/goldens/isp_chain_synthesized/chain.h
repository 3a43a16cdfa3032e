/* chain.h: what all files of the chain `isp_chain` share: interfaces, counters, functions. */
#ifndef CHAIN_H
#define CHAIN_H

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
    COUNTER_ACL_DENIED = COUNTERS_OF_ADMISSION,
    COUNTER_ACL_NOT_IPV4,
    COUNTER_ROUTER_LINK_BROADCAST,
    COUNTER_ROUTER_TTL_EXPIRED,
    COUNTER_ROUTER_ARITHMETIC,
    COUNTER_ROUTER_NO_ROUTE,
    COUNTER_ROUTER_NOT_IPV4,
    COUNTER_NAT_NOT_TRANSLATED,
    COUNTER_NAT_NO_PORT,
    COUNTER_NAT_FRAGMENT,
    COUNTER_NAT_NOT_PUBLIC,
    COUNTER_NAT_NO_BINDING,
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

#endif
