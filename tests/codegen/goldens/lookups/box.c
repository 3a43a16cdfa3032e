/* box.c: the NF `box` of the chain `lookups`, as written. */
#include "chain.h"
#include "fields.h"
#include "state.h"
#include "runtime/hash.h"
#include "runtime/sketch.h"
#include "runtime/static_tables.h"
#include "runtime/token_bucket.h"

/* A packet that arrives at `box` on its side `in`. */
void box_in(struct burst *burst, struct packet *packet)
{
    struct core_state *const state = burst->state;
    const struct core_tables *const tables = burst->tables;
    packet_parse(packet);

    if (!packet_has_ipv4(packet)) {
        drop(burst, COUNTER_BOX_NOT_IPV4);
        return;
    }
    const bool taken = token_bucket_take(state->box_police, 8000, 150, (uint64_t)packet->length,
                                         burst->now);
    if (!taken) {
        drop(burst, COUNTER_BOX_OVER_RATE);
        return;
    }
    bool permits = false;
    uint32_t rule = 0;
    const bool matched = rules_decide(tables->box_rules, packet, &permits, &rule);
    if (!(permits || !matched)) {
        drop(burst, COUNTER_BOX_DENIED);
        return;
    }
    const uint64_t *const route = routes_lookup(tables->box_routes, packet_ipv4_dst(packet));
    packet_set_eth_dst(packet, (route != NULL ? route[BOX_ROUTES_MAC] : 0));
    if (route == NULL) {
        drop(burst, COUNTER_BOX_NO_ROUTE);
        return;
    }
    const uint32_t src = packet_ipv4_src(packet);
    const uint32_t hash = hash_end(hash8(hash8(hash32(HASH_START, src),
                                               packet_ipv4_protocol(packet)),
                                         packet_ipv4_df(packet)));
    const uint64_t *const picked = list_row(tables->box_backends,
                                            ring_pick(tables->box_picks, hash));
    const uint32_t masked = hash & 3;
    const uint64_t *const row = list_row(tables->box_backends, masked);
    sketch_add(state->box_seen, hash32(HASH_START, src),
               (uint32_t)(uint16_t)picked[BOX_BACKENDS_WEIGHT]);
    if (row == NULL) {
        drop(burst, COUNTER_BOX_NO_BACKEND);
        return;
    }
    const bool odd = state->box_turn[masked].odd;
    const uint16_t more = (uint16_t)(state->box_turn[masked].count
                                     + (uint16_t)row[BOX_BACKENDS_WEIGHT]);
    state->box_turn[masked] = (struct box_turn_cell){more, !odd};
    struct packet pkt = *packet;
    packet_set_ipv4_id(&pkt, (uint16_t)(odd ? more : (uint16_t)picked[BOX_BACKENDS_WEIGHT]));
    packet_set_ipv4_src(&pkt, (uint32_t)picked[BOX_BACKENDS_ADDRESS]);
    packet_set_ipv4_dst(&pkt, sketch_estimate(state->box_seen, hash32(HASH_START, src)));
    burst->generated += 1;
    packet_emit(&pkt, INTERFACE_B, burst->out);
    packet_emit(packet, INTERFACE_A, burst->out);
}
