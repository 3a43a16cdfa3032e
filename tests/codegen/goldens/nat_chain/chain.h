/* chain.h: what all files of the chain `nat_chain` share: interfaces, counters, functions. */
#ifndef CHAIN_H
#define CHAIN_H

#include "runtime/packet.h"

enum {
    INTERFACE_LAN,
    INTERFACE_WAN,
    INTERFACES
};

/* Counters: of each interface one for each admission reason, then the NFs' drops and counters. */
enum counter {
    COUNTERS_OF_ADMISSION = INTERFACES * ADMISSION_REASONS,
    COUNTER_NAT_NO_PORT = COUNTERS_OF_ADMISSION,
    COUNTER_NAT_OVER_RATE,
    COUNTER_NAT_NO_BINDING,
    COUNTER_NAT_NOT_TRANSLATED,
    COUNTER_NAT_BYTES,
    COUNTERS
};

struct core_state;
struct core_tables;

/* What the handlers need for one burst. Counters are added to the state's when it is done. */
struct burst {
    const struct core_tables *tables;
    struct core_state *state;
    uint64_t now;               /* ns */
    struct emissions *out;
    uint64_t generated;
    uint64_t counters[COUNTERS];
};

static inline void count(struct burst *burst, enum counter counter, uint64_t amount)
{
    burst->counters[counter] += amount;
}

static inline void drop(struct burst *burst, enum counter reason)
{
    count(burst, reason, 1);
}

/* The handlers, by NF and the side where the packet arrives. */
void nat_inside(struct burst *burst, struct packet *packet);
void nat_outside(struct burst *burst, struct packet *packet);

#endif
