/* echo_core.c: a core written by hand, small enough to see what the hosts make of it.
 *
 * IPv4 goes to the other interface with its TTL one less, unless a rule denies it; ARP is flooded
 * to both interfaces; everything else is dropped. The source port of each UDP packet is logged as a
 * choice.
 */
#include <stdio.h>
#include <stdlib.h>

#include "packet.h"
#include "static_tables.h"

enum { LAN, WAN, INTERFACES };
enum { DENIED = INTERFACES * ADMISSION_REASONS, NOT_IPV4, FORWARDED, COUNTERS };

#define ADMISSION_NAMES(interface)                                                                 \
    interface ".too_short", interface ".vlan_truncated", interface ".arp_truncated",               \
        interface ".ipv4_truncated", interface ".ipv4_version", interface ".ipv4_header_length",   \
        interface ".ipv4_length", interface ".ipv4_checksum", interface ".ipv6_truncated",         \
        interface ".ipv6_version", interface ".ipv6_length",                                       \
        interface ".ipv6_extension_truncated", interface ".tcp_truncated",                         \
        interface ".tcp_data_offset", interface ".udp_truncated", interface ".udp_length",         \
        interface ".icmp_truncated", interface ".tiny_fragment", interface ".frame_too_long"

static const char *const counter_names[COUNTERS] = {
    ADMISSION_NAMES("lan"), ADMISSION_NAMES("wan"), "echo.denied",
    "echo.not_ipv4",        "echo.forwarded",
};

static const bool counter_is_drop[COUNTERS] = {
    true, true, true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true, true, true, true, true, true, true, true, true, true, true, true,
    true, true, true, true, true, true, true, true, true, true, true, true, false,
};

static const struct interface_description interfaces[INTERFACES] = {{"lan", {2, 0, 0, 0, 0, 1}},
                                                                    {"wan", {2, 0, 0, 0, 0, 2}}};

/* Deny UDP to port 9; all else is permitted. */
static const uint8_t rules[] = {
    1, 0, 0,    0,                                            /* count */
    0, 0, 0,    0,    0, 0, 0, 0, 0, 0, 0, 0, 0,  0,    0, 0, /* any addresses */
    0, 0, 0xFF, 0xFF, 9, 0, 9, 0, 0, 0, 0, 0, 17, 0xFF, 0, 0, /* ports, flags, protocol */
};

static const struct table_blob tables[] = {{"echo.rules", TABLE_RULES, rules, sizeof rules}};
static const char *const choice_tables[] = {"echo.ports"};

const struct core_description core_description = {
    .chain = "echo",
    .interface_count = INTERFACES,
    .interfaces = interfaces,
    .counter_count = COUNTERS,
    .counter_names = counter_names,
    .counter_is_drop = counter_is_drop,
    .table_count = 1,
    .tables = tables,
    .choice_table_count = 1,
    .choice_tables = choice_tables,
    .emissions_per_frame = 2,
};

struct core_tables {
    struct rules *rules;
};

struct core_state {
    uint64_t counters[COUNTERS];
    uint64_t generated;
    struct choice_log *choices;
    uint64_t now;
};

struct core_tables *core_tables_create(const struct table_blob *blobs, uint64_t epoch, char *error,
                                       size_t error_size)
{
    struct core_tables *built = calloc(1, sizeof *built);
    char reason[200] = "";
    (void)epoch;
    built->rules = rules_create(blobs[0].data, blobs[0].size, reason, sizeof reason);
    if (built->rules != NULL)
        return built;
    snprintf(error, error_size, "echo.rules: %s", reason);
    free(built);
    return NULL;
}

void core_tables_destroy(struct core_tables *built)
{
    if (built == NULL)
        return;
    rules_destroy(built->rules);
    free(built);
}

struct core_state *core_state_create(uint64_t secret, char *error, size_t error_size)
{
    (void)secret;
    (void)error;
    (void)error_size;
    return calloc(1, sizeof(struct core_state));
}

void core_state_destroy(struct core_state *state)
{
    free(state);
}

static void log_choice(struct core_state *state, uint16_t value)
{
    if (state->choices != NULL && state->choices->count < state->choices->capacity)
        state->choices->items[state->choices->count++] = (struct choice){0, value};
}

static void forward(struct core_state *state, struct packet *packet, struct emissions *out)
{
    uint8_t *ttl = PACKET_L3(packet) + 8;
    uint16_t before = load16(ttl);
    uint16_t after = (uint16_t)(before - 0x100);
    if (packet_has_udp(packet))
        log_choice(state, load16(PACKET_L4_HEADER(packet)));
    store16(ttl, after);
    packet_update_ipv4_checksum16(packet, before, after);
    packet_emit(packet, packet->interface == LAN ? WAN : LAN, out);
    state->counters[FORWARDED]++;
}

static void handle(const struct core_tables *built, struct core_state *state, struct packet *packet,
                   struct emissions *out)
{
    bool permits = true;
    uint32_t index;
    if (packet_has_arp(packet)) {
        packet_emit(packet, LAN, out);
        packet_emit(packet, WAN, out);
        state->generated++;
    } else if (!packet_has_ipv4(packet)) {
        state->counters[NOT_IPV4]++;
    } else if (rules_decide(built->rules, packet, &permits, &index) && !permits) {
        state->counters[DENIED]++;
    } else {
        forward(state, packet, out);
    }
}

void core_process(const struct core_tables *built, struct core_state *state,
                  const struct frame *frames, uint32_t count, uint16_t interface, uint64_t now,
                  struct emissions *out)
{
    if (now < state->now || count > BURST_FRAMES || out->count != 0)
        abort(); /* a host must not do that */
    state->now = now;
    for (uint32_t i = 0; i < count; i++) {
        struct packet packet;
        enum admission admission = packet_admit(&packet, &frames[i], interface);
        packet.frame = (uint16_t)i;
        if (admission == ADMITTED)
            handle(built, state, &packet, out);
        else
            state->counters[interface * ADMISSION_REASONS + admission]++;
    }
}

void core_tick(struct core_state *state, uint64_t now)
{
    (void)state;
    (void)now;
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
