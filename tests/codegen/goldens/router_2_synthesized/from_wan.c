/* from_wan.c: what arrives on `wan` of the chain `router_2`, synthesized. */
#include "chain.h"
#include "fields.h"
#include "flow.h"
#include "state.h"
#include "runtime/static_tables.h"

static void router_2_east(struct burst *burst, struct packet *packet);

/* A packet that arrives at `router_2` on its side `east`. */
static void router_2_east(struct burst *burst, struct packet *packet)
{
    const struct core_tables *const tables = burst->tables;
    struct flow *const flow = burst->flow;

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
    const uint8_t ipv4_ttl = packet_ipv4_ttl(packet);
    if (ipv4_ttl <= 1) {
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
    const uint8_t value = (uint8_t)(ipv4_ttl - 1);
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

/* A burst of admitted packets, in the order of their arrival. */
void from_wan(struct burst *burst, struct packet *packets, uint32_t count)
{
    struct flow *flows[BURST_FRAMES];
    for (uint32_t i = 0; i < count; i++)
        flows[i] = flow_of(burst->state, &packets[i]);
    for (uint32_t i = 0; i < count; i++) {
        flow_renew(flows[i], burst->tables->epoch);
    }
    for (uint32_t i = 0; i < count; i++) {
        burst->flow = flows[i];
        router_2_east(burst, &packets[i]);
    }
}
