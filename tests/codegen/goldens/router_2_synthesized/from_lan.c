/* from_lan.c: what arrives on `lan` of the chain `router_2`, synthesized. */
#include "chain.h"
#include "fields.h"
#include "flow.h"
#include "state.h"
#include "runtime/static_tables.h"

static void router_1_west(struct burst *burst, struct packet *packet);

/* A packet that arrives at `router_1` on its side `west`. */
static void router_1_west(struct burst *burst, struct packet *packet)
{
    const struct core_tables *const tables = burst->tables;
    struct flow *const flow = burst->flow;

    /* router.chain:51 */
    if (!packet_has_ipv4(packet)) {
        /* router.chain:99 */
        drop(burst, COUNTER_ROUTER_1_NOT_IPV4);
        return;
    }
    /* router.chain:52 */
    if (packet_eth_dst(packet) == MAC(0xff, 0xff, 0xff, 0xff, 0xff, 0xff)) {
        drop(burst, COUNTER_ROUTER_1_LINK_BROADCAST);
        return;
    }
    /* router.chain:53 */
    const uint8_t ipv4_ttl = packet_ipv4_ttl(packet);
    if (ipv4_ttl <= 1) {
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
    const uint8_t value = (uint8_t)(ipv4_ttl - 1);
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

/* A burst of admitted packets, in the order of their arrival. */
void from_lan(struct burst *burst, struct packet *packets, uint32_t count)
{
    struct flow *flows[BURST_FRAMES];
    for (uint32_t i = 0; i < count; i++)
        flows[i] = flow_of(burst->state, &packets[i]);
    for (uint32_t i = 0; i < count; i++) {
        flow_renew(flows[i], burst->tables->epoch);
    }
    for (uint32_t i = 0; i < count; i++) {
        burst->flow = flows[i];
        router_1_west(burst, &packets[i]);
    }
}
