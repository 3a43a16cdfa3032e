/* state.h: the mutable state of one core, and its static tables. */
#ifndef STATE_H
#define STATE_H

#include "chain.h"

/* Columns of `router_1.routes` (napt_1.chain:11). */
enum {
    ROUTER_1_ROUTES_SIDE,
    ROUTER_1_ROUTES_MAC,
    ROUTER_1_ROUTES_SOURCE,
};

/* Keyed tables whose insertions choose a value, in the order of core_description.choice_tables. */
enum {
    CHOICE_NAT_1_BINDINGS,
};

struct core_state {
    struct nat_1_bindings *nat_1_bindings;
    struct choice_log *choices;     /* NULL: not logged */
    uint64_t generated;
    uint64_t counters[COUNTERS];
};

struct core_tables {
    struct routes *router_1_routes;
    uint64_t epoch;
};

static inline void log_choice(const struct core_state *state, uint16_t table, uint64_t value)
{
    struct choice_log *log = state->choices;
    if (log != NULL && log->count < log->capacity)
        log->items[log->count++] = (struct choice){table, value};
}

#endif
