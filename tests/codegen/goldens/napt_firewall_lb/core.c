/* core.c: the core of the chain `napt_firewall_lb`, as hosts see it (runtime/core.h). */
#include <stdio.h>
#include <stdlib.h>

#include "state.h"
#include "nat_bindings.h"
#include "firewall_connections.h"
#include "balancer_connections.h"
#include "runtime/static_tables.h"
#include "runtime/vector.h"

/* Expired entries that one tick removes of each table at most. */
enum { ENTRIES_PER_TICK = 64 };

static const struct interface_description interfaces[] = {
    {"lan", {0x02, 0x00, 0x00, 0x00, 0x00, 0x01}},
    {"wan", {0x02, 0x00, 0x00, 0x00, 0x00, 0x02}},
};

static const char *const counter_names[] = {
    "lan.too_short",
    "lan.vlan_truncated",
    "lan.arp_truncated",
    "lan.ipv4_truncated",
    "lan.ipv4_version",
    "lan.ipv4_header_length",
    "lan.ipv4_length",
    "lan.ipv4_checksum",
    "lan.ipv6_truncated",
    "lan.ipv6_version",
    "lan.ipv6_length",
    "lan.ipv6_extension_truncated",
    "lan.tcp_truncated",
    "lan.tcp_data_offset",
    "lan.udp_truncated",
    "lan.udp_length",
    "lan.icmp_truncated",
    "lan.tiny_fragment",
    "lan.frame_too_long",
    "wan.too_short",
    "wan.vlan_truncated",
    "wan.arp_truncated",
    "wan.ipv4_truncated",
    "wan.ipv4_version",
    "wan.ipv4_header_length",
    "wan.ipv4_length",
    "wan.ipv4_checksum",
    "wan.ipv6_truncated",
    "wan.ipv6_version",
    "wan.ipv6_length",
    "wan.ipv6_extension_truncated",
    "wan.tcp_truncated",
    "wan.tcp_data_offset",
    "wan.udp_truncated",
    "wan.udp_length",
    "wan.icmp_truncated",
    "wan.tiny_fragment",
    "wan.frame_too_long",
    "nat.not_translated",
    "nat.no_port",
    "nat.fragment",
    "nat.not_public",
    "nat.no_binding",
    "nat_router.link_broadcast",
    "nat_router.ttl_expired",
    "nat_router.arithmetic",
    "nat_router.no_route",
    "nat_router.not_ipv4",
    "nat_router.chain_loop",
    "firewall.chain_loop",
    "firewall.no_state",
    "firewall.table_full",
    "firewall.denied",
    "firewall.fragment",
    "firewall.not_tracked",
    "firewall_router.chain_loop",
    "firewall_router.link_broadcast",
    "firewall_router.ttl_expired",
    "firewall_router.arithmetic",
    "firewall_router.no_route",
    "firewall_router.not_ipv4",
    "balancer.chain_loop",
    "balancer.not_service",
    "balancer.arithmetic",
    "balancer.table_full",
    "balancer.no_backend",
    "balancer.fragment",
    "balancer.not_balanced",
    "balancer.no_connection",
    "balancer_router.chain_loop",
    "balancer_router.link_broadcast",
    "balancer_router.ttl_expired",
    "balancer_router.arithmetic",
    "balancer_router.no_route",
    "balancer_router.not_ipv4",
};

static const bool counter_is_drop[] = {
    true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true,
};

/* In tables.S. */
extern const uint8_t table_nat_router_routes[];
extern const uint8_t table_firewall_allow[];
extern const uint8_t table_firewall_router_routes[];
extern const uint8_t table_balancer_backends[];
extern const uint8_t table_balancer_router_routes[];

static const struct table_blob table_blobs[] = {
    {"nat_router.routes", TABLE_ROUTES, table_nat_router_routes, 136},
    {"firewall.allow", TABLE_RULES, table_firewall_allow, 68},
    {"firewall_router.routes", TABLE_ROUTES, table_firewall_router_routes, 104},
    {"balancer.backends", TABLE_LIST, table_balancer_backends, 24},
    {"balancer_router.routes", TABLE_ROUTES, table_balancer_router_routes, 104},
};

static const char *const choice_tables[] = {
    "nat.bindings",
};

const struct core_description core_description = {
    .chain = "napt_firewall_lb",
    .interface_count = INTERFACES,
    .interfaces = interfaces,
    .counter_count = COUNTERS,
    .counter_names = counter_names,
    .counter_is_drop = counter_is_drop,
    .table_count = 5,
    .tables = table_blobs,
    .choice_table_count = 1,
    .choice_tables = choice_tables,
    .emissions_per_frame = 1,
};

/* ---- static tables */

void core_tables_destroy(struct core_tables *tables)
{
    if (tables == NULL)
        return;
    routes_destroy(tables->nat_router_routes);
    rules_destroy(tables->firewall_allow);
    routes_destroy(tables->firewall_router_routes);
    list_destroy(tables->balancer_backends);
    routes_destroy(tables->balancer_router_routes);
    free(tables);
}

static bool build_tables(struct core_tables *tables, const struct table_blob *blobs, char *error,
                         size_t error_size)
{
    char reason[200] = "";
    tables->nat_router_routes = routes_create(blobs[0].data, blobs[0].size, reason, sizeof reason);
    if (tables->nat_router_routes == NULL) {
        snprintf(error, error_size, "nat_router.routes: %s", reason);
        return false;
    }
    if (routes_scalars(tables->nat_router_routes) != 3) {
        snprintf(error, error_size, "nat_router.routes: its rows do not have 3 scalars");
        return false;
    }
    if (!routes_fit(tables->nat_router_routes,
                    (const uint64_t[]){1, 0xffffffffffff, 0xffffffffffff})) {
        snprintf(error, error_size, "nat_router.routes: a scalar is too large for its column");
        return false;
    }
    tables->firewall_allow = rules_create(blobs[1].data, blobs[1].size, reason, sizeof reason);
    if (tables->firewall_allow == NULL) {
        snprintf(error, error_size, "firewall.allow: %s", reason);
        return false;
    }
    tables->firewall_router_routes = routes_create(blobs[2].data, blobs[2].size, reason,
                                                   sizeof reason);
    if (tables->firewall_router_routes == NULL) {
        snprintf(error, error_size, "firewall_router.routes: %s", reason);
        return false;
    }
    if (routes_scalars(tables->firewall_router_routes) != 3) {
        snprintf(error, error_size, "firewall_router.routes: its rows do not have 3 scalars");
        return false;
    }
    if (!routes_fit(tables->firewall_router_routes,
                    (const uint64_t[]){1, 0xffffffffffff, 0xffffffffffff})) {
        snprintf(error, error_size, "firewall_router.routes: a scalar is too large for its column");
        return false;
    }
    tables->balancer_backends = list_create(blobs[3].data, blobs[3].size, reason, sizeof reason);
    if (tables->balancer_backends == NULL) {
        snprintf(error, error_size, "balancer.backends: %s", reason);
        return false;
    }
    if (tables->balancer_backends->columns != 1) {
        snprintf(error, error_size, "balancer.backends: its rows do not have 1 scalars");
        return false;
    }
    if (!list_fits(tables->balancer_backends, (const uint64_t[]){0xffffffff})) {
        snprintf(error, error_size, "balancer.backends: a scalar is too large for its column");
        return false;
    }
    tables->balancer_router_routes = routes_create(blobs[4].data, blobs[4].size, reason,
                                                   sizeof reason);
    if (tables->balancer_router_routes == NULL) {
        snprintf(error, error_size, "balancer_router.routes: %s", reason);
        return false;
    }
    if (routes_scalars(tables->balancer_router_routes) != 3) {
        snprintf(error, error_size, "balancer_router.routes: its rows do not have 3 scalars");
        return false;
    }
    if (!routes_fit(tables->balancer_router_routes,
                    (const uint64_t[]){1, 0xffffffffffff, 0xffffffffffff})) {
        snprintf(error, error_size, "balancer_router.routes: a scalar is too large for its column");
        return false;
    }
    return true;
}

struct core_tables *core_tables_create(const struct table_blob *blobs, uint64_t epoch, char *error,
                                       size_t error_size)
{
    struct core_tables *tables = calloc(1, sizeof *tables);
    if (tables == NULL) {
        snprintf(error, error_size, "not enough memory for the static tables");
        return NULL;
    }
    tables->epoch = epoch;
    if (!build_tables(tables, blobs, error, error_size)) {
        core_tables_destroy(tables);
        return NULL;
    }
    return tables;
}

/* ---- state */

void core_state_destroy(struct core_state *state)
{
    if (state == NULL)
        return;
    nat_bindings_destroy(state->nat_bindings);
    firewall_connections_destroy(state->firewall_connections);
    balancer_connections_destroy(state->balancer_connections);
    free(state->balancer_turn);
    free(state);
}

struct core_state *core_state_create(uint64_t secret, char *error, size_t error_size)
{
    struct core_state *state = calloc(1, sizeof *state);
    if (state == NULL) {
        snprintf(error, error_size, "not enough memory for the state");
        return NULL;
    }
    static const uint64_t nat_bindings_lifetimes[] = {7440000000000u, 300000000000u,
                                                      60000000000u};    /* ns */
    state->nat_bindings = nat_bindings_create(193536, nat_bindings_lifetimes, secret);
    if (state->nat_bindings == NULL) {
        snprintf(error, error_size, "not enough memory for `nat.bindings` (193536 entries)");
        core_state_destroy(state);
        return NULL;
    }
    static const uint64_t firewall_connections_lifetimes[] = {7440000000000u, 300000000000u,
                                                              60000000000u};    /* ns */
    state->firewall_connections = firewall_connections_create(65536, firewall_connections_lifetimes,
                                                              secret);
    if (state->firewall_connections == NULL) {
        snprintf(error, error_size, "not enough memory for `firewall.connections` (65536 entries)");
        core_state_destroy(state);
        return NULL;
    }
    static const uint64_t balancer_connections_lifetimes[] = {7440000000000u,
                                                              300000000000u};    /* ns */
    state->balancer_connections = balancer_connections_create(65536, balancer_connections_lifetimes,
                                                              secret);
    if (state->balancer_connections == NULL) {
        snprintf(error, error_size, "not enough memory for `balancer.connections` (65536 entries)");
        core_state_destroy(state);
        return NULL;
    }
    const struct balancer_turn_cell balancer_turn_initial = {.value = 0};
    state->balancer_turn = vector_create(1, sizeof balancer_turn_initial, &balancer_turn_initial);
    if (state->balancer_turn == NULL) {
        snprintf(error, error_size, "not enough memory for `balancer.turn` (1 cells)");
        core_state_destroy(state);
        return NULL;
    }
    return state;
}

const uint64_t *core_counters(const struct core_state *state)
{
    return state->counters;
}

uint64_t core_generated(const struct core_state *state)
{
    return state->generated;
}

void core_log_choices(struct core_state *state, struct choice_log *log)
{
    state->choices = log;
}

/* ---- packets and time */

static void receive(struct burst *burst, const struct frame *frame, uint16_t number,
                    uint16_t interface)
{
    struct packet packet;
    const enum admission admission = packet_admit(&packet, frame, interface);
    if (admission != ADMITTED) {
        drop(burst, (enum counter)(interface * ADMISSION_REASONS + admission));
        return;
    }
    packet.frame = number;
    switch (interface) {
    case INTERFACE_LAN:
        nat_inside(burst, &packet);
        break;
    case INTERFACE_WAN:
        balancer_router_outside(burst, &packet);
        break;
    default:
        break;
    }
}

static void arrive(struct burst *burst, const struct frame *frames, uint32_t count,
                   uint16_t interface)
{
    for (uint32_t i = 0; i < count; i++)
        receive(burst, &frames[i], (uint16_t)i, interface);
}

static void commit(const struct burst *burst)
{
    struct core_state *state = burst->state;
    state->generated += burst->generated;
    for (uint32_t i = 0; i < COUNTERS; i++)
        state->counters[i] += burst->counters[i];
}

void core_process(const struct core_tables *tables, struct core_state *state,
                  const struct frame *frames, uint32_t count, uint16_t interface, uint64_t now,
                  struct emissions *out)
{
    struct burst burst = {.tables = tables, .state = state, .now = now, .out = out};
    arrive(&burst, frames, count, interface);
    commit(&burst);
}

void core_tick(struct core_state *state, uint64_t now)
{
    nat_bindings_sweep(state->nat_bindings, now, ENTRIES_PER_TICK);
    firewall_connections_sweep(state->firewall_connections, now, ENTRIES_PER_TICK);
    balancer_connections_sweep(state->balancer_connections, now, ENTRIES_PER_TICK);
}
