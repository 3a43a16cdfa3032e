/* core.c: the core of the chain `flood`, as hosts see it (runtime/core.h). */
#include <stdio.h>
#include <stdlib.h>

#include "state.h"

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
    "mark.chain_loop",
    "mark.dead",
    "mark.seen",
};

static const bool counter_is_drop[] = {
    true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true, true, true, false,
};

const struct core_description core_description = {
    .chain = "flood",
    .interface_count = INTERFACES,
    .interfaces = interfaces,
    .counter_count = COUNTERS,
    .counter_names = counter_names,
    .counter_is_drop = counter_is_drop,
    .emissions_per_frame = 9,
};

/* ---- static tables */

void core_tables_destroy(struct core_tables *tables)
{
    if (tables == NULL)
        return;
    free(tables);
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
    (void)blobs;
    return tables;
}

/* ---- state */

void core_state_destroy(struct core_state *state)
{
    if (state == NULL)
        return;
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
        hub_in(burst, &packet);
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
