/* nat.c: the NF `nat` of the chain `nat_chain`, as written. */
#include "chain.h"
#include "fields.h"
#include "nat_bindings.h"
#include "state.h"
#include "runtime/token_bucket.h"

/* A packet that arrives at `nat` on its side `inside`. */
void nat_inside(struct burst *burst, struct packet *packet)
{
    struct core_state *const state = burst->state;
    packet_parse(packet);

    if (!(packet_has_ipv4(packet) && packet_has_l4(packet))) {
        drop(burst, COUNTER_NAT_NOT_TRANSLATED);
        return;
    }
    const uint8_t protocol = packet_ipv4_protocol(packet);
    const struct nat_bindings_key key = {
        .address = packet_ipv4_src(packet),
        .port = packet_l4_sport(packet),
        .protocol = protocol,
    };
    struct nat_bindings_entry *b = nat_bindings_find(state->nat_bindings, &key, burst->now);
    if (b == NULL) {
        struct nat_bindings_unique unique = {.outside_protocol = protocol};
        struct nat_bindings_values values = {.packets = 0, .marked = false};
        token_bucket_start(&values.allowance, 200, burst->now);
        b = nat_bindings_insert_choosing(state->nat_bindings, &key, &unique, &values,
                                         offsetof(struct nat_bindings_unique, outside),
                                         sizeof unique.outside, 5000, 5003, burst->now);
        if (b == NULL) {
            drop(burst, COUNTER_NAT_NO_PORT);
            return;
        }
        log_choice(state, CHOICE_NAT_BINDINGS, unique.outside);
    }
    const uint64_t amount = (uint64_t)packet->length;
    count(burst, COUNTER_NAT_BYTES, amount);
    const bool taken = token_bucket_take(&b->values.allowance, 8000, 200, amount, burst->now);
    if (!taken) {
        drop(burst, COUNTER_NAT_OVER_RATE);
        return;
    }
    b->values.packets = (uint8_t)(b->values.packets + 1);
    if (packet_has_tcp(packet)) {
        const bool fin = packet_tcp_fin(packet);
        b->values.marked = fin;
        if (fin) {
            nat_bindings_touch(state->nat_bindings, b, NAT_BINDINGS_CLOSING, burst->now);
            goto rewrite;
        }
        if (packet_tcp_rst(packet)) {
            const uint16_t last = b->unique.outside;
            nat_bindings_remove(state->nat_bindings, b);
            packet_set_l4_sport(packet, last);
            packet_emit(packet, INTERFACE_WAN, burst->out);
            return;
        }
    }
    nat_bindings_touch(state->nat_bindings, b, NAT_BINDINGS_IDLE, burst->now);
rewrite:;
    packet_set_ipv4_src(packet, IPV4(203, 0, 113, 1));
    packet_set_l4_sport(packet, b->unique.outside);
    packet_emit(packet, INTERFACE_WAN, burst->out);
}

/* A packet that arrives at `nat` on its side `outside`. */
void nat_outside(struct burst *burst, struct packet *packet)
{
    struct core_state *const state = burst->state;
    packet_parse(packet);

    if (!(packet_has_ipv4(packet) && packet_has_l4(packet))) {
        drop(burst, COUNTER_NAT_NOT_TRANSLATED);
        return;
    }
    const struct nat_bindings_unique unique = {
        .outside = packet_l4_dport(packet),
        .outside_protocol = packet_ipv4_protocol(packet),
    };
    struct nat_bindings_entry *const b =
        nat_bindings_find_unique(state->nat_bindings, &unique, burst->now);
    if (b == NULL) {
        drop(burst, COUNTER_NAT_NO_BINDING);
        return;
    }
    nat_bindings_touch(state->nat_bindings, b, NAT_BINDINGS_IDLE, burst->now);
    packet_set_ipv4_dst(packet, b->key.address);
    packet_set_l4_dport(packet, b->key.port);
    packet_set_ipv4_ttl(packet, (uint8_t)(b->values.marked ? b->values.packets : 0));
    packet_emit(packet, INTERFACE_LAN, burst->out);
}
