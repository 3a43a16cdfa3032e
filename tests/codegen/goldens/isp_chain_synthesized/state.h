/* state.h: the mutable state of one core, and its static tables. */
#ifndef STATE_H
#define STATE_H

#include "chain.h"

/* Columns of `router.routes` (isp_chain.chain:16). */
enum {
    ROUTER_ROUTES_SIDE,
    ROUTER_ROUTES_MAC,
    ROUTER_ROUTES_SOURCE,
};

/* Keyed tables whose insertions choose a value, in the order of core_description.choice_tables. */
enum {
    CHOICE_NAT_BINDINGS,
};

struct core_state {
    struct nat_bindings *nat_bindings;
    struct flow *flows;             /* FLOW_ENTRIES (flow.h) */
    uint64_t secret;
    struct choice_log *choices;     /* NULL: not logged */
    uint64_t generated;
    uint64_t counters[COUNTERS];
};

struct core_tables {
    struct rules *acl_rules;
    struct routes *router_routes;
    uint64_t epoch;
};

static inline void log_choice(const struct core_state *state, uint16_t table, uint64_t value)
{
    struct choice_log *log = state->choices;
    if (log != NULL && log->count < log->capacity)
        log->items[log->count++] = (struct choice){table, value};
}

#endif
