/* core.c: the core of the chain `lookups`, as hosts see it (runtime/core.h). */
#include <stdio.h>
#include <stdlib.h>

#include "state.h"
#include "runtime/sketch.h"
#include "runtime/static_tables.h"
#include "runtime/vector.h"

static const struct interface_description interfaces[] = {
    {"a", {0x02, 0x00, 0x00, 0x00, 0x00, 0x01}},
    {"b", {0x02, 0x00, 0x00, 0x00, 0x00, 0x02}},
};

static const char *const counter_names[] = {
    "a.too_short",
    "a.vlan_truncated",
    "a.arp_truncated",
    "a.ipv4_truncated",
    "a.ipv4_version",
    "a.ipv4_header_length",
    "a.ipv4_length",
    "a.ipv4_checksum",
    "a.ipv6_truncated",
    "a.ipv6_version",
    "a.ipv6_length",
    "a.ipv6_extension_truncated",
    "a.tcp_truncated",
    "a.tcp_data_offset",
    "a.udp_truncated",
    "a.udp_length",
    "a.icmp_truncated",
    "a.tiny_fragment",
    "a.frame_too_long",
    "b.too_short",
    "b.vlan_truncated",
    "b.arp_truncated",
    "b.ipv4_truncated",
    "b.ipv4_version",
    "b.ipv4_header_length",
    "b.ipv4_length",
    "b.ipv4_checksum",
    "b.ipv6_truncated",
    "b.ipv6_version",
    "b.ipv6_length",
    "b.ipv6_extension_truncated",
    "b.tcp_truncated",
    "b.tcp_data_offset",
    "b.udp_truncated",
    "b.udp_length",
    "b.icmp_truncated",
    "b.tiny_fragment",
    "b.frame_too_long",
    "b.not_wired",
    "box.not_ipv4",
    "box.over_rate",
    "box.denied",
    "box.no_route",
    "box.no_backend",
};

static const bool counter_is_drop[] = {
    true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true, true, true, true, true, true,
};

/* In tables.S. */
extern const uint8_t table_box_rules[];
extern const uint8_t table_box_routes[];
extern const uint8_t table_box_backends[];
extern const uint8_t table_box_picks[];

static const struct table_blob table_blobs[] = {
    {"box.rules", TABLE_RULES, table_box_rules, 132},
    {"box.routes", TABLE_ROUTES, table_box_routes, 104},
    {"box.backends", TABLE_LIST, table_box_backends, 56},
    {"box.picks", TABLE_RING, table_box_picks, 32},
};

const struct core_description core_description = {
    .chain = "lookups",
    .interface_count = INTERFACES,
    .interfaces = interfaces,
    .counter_count = COUNTERS,
    .counter_names = counter_names,
    .counter_is_drop = counter_is_drop,
    .table_count = 4,
    .tables = table_blobs,
    .emissions_per_frame = 2,
};

/* ---- static tables */

void core_tables_destroy(struct core_tables *tables)
{
    if (tables == NULL)
        return;
    rules_destroy(tables->box_rules);
    routes_destroy(tables->box_routes);
    list_destroy(tables->box_backends);
    ring_destroy(tables->box_picks);
    free(tables);
}

static bool build_tables(struct core_tables *tables, const struct table_blob *blobs, char *error,
                         size_t error_size)
{
    char reason[200] = "";
    tables->box_rules = rules_create(blobs[0].data, blobs[0].size, reason, sizeof reason);
    if (tables->box_rules == NULL) {
        snprintf(error, error_size, "box.rules: %s", reason);
        return false;
    }
    tables->box_routes = routes_create(blobs[1].data, blobs[1].size, reason, sizeof reason);
    if (tables->box_routes == NULL) {
        snprintf(error, error_size, "box.routes: %s", reason);
        return false;
    }
    if (routes_scalars(tables->box_routes) != 2) {
        snprintf(error, error_size, "box.routes: its rows do not have 2 scalars");
        return false;
    }
    if (!routes_fit(tables->box_routes, (const uint64_t[]){0xff, 0xffffffffffff})) {
        snprintf(error, error_size, "box.routes: a scalar is too large for its column");
        return false;
    }
    tables->box_backends = list_create(blobs[2].data, blobs[2].size, reason, sizeof reason);
    if (tables->box_backends == NULL) {
        snprintf(error, error_size, "box.backends: %s", reason);
        return false;
    }
    if (tables->box_backends->columns != 2) {
        snprintf(error, error_size, "box.backends: its rows do not have 2 scalars");
        return false;
    }
    if (!list_fits(tables->box_backends, (const uint64_t[]){0xffffffff, 0xffff})) {
        snprintf(error, error_size, "box.backends: a scalar is too large for its column");
        return false;
    }
    tables->box_picks = ring_create(blobs[3].data, blobs[3].size, reason, sizeof reason);
    if (tables->box_picks == NULL) {
        snprintf(error, error_size, "box.picks: %s", reason);
        return false;
    }
    if (ring_last_row(tables->box_picks) >= tables->box_backends->rows) {
        snprintf(error, error_size, "box.picks: it picks rows that box.backends does not have");
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
    free(state->box_turn);
    free(state->box_police);
    sketch_destroy(state->box_seen);
    free(state);
}

struct core_state *core_state_create(uint64_t secret, char *error, size_t error_size)
{
    (void)secret;
    struct core_state *state = calloc(1, sizeof *state);
    if (state == NULL) {
        snprintf(error, error_size, "not enough memory for the state");
        return NULL;
    }
    const struct box_turn_cell box_turn_initial = {.count = 7, .odd = 1};
    state->box_turn = vector_create(4, sizeof box_turn_initial, &box_turn_initial);
    if (state->box_turn == NULL) {
        snprintf(error, error_size, "not enough memory for `box.turn` (4 cells)");
        core_state_destroy(state);
        return NULL;
    }
    state->box_police = token_bucket_create(150);
    if (state->box_police == NULL) {
        snprintf(error, error_size, "not enough memory for `box.police` (a token bucket)");
        core_state_destroy(state);
        return NULL;
    }
    state->box_seen = sketch_create(3, 5);
    if (state->box_seen == NULL) {
        snprintf(error, error_size, "not enough memory for `box.seen` (3 times 5 counters)");
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
    case INTERFACE_A:
        box_in(burst, &packet);
        break;
    case INTERFACE_B:
        drop(burst, COUNTER_B_NOT_WIRED);
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
    (void)state;
    (void)now;
}
