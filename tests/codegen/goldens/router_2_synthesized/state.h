/* state.h: the mutable state of one core, and its static tables. */
#ifndef STATE_H
#define STATE_H

#include "chain.h"

/* Columns of `router_1.routes` (router_2.chain:10). */
enum {
    ROUTER_1_ROUTES_SIDE,
    ROUTER_1_ROUTES_MAC,
    ROUTER_1_ROUTES_SOURCE,
};

/* Columns of `router_2.routes` (router_2.chain:20). */
enum {
    ROUTER_2_ROUTES_SIDE,
    ROUTER_2_ROUTES_MAC,
    ROUTER_2_ROUTES_SOURCE,
};

struct core_state {
    struct flow *flows;             /* FLOW_ENTRIES (flow.h) */
    uint64_t secret;
    struct choice_log *choices;     /* NULL: not logged */
    uint64_t generated;
    uint64_t counters[COUNTERS];
};

struct core_tables {
    struct routes *router_1_routes;
    struct routes *router_2_routes;
    uint64_t epoch;
};

#endif
