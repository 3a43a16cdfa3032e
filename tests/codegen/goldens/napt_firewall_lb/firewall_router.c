/* firewall_router.c: the NF `firewall_router` of the chain `napt_firewall_lb`, as written. */
#include "chain.h"
#include "fields.h"
#include "state.h"
#include "runtime/static_tables.h"

/* A packet that arrives at `firewall_router` on its side `inside`. */
void firewall_router_inside(struct burst *burst, struct packet *packet)
{
    const struct core_tables *const tables = burst->tables;
    if (++packet->visits[VISIT_FIREWALL_ROUTER_INSIDE] > 1) {
        drop(burst, COUNTER_FIREWALL_ROUTER_CHAIN_LOOP);
        return;
    }
    packet_parse(packet);

    /* router.chain:51 */
    if (!packet_has_ipv4(packet)) {
        /* router.chain:99 */
        drop(burst, COUNTER_FIREWALL_ROUTER_NOT_IPV4);
        return;
    }
    /* router.chain:52 */
    if (packet_eth_dst(packet) == MAC(0xff, 0xff, 0xff, 0xff, 0xff, 0xff)) {
        drop(burst, COUNTER_FIREWALL_ROUTER_LINK_BROADCAST);
        return;
    }
    /* router.chain:53 */
    if (packet_ipv4_ttl(packet) <= 1) {
        /* router.chain:71 */
        drop(burst, COUNTER_FIREWALL_ROUTER_TTL_EXPIRED);
        return;
    }
    /* router.chain:73 */
    const uint64_t *const route = routes_lookup(tables->firewall_router_routes,
                                                packet_ipv4_dst(packet));
    if (route == NULL) {
        /* router.chain:91 */
        drop(burst, COUNTER_FIREWALL_ROUTER_NO_ROUTE);
        return;
    }
    /* router.chain:93 */
    const uint8_t ipv4_ttl = packet_ipv4_ttl(packet);
    if (ipv4_ttl < 1) {
        drop(burst, COUNTER_FIREWALL_ROUTER_ARITHMETIC);
        return;
    }
    packet_set_ipv4_ttl(packet, (uint8_t)(ipv4_ttl - 1));
    /* router.chain:94 */
    packet_set_eth_src(packet, route[FIREWALL_ROUTER_ROUTES_SOURCE]);
    /* router.chain:95 */
    packet_set_eth_dst(packet, route[FIREWALL_ROUTER_ROUTES_MAC]);
    /* router.chain:51 */
    if ((uint8_t)route[FIREWALL_ROUTER_ROUTES_SIDE] == 0) {
        firewall_outside(burst, packet);
        return;
    }
    balancer_clients(burst, packet);
}

/* A packet that arrives at `firewall_router` on its side `outside`. */
void firewall_router_outside(struct burst *burst, struct packet *packet)
{
    const struct core_tables *const tables = burst->tables;
    if (++packet->visits[VISIT_FIREWALL_ROUTER_OUTSIDE] > 1) {
        drop(burst, COUNTER_FIREWALL_ROUTER_CHAIN_LOOP);
        return;
    }
    packet_parse(packet);

    /* router.chain:51 */
    if (!packet_has_ipv4(packet)) {
        /* router.chain:99 */
        drop(burst, COUNTER_FIREWALL_ROUTER_NOT_IPV4);
        return;
    }
    /* router.chain:52 */
    if (packet_eth_dst(packet) == MAC(0xff, 0xff, 0xff, 0xff, 0xff, 0xff)) {
        drop(burst, COUNTER_FIREWALL_ROUTER_LINK_BROADCAST);
        return;
    }
    /* router.chain:53 */
    if (packet_ipv4_ttl(packet) <= 1) {
        /* router.chain:71 */
        drop(burst, COUNTER_FIREWALL_ROUTER_TTL_EXPIRED);
        return;
    }
    /* router.chain:73 */
    const uint64_t *const route = routes_lookup(tables->firewall_router_routes,
                                                packet_ipv4_dst(packet));
    if (route == NULL) {
        /* router.chain:91 */
        drop(burst, COUNTER_FIREWALL_ROUTER_NO_ROUTE);
        return;
    }
    /* router.chain:93 */
    const uint8_t ipv4_ttl = packet_ipv4_ttl(packet);
    if (ipv4_ttl < 1) {
        drop(burst, COUNTER_FIREWALL_ROUTER_ARITHMETIC);
        return;
    }
    packet_set_ipv4_ttl(packet, (uint8_t)(ipv4_ttl - 1));
    /* router.chain:94 */
    packet_set_eth_src(packet, route[FIREWALL_ROUTER_ROUTES_SOURCE]);
    /* router.chain:95 */
    packet_set_eth_dst(packet, route[FIREWALL_ROUTER_ROUTES_MAC]);
    /* router.chain:51 */
    if ((uint8_t)route[FIREWALL_ROUTER_ROUTES_SIDE] == 0) {
        firewall_outside(burst, packet);
        return;
    }
    balancer_clients(burst, packet);
}
