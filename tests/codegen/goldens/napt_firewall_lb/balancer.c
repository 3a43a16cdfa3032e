/* balancer.c: the NF `balancer` of the chain `napt_firewall_lb`, as written. */
#include "chain.h"
#include "balancer_connections.h"
#include "fields.h"
#include "state.h"
#include "runtime/static_tables.h"

/* A packet that arrives at `balancer` on its side `clients`. */
void balancer_clients(struct burst *burst, struct packet *packet)
{
    struct core_state *const state = burst->state;
    const struct core_tables *const tables = burst->tables;
    if (++packet->visits[VISIT_BALANCER_CLIENTS] > 1) {
        drop(burst, COUNTER_BALANCER_CHAIN_LOOP);
        return;
    }
    packet_parse(packet);

    /* load_balancer_round_robin.chain:45 */
    if (!(packet_has_ipv4(packet) && (packet_has_tcp(packet) || packet_has_udp(packet))
          && !packet_has_fragment(packet))) {
        /* load_balancer_round_robin.chain:80 */
        if (packet_has_ipv4(packet) && packet_has_fragment(packet)) {
            drop(burst, COUNTER_BALANCER_FRAGMENT);
            return;
        }
        /* load_balancer_round_robin.chain:81 */
        drop(burst, COUNTER_BALANCER_NOT_BALANCED);
        return;
    }
    /* load_balancer_round_robin.chain:46 */
    if (packet_ipv4_dst(packet) != IPV4(200, 0, 0, 2)) {
        drop(burst, COUNTER_BALANCER_NOT_SERVICE);
        return;
    }
    /* load_balancer_round_robin.chain:47 */
    const uint32_t ipv4_src = packet_ipv4_src(packet);
    const uint16_t l4_sport = packet_l4_sport(packet);
    const uint16_t l4_dport = packet_l4_dport(packet);
    const uint8_t ipv4_protocol = packet_ipv4_protocol(packet);
    /* load_balancer_round_robin.chain:48 */
    const struct balancer_connections_key key = {
        .client_src = ipv4_src,
        .client_dst = packet_ipv4_dst(packet),
        .client_sport = l4_sport,
        .client_dport = l4_dport,
        .client_protocol = ipv4_protocol,
    };
    struct balancer_connections_entry *connection =
        balancer_connections_find(state->balancer_connections, &key, burst->now);
    if (connection == NULL) {
        /* load_balancer_round_robin.chain:49 */
        const uint32_t turn = state->balancer_turn[0].value;
        /* load_balancer_round_robin.chain:50 */
        const uint64_t *const row = list_row(tables->balancer_backends, turn);
        if (row == NULL) {
            drop(burst, COUNTER_BALANCER_NO_BACKEND);
            return;
        }
        /* load_balancer_round_robin.chain:58 */
        const struct balancer_connections_unique unique = {
            .reply_src = (uint32_t)row[BALANCER_BACKENDS_ADDRESS],
            .reply_dst = ipv4_src,
            .reply_sport = l4_dport,
            .reply_dport = l4_sport,
            .reply_protocol = ipv4_protocol,
        };
        connection = balancer_connections_insert(state->balancer_connections, &key, &unique,
                                                 burst->now);
        if (connection == NULL) {
            drop(burst, COUNTER_BALANCER_TABLE_FULL);
            return;
        }
        /* load_balancer_round_robin.chain:59 */
        if (turn > 4294967294u) {
            drop(burst, COUNTER_BALANCER_ARITHMETIC);
            return;
        }
        state->balancer_turn[0].value = (turn + 1) % 2;
    }
    /* load_balancer_round_robin.chain:63 */
    if (packet_has_tcp(packet)) {
        balancer_connections_touch(state->balancer_connections, connection,
                                   BALANCER_CONNECTIONS_TCP, burst->now);
    } else {
        /* load_balancer_round_robin.chain:64 */
        balancer_connections_touch(state->balancer_connections, connection,
                                   BALANCER_CONNECTIONS_UDP, burst->now);
    }
    /* load_balancer_round_robin.chain:66 */
    packet_set_ipv4_dst(packet, connection->unique.reply_src);
    /* load_balancer_round_robin.chain:45 */
    balancer_router_inside(burst, packet);
}

/* A packet that arrives at `balancer` on its side `servers`. */
void balancer_servers(struct burst *burst, struct packet *packet)
{
    struct core_state *const state = burst->state;
    if (++packet->visits[VISIT_BALANCER_SERVERS] > 1) {
        drop(burst, COUNTER_BALANCER_CHAIN_LOOP);
        return;
    }
    packet_parse(packet);

    /* load_balancer_round_robin.chain:70 */
    if (!(packet_has_ipv4(packet) && (packet_has_tcp(packet) || packet_has_udp(packet))
          && !packet_has_fragment(packet))) {
        /* load_balancer_round_robin.chain:80 */
        if (packet_has_ipv4(packet) && packet_has_fragment(packet)) {
            drop(burst, COUNTER_BALANCER_FRAGMENT);
            return;
        }
        /* load_balancer_round_robin.chain:81 */
        drop(burst, COUNTER_BALANCER_NOT_BALANCED);
        return;
    }
    /* load_balancer_round_robin.chain:71 */
    const struct balancer_connections_unique unique = {
        .reply_src = packet_ipv4_src(packet),
        .reply_dst = packet_ipv4_dst(packet),
        .reply_sport = packet_l4_sport(packet),
        .reply_dport = packet_l4_dport(packet),
        .reply_protocol = packet_ipv4_protocol(packet),
    };
    struct balancer_connections_entry *const connection =
        balancer_connections_find_unique(state->balancer_connections, &unique, burst->now);
    if (connection == NULL) {
        drop(burst, COUNTER_BALANCER_NO_CONNECTION);
        return;
    }
    /* load_balancer_round_robin.chain:73 */
    if (packet_has_tcp(packet)) {
        balancer_connections_touch(state->balancer_connections, connection,
                                   BALANCER_CONNECTIONS_TCP, burst->now);
    } else {
        /* load_balancer_round_robin.chain:74 */
        balancer_connections_touch(state->balancer_connections, connection,
                                   BALANCER_CONNECTIONS_UDP, burst->now);
    }
    /* load_balancer_round_robin.chain:76 */
    packet_set_ipv4_src(packet, connection->key.client_dst);
    /* load_balancer_round_robin.chain:70 */
    firewall_router_outside(burst, packet);
}
