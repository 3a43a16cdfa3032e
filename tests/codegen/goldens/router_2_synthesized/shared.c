/* shared.c: what several interfaces of the chain `router_2` lead to, synthesized. */
#include "chain.h"
#include "fields.h"
#include "flow.h"
#include "state.h"
#include "runtime/static_tables.h"

/* A packet that arrives at `router_1` on its side `east`. */
void router_1_east(struct burst *burst, struct packet *packet, uint64_t dst, uint8_t ttl)
{
    const struct core_tables *const tables = burst->tables;
    struct flow *const flow = burst->flow;
    if (++packet->visits[VISIT_ROUTER_1_EAST] > 1) {
        drop(burst, COUNTER_ROUTER_1_CHAIN_LOOP);
        return;
    }

    /* router.chain:52 */
    if (dst == 0xffffffffffffull) {
        drop(burst, COUNTER_ROUTER_1_LINK_BROADCAST);
        return;
    }
    /* router.chain:53 */
    if (ttl <= 1) {
        /* router.chain:71 */
        drop(burst, COUNTER_ROUTER_1_TTL_EXPIRED);
        return;
    }
    /* router.chain:73 */
    const uint64_t *const route = routes_recall(tables->router_1_routes, &flow->router_1_routes[0],
                                                packet_ipv4_dst(packet));
    if (route == NULL) {
        /* router.chain:91 */
        drop(burst, COUNTER_ROUTER_1_NO_ROUTE);
        return;
    }
    /* router.chain:93 */
    const uint8_t value = (uint8_t)(ttl - 1);
    /* router.chain:51 */
    if ((uint8_t)route[ROUTER_1_ROUTES_SIDE] == 0) {
        /* router.chain:95 */
        struct packet pkt = packet_draft(packet, packet_next_head(burst->out));
        packet_set_eth_dst(&pkt, route[ROUTER_1_ROUTES_MAC]);
        /* router.chain:94 */
        packet_set_eth_src(&pkt, route[ROUTER_1_ROUTES_SOURCE]);
        /* router.chain:93 */
        packet_set_ipv4_ttl(&pkt, value);
        /* router.chain:51 */
        packet_leave(&pkt, INTERFACE_LAN, burst->out);
        return;
    }
    router_2_west(burst, packet, route[ROUTER_1_ROUTES_MAC], value);
}

/* A packet that arrives at `router_2` on its side `west`. */
void router_2_west(struct burst *burst, struct packet *packet, uint64_t dst, uint8_t ttl)
{
    const struct core_tables *const tables = burst->tables;
    struct flow *const flow = burst->flow;
    if (++packet->visits[VISIT_ROUTER_2_WEST] > 1) {
        drop(burst, COUNTER_ROUTER_2_CHAIN_LOOP);
        return;
    }

    /* router.chain:52 */
    if (dst == 0xffffffffffffull) {
        drop(burst, COUNTER_ROUTER_2_LINK_BROADCAST);
        return;
    }
    /* router.chain:53 */
    if (ttl <= 1) {
        /* router.chain:71 */
        drop(burst, COUNTER_ROUTER_2_TTL_EXPIRED);
        return;
    }
    /* router.chain:73 */
    const uint64_t *const route = routes_recall(tables->router_2_routes, &flow->router_2_routes[0],
                                                packet_ipv4_dst(packet));
    if (route == NULL) {
        /* router.chain:91 */
        drop(burst, COUNTER_ROUTER_2_NO_ROUTE);
        return;
    }
    /* router.chain:93 */
    const uint8_t value = (uint8_t)(ttl - 1);
    /* router.chain:51 */
    if ((uint8_t)route[ROUTER_2_ROUTES_SIDE] == 0) {
        router_1_east(burst, packet, route[ROUTER_2_ROUTES_MAC], value);
        return;
    }
    /* router.chain:95 */
    struct packet pkt = packet_draft(packet, packet_next_head(burst->out));
    packet_set_eth_dst(&pkt, route[ROUTER_2_ROUTES_MAC]);
    /* router.chain:94 */
    packet_set_eth_src(&pkt, route[ROUTER_2_ROUTES_SOURCE]);
    /* router.chain:93 */
    packet_set_ipv4_ttl(&pkt, value);
    /* router.chain:51 */
    packet_leave(&pkt, INTERFACE_WAN, burst->out);
}
