/* router_2.c: the NF `router_2` of the chain `router_2`, as written. */
#include "chain.h"
#include "fields.h"
#include "state.h"
#include "runtime/static_tables.h"

/* A packet that arrives at `router_2` on its side `west`. */
void router_2_west(struct burst *burst, struct packet *packet)
{
    const struct core_tables *const tables = burst->tables;
    if (++packet->visits[VISIT_ROUTER_2_WEST] > 1) {
        drop(burst, COUNTER_ROUTER_2_CHAIN_LOOP);
        return;
    }
    packet_parse(packet);

    /* router.chain:51 */
    if (!packet_has_ipv4(packet)) {
        /* router.chain:99 */
        drop(burst, COUNTER_ROUTER_2_NOT_IPV4);
        return;
    }
    /* router.chain:52 */
    if (packet_eth_dst(packet) == MAC(0xff, 0xff, 0xff, 0xff, 0xff, 0xff)) {
        drop(burst, COUNTER_ROUTER_2_LINK_BROADCAST);
        return;
    }
    /* router.chain:53 */
    if (packet_ipv4_ttl(packet) <= 1) {
        /* router.chain:71 */
        drop(burst, COUNTER_ROUTER_2_TTL_EXPIRED);
        return;
    }
    /* router.chain:73 */
    const uint64_t *const route = routes_lookup(tables->router_2_routes, packet_ipv4_dst(packet));
    if (route == NULL) {
        /* router.chain:91 */
        drop(burst, COUNTER_ROUTER_2_NO_ROUTE);
        return;
    }
    /* router.chain:93 */
    const uint8_t ipv4_ttl = packet_ipv4_ttl(packet);
    if (ipv4_ttl < 1) {
        drop(burst, COUNTER_ROUTER_2_ARITHMETIC);
        return;
    }
    packet_set_ipv4_ttl(packet, (uint8_t)(ipv4_ttl - 1));
    /* router.chain:94 */
    packet_set_eth_src(packet, route[ROUTER_2_ROUTES_SOURCE]);
    /* router.chain:95 */
    packet_set_eth_dst(packet, route[ROUTER_2_ROUTES_MAC]);
    /* router.chain:51 */
    if ((uint8_t)route[ROUTER_2_ROUTES_SIDE] == 0) {
        router_1_east(burst, packet);
        return;
    }
    packet_emit(packet, INTERFACE_WAN, burst->out);
}

/* A packet that arrives at `router_2` on its side `east`. */
void router_2_east(struct burst *burst, struct packet *packet)
{
    const struct core_tables *const tables = burst->tables;
    packet_parse(packet);

    /* router.chain:51 */
    if (!packet_has_ipv4(packet)) {
        /* router.chain:99 */
        drop(burst, COUNTER_ROUTER_2_NOT_IPV4);
        return;
    }
    /* router.chain:52 */
    if (packet_eth_dst(packet) == MAC(0xff, 0xff, 0xff, 0xff, 0xff, 0xff)) {
        drop(burst, COUNTER_ROUTER_2_LINK_BROADCAST);
        return;
    }
    /* router.chain:53 */
    if (packet_ipv4_ttl(packet) <= 1) {
        /* router.chain:71 */
        drop(burst, COUNTER_ROUTER_2_TTL_EXPIRED);
        return;
    }
    /* router.chain:73 */
    const uint64_t *const route = routes_lookup(tables->router_2_routes, packet_ipv4_dst(packet));
    if (route == NULL) {
        /* router.chain:91 */
        drop(burst, COUNTER_ROUTER_2_NO_ROUTE);
        return;
    }
    /* router.chain:93 */
    const uint8_t ipv4_ttl = packet_ipv4_ttl(packet);
    if (ipv4_ttl < 1) {
        drop(burst, COUNTER_ROUTER_2_ARITHMETIC);
        return;
    }
    packet_set_ipv4_ttl(packet, (uint8_t)(ipv4_ttl - 1));
    /* router.chain:94 */
    packet_set_eth_src(packet, route[ROUTER_2_ROUTES_SOURCE]);
    /* router.chain:95 */
    packet_set_eth_dst(packet, route[ROUTER_2_ROUTES_MAC]);
    /* router.chain:51 */
    if ((uint8_t)route[ROUTER_2_ROUTES_SIDE] == 0) {
        router_1_east(burst, packet);
        return;
    }
    packet_emit(packet, INTERFACE_WAN, burst->out);
}
