/* core.c: the core of the chain `isp_chain`, as hosts see it (runtime/core.h). */
#include <stdio.h>
#include <stdlib.h>

#include "state.h"
#include "nat_bindings.h"
#include "runtime/static_tables.h"

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
    "acl.denied",
    "acl.not_ipv4",
    "router.link_broadcast",
    "router.ttl_expired",
    "router.arithmetic",
    "router.no_route",
    "router.not_ipv4",
    "nat.not_translated",
    "nat.no_port",
    "nat.fragment",
    "nat.not_public",
    "nat.no_binding",
};

static const bool counter_is_drop[] = {
    true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true, true, true, true, true, true, true, true, true, true,
    true, true,
};

/* In tables.S. */
extern const uint8_t table_acl_rules[];
extern const uint8_t table_router_routes[];

static const struct table_blob table_blobs[] = {
    {"acl.rules", TABLE_RULES, table_acl_rules, 8036},
    {"router.routes", TABLE_ROUTES, table_router_routes, 232},
};

static const char *const choice_tables[] = {
    "nat.bindings",
};

const struct core_description core_description = {
    .chain = "isp_chain",
    .interface_count = INTERFACES,
    .interfaces = interfaces,
    .counter_count = COUNTERS,
    .counter_names = counter_names,
    .counter_is_drop = counter_is_drop,
    .table_count = 2,
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
    rules_destroy(tables->acl_rules);
    routes_destroy(tables->router_routes);
    free(tables);
}

static bool build_tables(struct core_tables *tables, const struct table_blob *blobs, char *error,
                         size_t error_size)
{
    char reason[200] = "";
    tables->acl_rules = rules_create(blobs[0].data, blobs[0].size, reason, sizeof reason);
    if (tables->acl_rules == NULL) {
        snprintf(error, error_size, "acl.rules: %s", reason);
        return false;
    }
    tables->router_routes = routes_create(blobs[1].data, blobs[1].size, reason, sizeof reason);
    if (tables->router_routes == NULL) {
        snprintf(error, error_size, "router.routes: %s", reason);
        return false;
    }
    if (routes_scalars(tables->router_routes) != 3) {
        snprintf(error, error_size, "router.routes: its rows do not have 3 scalars");
        return false;
    }
    if (!routes_fit(tables->router_routes, (const uint64_t[]){1, 0xffffffffffff, 0xffffffffffff})) {
        snprintf(error, error_size, "router.routes: a scalar is too large for its column");
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
        acl_inside(burst, &packet);
        break;
    case INTERFACE_WAN:
        nat_outside(burst, &packet);
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
}
