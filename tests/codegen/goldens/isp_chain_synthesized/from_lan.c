/* from_lan.c: what arrives on `lan` of the chain `isp_chain`, synthesized. */
#include "chain.h"
#include "fields.h"
#include "flow.h"
#include "nat_bindings.h"
#include "state.h"
#include "runtime/static_tables.h"

static void acl_inside(struct burst *burst, struct packet *packet, const struct verdict *acl_rules);

/* A packet that arrives at `acl` on its side `inside`. */
static void acl_inside(struct burst *burst, struct packet *packet, const struct verdict *acl_rules)
{
    struct core_state *const state = burst->state;
    const struct core_tables *const tables = burst->tables;
    struct flow *const flow = burst->flow;

    /* acl.chain:20 */
    if (!packet_has_ipv4(packet)) {
        /* acl.chain:32 */
        drop(burst, COUNTER_ACL_NOT_IPV4);
        return;
    }
    /* acl.chain:21 */
    const bool permits = acl_rules->permits;
    /* acl.chain:22 */
    if (!permits) {
        drop(burst, COUNTER_ACL_DENIED);
        return;
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
                                                packet_ipv4_dst(packet));
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
        packet_set_eth_dst(&pkt, route[ROUTER_ROUTES_MAC]);
        packet_set_eth_src(&pkt, route[ROUTER_ROUTES_SOURCE]);
        packet_set_ipv4_ttl(&pkt, value);
        /* acl.chain:26 */
        packet_leave(&pkt, INTERFACE_LAN, burst->out);
        return;
    }
    /* napt.chain:44 */
    if (!((packet_has_tcp(packet) || packet_has_udp(packet) || packet_has_icmp_echo(packet))
          && !packet_has_fragment(packet))) {
        /* napt.chain:96 */
        if (packet_has_fragment(packet)) {
            drop(burst, COUNTER_NAT_FRAGMENT);
            return;
        }
        /* napt.chain:46 */
        drop(burst, COUNTER_NAT_NOT_TRANSLATED);
        return;
    }
    uint16_t sport;
    uint32_t ipv4_src;
    /* napt.chain:45 */
    if (packet_has_icmp_echo(packet)) {
        /* napt.chain:46 */
        if (packet_icmp_type(packet) != 8) {
            drop(burst, COUNTER_NAT_NOT_TRANSLATED);
            return;
        }
        sport = packet_icmp_echo_id(packet);
        ipv4_src = packet_ipv4_src(packet);
    } else {
        sport = packet_l4_sport(packet);
        ipv4_src = packet_ipv4_src(packet);
    }
    /* napt.chain:48 */
    const uint8_t ipv4_protocol = packet_ipv4_protocol(packet);
    /* napt.chain:50 */
    const struct nat_bindings_key key = {
        .inside_0 = ipv4_src,
        .inside_1 = sport,
        .inside_2 = ipv4_protocol,
    };
    struct nat_bindings_entry *binding = nat_bindings_recall(state->nat_bindings,
                                                             &flow->nat_bindings[0], &key,
                                                             burst->now);
    if (binding == NULL) {
        /* napt.chain:51 */
        struct nat_bindings_unique unique = {.outside_1 = ipv4_protocol};
        binding = nat_bindings_insert_choosing(state->nat_bindings, &key, &unique,
                                               offsetof(struct nat_bindings_unique, outside_0),
                                               sizeof unique.outside_0, 1024, 65535, burst->now);
        if (binding == NULL) {
            /* napt.chain:52 */
            drop(burst, COUNTER_NAT_NO_PORT);
            return;
        }
        /* napt.chain:51 */
        log_choice(state, CHOICE_NAT_BINDINGS, unique.outside_0);
    }
    struct packet pkt_2;
    uint16_t sport_2;
    /* napt.chain:55 */
    if (packet_has_tcp(packet)) {
        /* napt.chain:56 */
        nat_bindings_touch(state->nat_bindings, binding, NAT_BINDINGS_TCP, burst->now);
        sport_2 = binding->unique.outside_0;
    } else {
        /* napt.chain:59 */
        if (!packet_has_udp(packet)) {
            /* napt.chain:64 */
            nat_bindings_touch(state->nat_bindings, binding, NAT_BINDINGS_ECHO, burst->now);
            pkt_2 = packet_draft(packet, packet_next_head(burst->out));
            packet_set_eth_dst(&pkt_2, route[ROUTER_ROUTES_MAC]);
            packet_set_eth_src(&pkt_2, route[ROUTER_ROUTES_SOURCE]);
            packet_set_ipv4_ttl(&pkt_2, value);
            packet_set_ipv4_src(&pkt_2, IPV4(203, 0, 113, 1));
            packet_set_icmp_echo_id(&pkt_2, binding->unique.outside_0);
            goto after2_5;
        }
        /* napt.chain:60 */
        nat_bindings_touch(state->nat_bindings, binding, NAT_BINDINGS_UDP, burst->now);
        sport_2 = binding->unique.outside_0;
    }
    pkt_2 = packet_draft(packet, packet_next_head(burst->out));
    packet_set_eth_dst(&pkt_2, route[ROUTER_ROUTES_MAC]);
    packet_set_eth_src(&pkt_2, route[ROUTER_ROUTES_SOURCE]);
    packet_set_ipv4_ttl(&pkt_2, value);
    packet_set_ipv4_src(&pkt_2, IPV4(203, 0, 113, 1));
    packet_set_l4_sport(&pkt_2, sport_2);
after2_5:;
    /* napt.chain:44 */
    packet_leave(&pkt_2, INTERFACE_WAN, burst->out);
}

/* A burst of admitted packets, in the order of their arrival. */
void from_lan(struct burst *burst, struct packet *packets, uint32_t count)
{
    struct flow *flows[BURST_FRAMES];
    struct rules_memo *acl_rules_memos[BURST_FRAMES];
    struct verdict acl_rules[BURST_FRAMES];
    for (uint32_t i = 0; i < count; i++)
        flows[i] = flow_of(burst->state, &packets[i]);
    for (uint32_t i = 0; i < count; i++) {
        flow_renew(flows[i], burst->tables->epoch);
        nat_bindings_fetch(burst->state->nat_bindings, flows[i]->nat_bindings[0]);
        acl_rules_memos[i] = &flows[i]->acl_rules[0];
    }
    rules_recall_burst(burst->tables->acl_rules, acl_rules_memos, packets, count, acl_rules);
    for (uint32_t i = 0; i < count; i++) {
        burst->flow = flows[i];
        acl_inside(burst, &packets[i], &acl_rules[i]);
    }
}
