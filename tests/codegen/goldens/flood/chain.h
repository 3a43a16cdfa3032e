/* chain.h: what all files of the chain `flood` share: interfaces, counters, functions. */
#ifndef CHAIN_H
#define CHAIN_H

/* Handlers that a packet may visit several times, up to their budget. */
enum {
    VISIT_MARK_IN,
    VISITS
};
#define PACKET_VISITS VISITS

#include "runtime/packet.h"

enum {
    INTERFACE_A,
    INTERFACE_B,
    INTERFACES
};

/* Counters: of each interface one for each admission reason, then the NFs' drops and counters. */
enum counter {
    COUNTERS_OF_ADMISSION = INTERFACES * ADMISSION_REASONS,
    COUNTER_B_NOT_WIRED = COUNTERS_OF_ADMISSION,
    COUNTER_MARK_CHAIN_LOOP,
    COUNTER_MARK_DEAD,
    COUNTER_MARK_SEEN,
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
void hub_in(struct burst *burst, struct packet *packet);
void mark_in(struct burst *burst, struct packet *packet);

#endif
