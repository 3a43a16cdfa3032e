/* nat_1.c: the NF `nat_1` of the chain `napt_1`, as written. */
#include "chain.h"
#include "fields.h"
#include "nat_1_bindings.h"
#include "state.h"

/* A packet that arrives at `nat_1` on its side `inside`. */
void nat_1_inside(struct burst *burst, struct packet *packet)
{
    struct core_state *const state = burst->state;
    packet_parse(packet);

    /* napt.chain:44 */
    if (!(packet_has_ipv4(packet)
          && (packet_has_tcp(packet) || packet_has_udp(packet) || packet_has_icmp_echo(packet))
          && !packet_has_fragment(packet))) {
        /* napt.chain:96 */
        if (packet_has_ipv4(packet) && packet_has_fragment(packet)) {
            drop(burst, COUNTER_NAT_1_FRAGMENT);
            return;
        }
        /* napt.chain:97 */
        drop(burst, COUNTER_NAT_1_NOT_TRANSLATED);
        return;
    }
    /* napt.chain:45 */
    if (packet_has_icmp_echo(packet)) {
        /* napt.chain:46 */
        if (packet_icmp_type(packet) != 8) {
            drop(burst, COUNTER_NAT_1_NOT_TRANSLATED);
            return;
        }
    }
    /* napt.chain:48 */
    const uint16_t sport = packet_has_l4(packet) ? packet_l4_sport(packet)
        : packet_icmp_echo_id(packet);
    const uint8_t ipv4_protocol = packet_ipv4_protocol(packet);
    /* napt.chain:50 */
    const struct nat_1_bindings_key key = {
        .inside_0 = packet_ipv4_src(packet),
        .inside_1 = sport,
        .inside_2 = ipv4_protocol,
    };
    struct nat_1_bindings_entry *binding = nat_1_bindings_find(state->nat_1_bindings, &key,
                                                               burst->now);
    if (binding == NULL) {
        /* napt.chain:51 */
        struct nat_1_bindings_unique unique = {.outside_1 = ipv4_protocol};
        binding = nat_1_bindings_insert_choosing(state->nat_1_bindings, &key, &unique,
                                                 offsetof(struct nat_1_bindings_unique, outside_0),
                                                 sizeof unique.outside_0, 1024, 65535, burst->now);
        if (binding == NULL) {
            /* napt.chain:52 */
            drop(burst, COUNTER_NAT_1_NO_PORT);
            return;
        }
        /* napt.chain:51 */
        log_choice(state, CHOICE_NAT_1_BINDINGS, unique.outside_0);
    }
    /* napt.chain:53 */
    packet_set_ipv4_src(packet, IPV4(192, 0, 2, 1));
    /* napt.chain:55 */
    if (packet_has_tcp(packet)) {
        /* napt.chain:56 */
        nat_1_bindings_touch(state->nat_1_bindings, binding, NAT_1_BINDINGS_TCP, burst->now);
        /* napt.chain:57 */
        packet_set_l4_sport(packet, binding->unique.outside_0);
    } else if (packet_has_udp(packet)) {
        /* napt.chain:60 */
        nat_1_bindings_touch(state->nat_1_bindings, binding, NAT_1_BINDINGS_UDP, burst->now);
        /* napt.chain:61 */
        packet_set_l4_sport(packet, binding->unique.outside_0);
    } else {
        /* napt.chain:64 */
        nat_1_bindings_touch(state->nat_1_bindings, binding, NAT_1_BINDINGS_ECHO, burst->now);
        /* napt.chain:65 */
        packet_set_icmp_echo_id(packet, binding->unique.outside_0);
    }
    /* napt.chain:44 */
    router_1_west(burst, packet);
}

/* A packet that arrives at `nat_1` on its side `outside`. */
void nat_1_outside(struct burst *burst, struct packet *packet)
{
    struct core_state *const state = burst->state;
    packet_parse(packet);

    /* napt.chain:71 */
    if (!(packet_has_ipv4(packet)
          && (packet_has_tcp(packet) || packet_has_udp(packet) || packet_has_icmp_echo(packet))
          && !packet_has_fragment(packet))) {
        /* napt.chain:96 */
        if (packet_has_ipv4(packet) && packet_has_fragment(packet)) {
            drop(burst, COUNTER_NAT_1_FRAGMENT);
            return;
        }
        /* napt.chain:97 */
        drop(burst, COUNTER_NAT_1_NOT_TRANSLATED);
        return;
    }
    /* napt.chain:72 */
    if (packet_has_icmp_echo(packet)) {
        /* napt.chain:73 */
        if (packet_icmp_type(packet) != 0) {
            drop(burst, COUNTER_NAT_1_NOT_TRANSLATED);
            return;
        }
    }
    /* napt.chain:75 */
    if (packet_ipv4_dst(packet) != IPV4(192, 0, 2, 1)) {
        drop(burst, COUNTER_NAT_1_NOT_PUBLIC);
        return;
    }
    /* napt.chain:76 */
    const uint16_t dport = packet_has_l4(packet) ? packet_l4_dport(packet)
        : packet_icmp_echo_id(packet);
    /* napt.chain:77 */
    const struct nat_1_bindings_unique unique = {
        .outside_0 = dport,
        .outside_1 = packet_ipv4_protocol(packet),
    };
    struct nat_1_bindings_entry *const binding =
        nat_1_bindings_find_unique(state->nat_1_bindings, &unique, burst->now);
    if (binding == NULL) {
        drop(burst, COUNTER_NAT_1_NO_BINDING);
        return;
    }
    /* napt.chain:78 */
    packet_set_ipv4_dst(packet, binding->key.inside_0);
    /* napt.chain:80 */
    if (packet_has_tcp(packet)) {
        /* napt.chain:81 */
        nat_1_bindings_touch(state->nat_1_bindings, binding, NAT_1_BINDINGS_TCP, burst->now);
        /* napt.chain:82 */
        packet_set_l4_dport(packet, binding->key.inside_1);
    } else if (packet_has_udp(packet)) {
        /* napt.chain:85 */
        nat_1_bindings_touch(state->nat_1_bindings, binding, NAT_1_BINDINGS_UDP, burst->now);
        /* napt.chain:86 */
        packet_set_l4_dport(packet, binding->key.inside_1);
    } else {
        /* napt.chain:89 */
        nat_1_bindings_touch(state->nat_1_bindings, binding, NAT_1_BINDINGS_ECHO, burst->now);
        /* napt.chain:90 */
        packet_set_icmp_echo_id(packet, binding->key.inside_1);
    }
    /* napt.chain:71 */
    packet_emit(packet, INTERFACE_LAN, burst->out);
}
