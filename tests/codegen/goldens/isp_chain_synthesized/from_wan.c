/* from_wan.c: what arrives on `wan` of the chain `isp_chain`, synthesized. */
#include "chain.h"
#include "fields.h"
#include "flow.h"
#include "nat_bindings.h"
#include "state.h"
#include "runtime/static_tables.h"

static void nat_outside(struct burst *burst, struct packet *packet);

/* A packet that arrives at `nat` on its side `outside`. */
static void nat_outside(struct burst *burst, struct packet *packet)
{
    struct core_state *const state = burst->state;
    const struct core_tables *const tables = burst->tables;
    struct flow *const flow = burst->flow;

    /* napt.chain:71 */
    if (!(packet_has_ipv4(packet)
          && (packet_has_tcp(packet) || packet_has_udp(packet) || packet_has_icmp_echo(packet))
          && !packet_has_fragment(packet))) {
        /* napt.chain:96 */
        if (packet_has_ipv4(packet) && packet_has_fragment(packet)) {
            drop(burst, COUNTER_NAT_FRAGMENT);
            return;
        }
        /* napt.chain:46 */
        drop(burst, COUNTER_NAT_NOT_TRANSLATED);
        return;
    }
    /* napt.chain:72 */
    if (packet_has_icmp_echo(packet)) {
        /* napt.chain:73 */
        if (packet_icmp_type(packet) != 0) {
            /* napt.chain:46 */
            drop(burst, COUNTER_NAT_NOT_TRANSLATED);
            return;
        }
    }
    /* napt.chain:75 */
    if (packet_ipv4_dst(packet) != IPV4(203, 0, 113, 1)) {
        drop(burst, COUNTER_NAT_NOT_PUBLIC);
        return;
    }
    /* napt.chain:76 */
    const uint16_t dport = packet_has_l4(packet) ? packet_l4_dport(packet)
        : packet_icmp_echo_id(packet);
    const uint8_t ipv4_protocol = packet_ipv4_protocol(packet);
    /* napt.chain:77 */
    const struct nat_bindings_unique unique = {.outside_0 = dport, .outside_1 = ipv4_protocol};
    struct nat_bindings_entry *const binding =
        nat_bindings_recall_unique(state->nat_bindings, &flow->nat_bindings[0], &unique,
                                   burst->now);
    if (binding == NULL) {
        drop(burst, COUNTER_NAT_NO_BINDING);
        return;
    }
    /* napt.chain:78 */
    const uint32_t inside_0 = binding->key.inside_0;
    uint16_t id;
    uint16_t dport_2;
    /* napt.chain:80 */
    if (packet_has_tcp(packet)) {
        /* napt.chain:81 */
        nat_bindings_touch(state->nat_bindings, binding, NAT_BINDINGS_TCP, burst->now);
        dport_2 = binding->key.inside_1;
        id = 0;
    } else if (packet_has_udp(packet)) {
        /* napt.chain:85 */
        nat_bindings_touch(state->nat_bindings, binding, NAT_BINDINGS_UDP, burst->now);
        dport_2 = binding->key.inside_1;
        id = 0;
    } else {
        /* napt.chain:89 */
        nat_bindings_touch(state->nat_bindings, binding, NAT_BINDINGS_ECHO, burst->now);
        dport_2 = 0;
        id = binding->key.inside_1;
    }
    /* router.chain:52 */
    if (packet_eth_dst(packet) == MAC(0xff, 0xff, 0xff, 0xff, 0xff, 0xff)) {
        drop(burst, COUNTER_ROUTER_LINK_BROADCAST);
        return;
    }
    /* router.chain:53 */
    const uint8_t ipv4_ttl = packet_ipv4_ttl(packet);
    if (ipv4_ttl <= 1) {
        /* router.chain:71 */
        drop(burst, COUNTER_ROUTER_TTL_EXPIRED);
        return;
    }
    /* router.chain:73 */
    const uint64_t *const route = routes_recall(tables->router_routes, &flow->router_routes[0],
                                                inside_0);
    if (route == NULL) {
        /* router.chain:91 */
        drop(burst, COUNTER_ROUTER_NO_ROUTE);
        return;
    }
    /* router.chain:93 */
    const uint8_t value = (uint8_t)(ipv4_ttl - 1);
    /* router.chain:51 */
    if ((uint8_t)route[ROUTER_ROUTES_SIDE] == 0) {
        struct packet pkt = packet_draft(packet, packet_next_head(burst->out));
        packet_set_ipv4_dst(&pkt, inside_0);
        /* acl.chain:26 */
        if (packet_has_l4(packet)) {
            packet_set_l4_dport(&pkt, dport_2);
        }
        /* acl.chain:27 */
        bool permits = false;
        uint32_t rule = 0;
        rules_recall(tables->acl_rules, &flow->acl_rules[0], &pkt, &permits, &rule);
        /* acl.chain:28 */
        if (!permits) {
            /* acl.chain:22 */
            drop(burst, COUNTER_ACL_DENIED);
            return;
        }
        struct packet pkt_2 = packet_draft(packet, packet_next_head(burst->out));
        packet_set_eth_dst(&pkt_2, route[ROUTER_ROUTES_MAC]);
        packet_set_eth_src(&pkt_2, route[ROUTER_ROUTES_SOURCE]);
        packet_set_ipv4_ttl(&pkt_2, value);
        packet_set_ipv4_dst(&pkt_2, inside_0);
        /* acl.chain:26 */
        if (packet_has_l4(packet)) {
            packet_set_l4_dport(&pkt_2, dport_2);
        } else {
            packet_set_icmp_echo_id(&pkt_2, id);
        }
        packet_leave(&pkt_2, INTERFACE_LAN, burst->out);
        return;
    }
    uint32_t ipv4_src;
    /* napt.chain:45 */
    if (packet_has_icmp_echo(packet)) {
        /* napt.chain:46 */
        if (packet_icmp_type(packet) != 8) {
            drop(burst, COUNTER_NAT_NOT_TRANSLATED);
            return;
        }
        ipv4_src = packet_ipv4_src(packet);
    } else {
        id = packet_l4_sport(packet);
        ipv4_src = packet_ipv4_src(packet);
    }
    /* napt.chain:50 */
    const struct nat_bindings_key key = {
        .inside_0 = ipv4_src,
        .inside_1 = id,
        .inside_2 = ipv4_protocol,
    };
    struct nat_bindings_entry *binding_2 = nat_bindings_recall(state->nat_bindings,
                                                               &flow->nat_bindings[1], &key,
                                                               burst->now);
    if (binding_2 == NULL) {
        /* napt.chain:51 */
        struct nat_bindings_unique unique_2 = {.outside_1 = ipv4_protocol};
        binding_2 = nat_bindings_insert_choosing(state->nat_bindings, &key, &unique_2,
                                                 offsetof(struct nat_bindings_unique, outside_0),
                                                 sizeof unique_2.outside_0, 1024, 65535,
                                                 burst->now);
        if (binding_2 == NULL) {
            /* napt.chain:52 */
            drop(burst, COUNTER_NAT_NO_PORT);
            return;
        }
        /* napt.chain:51 */
        log_choice(state, CHOICE_NAT_BINDINGS, unique_2.outside_0);
    }
    struct packet pkt_3;
    uint16_t sport;
    /* napt.chain:55 */
    if (packet_has_tcp(packet)) {
        /* napt.chain:56 */
        nat_bindings_touch(state->nat_bindings, binding_2, NAT_BINDINGS_TCP, burst->now);
        sport = binding_2->unique.outside_0;
    } else {
        /* napt.chain:59 */
        if (!packet_has_udp(packet)) {
            /* napt.chain:64 */
            nat_bindings_touch(state->nat_bindings, binding_2, NAT_BINDINGS_ECHO, burst->now);
            pkt_3 = packet_draft(packet, packet_next_head(burst->out));
            packet_set_eth_dst(&pkt_3, route[ROUTER_ROUTES_MAC]);
            packet_set_eth_src(&pkt_3, route[ROUTER_ROUTES_SOURCE]);
            packet_set_ipv4_ttl(&pkt_3, value);
            packet_set_ipv4_src(&pkt_3, IPV4(203, 0, 113, 1));
            packet_set_ipv4_dst(&pkt_3, inside_0);
            packet_set_icmp_echo_id(&pkt_3, binding_2->unique.outside_0);
            goto after2_5;
        }
        /* napt.chain:60 */
        nat_bindings_touch(state->nat_bindings, binding_2, NAT_BINDINGS_UDP, burst->now);
        sport = binding_2->unique.outside_0;
    }
    pkt_3 = packet_draft(packet, packet_next_head(burst->out));
    packet_set_eth_dst(&pkt_3, route[ROUTER_ROUTES_MAC]);
    packet_set_eth_src(&pkt_3, route[ROUTER_ROUTES_SOURCE]);
    packet_set_ipv4_ttl(&pkt_3, value);
    packet_set_ipv4_src(&pkt_3, IPV4(203, 0, 113, 1));
    packet_set_ipv4_dst(&pkt_3, inside_0);
    packet_set_l4_sport(&pkt_3, sport);
    packet_set_l4_dport(&pkt_3, dport_2);
after2_5:;
    /* napt.chain:44 */
    packet_leave(&pkt_3, INTERFACE_WAN, burst->out);
}

/* A burst of admitted packets, in the order of their arrival. */
void from_wan(struct burst *burst, struct packet *packets, uint32_t count)
{
    struct flow *flows[BURST_FRAMES];
    for (uint32_t i = 0; i < count; i++)
        flows[i] = flow_of(burst->state, &packets[i]);
    for (uint32_t i = 0; i < count; i++) {
        flow_renew(flows[i], burst->tables->epoch);
        nat_bindings_fetch(burst->state->nat_bindings, flows[i]->nat_bindings[0]);
    }
    for (uint32_t i = 0; i < count; i++) {
        burst->flow = flows[i];
        nat_outside(burst, &packets[i]);
    }
}
