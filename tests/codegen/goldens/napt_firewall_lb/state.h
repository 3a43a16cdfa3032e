/* state.h: the mutable state of one core, and its static tables. */
#ifndef STATE_H
#define STATE_H

#include "chain.h"

/* Columns of `nat_router.routes` (napt_firewall_lb.chain:18). */
enum {
    NAT_ROUTER_ROUTES_SIDE,
    NAT_ROUTER_ROUTES_MAC,
    NAT_ROUTER_ROUTES_SOURCE,
};

/* Columns of `firewall_router.routes` (napt_firewall_lb.chain:29). */
enum {
    FIREWALL_ROUTER_ROUTES_SIDE,
    FIREWALL_ROUTER_ROUTES_MAC,
    FIREWALL_ROUTER_ROUTES_SOURCE,
};

/* Columns of `balancer.backends` (napt_firewall_lb.chain:39). */
enum {
    BALANCER_BACKENDS_ADDRESS,
};

/* Columns of `balancer_router.routes` (napt_firewall_lb.chain:40). */
enum {
    BALANCER_ROUTER_ROUTES_SIDE,
    BALANCER_ROUTER_ROUTES_MAC,
    BALANCER_ROUTER_ROUTES_SOURCE,
};

/* A cell of the vector `balancer.turn` (load_balancer_round_robin.chain:43). */
struct balancer_turn_cell {
    uint32_t value;
};

/* Keyed tables whose insertions choose a value, in the order of core_description.choice_tables. */
enum {
    CHOICE_NAT_BINDINGS,
};

struct core_state {
    struct nat_bindings *nat_bindings;
    struct firewall_connections *firewall_connections;
    struct balancer_connections *balancer_connections;
    struct balancer_turn_cell *balancer_turn;
    struct choice_log *choices;     /* NULL: not logged */
    uint64_t generated;
    uint64_t counters[COUNTERS];
};

struct core_tables {
    struct routes *nat_router_routes;
    struct rules *firewall_allow;
    struct routes *firewall_router_routes;
    struct list *balancer_backends;
    struct routes *balancer_router_routes;
    uint64_t epoch;
};

static inline void log_choice(const struct core_state *state, uint16_t table, uint64_t value)
{
    struct choice_log *log = state->choices;
    if (log != NULL && log->count < log->capacity)
        log->items[log->count++] = (struct choice){table, value};
}

#endif
