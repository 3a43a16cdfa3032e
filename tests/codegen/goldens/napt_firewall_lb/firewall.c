/* firewall.c: the NF `firewall` of the chain `napt_firewall_lb`, as written. */
#include "chain.h"
#include "fields.h"
#include "firewall_connections.h"
#include "state.h"
#include "runtime/static_tables.h"

/* A packet that arrives at `firewall` on its side `inside`. */
void firewall_inside(struct burst *burst, struct packet *packet)
{
    struct core_state *const state = burst->state;
    const struct core_tables *const tables = burst->tables;
    if (++packet->visits[VISIT_FIREWALL_INSIDE] > 1) {
        drop(burst, COUNTER_FIREWALL_CHAIN_LOOP);
        return;
    }
    packet_parse(packet);

    /* firewall.chain:40 */
    if (!(packet_has_ipv4(packet)
          && (packet_has_tcp(packet) || packet_has_udp(packet) || packet_has_icmp_echo(packet))
          && !packet_has_fragment(packet))) {
        /* firewall.chain:79 */
        if (packet_has_ipv4(packet) && packet_has_fragment(packet)) {
            drop(burst, COUNTER_FIREWALL_FRAGMENT);
            return;
        }
        /* firewall.chain:80 */
        drop(burst, COUNTER_FIREWALL_NOT_TRACKED);
        return;
    }
    uint16_t sport;
    uint16_t dport;
    /* firewall.chain:41 */
    if (packet_has_l4(packet)) {
        sport = packet_l4_sport(packet);
        dport = packet_l4_dport(packet);
    } else {
        const uint16_t icmp_echo_id = packet_icmp_echo_id(packet);
        sport = icmp_echo_id;
        dport = icmp_echo_id;
    }
    /* firewall.chain:42 */
    const struct firewall_connections_key key = {
        .flow_src = packet_ipv4_src(packet),
        .flow_dst = packet_ipv4_dst(packet),
        .flow_sport = sport,
        .flow_dport = dport,
        .flow_protocol = packet_ipv4_protocol(packet),
    };
    struct firewall_connections_entry *connection =
        firewall_connections_find(state->firewall_connections, &key, burst->now);
    if (connection == NULL) {
        /* firewall.chain:44 */
        if (packet_has_tcp(packet)) {
            /* firewall.chain:45 */
            if (!packet_tcp_syn(packet) || packet_tcp_ack(packet) || packet_tcp_fin(packet)
                || packet_tcp_rst(packet)) {
                drop(burst, COUNTER_FIREWALL_NO_STATE);
                return;
            }
        } else if (packet_has_icmp_echo(packet)) {
            /* firewall.chain:48 */
            if (packet_icmp_type(packet) != 8) {
                drop(burst, COUNTER_FIREWALL_NO_STATE);
                return;
            }
        }
        /* firewall.chain:52 */
        bool permits = false;
        uint32_t rule = 0;
        const bool matched = rules_decide(tables->firewall_allow, packet, &permits, &rule);
        const bool permits_2 = matched && permits;
        /* firewall.chain:53 */
        if (!permits_2) {
            drop(burst, COUNTER_FIREWALL_DENIED);
            return;
        }
        /* firewall.chain:54 */
        connection = firewall_connections_insert(state->firewall_connections, &key, burst->now);
        if (connection == NULL) {
            drop(burst, COUNTER_FIREWALL_TABLE_FULL);
            return;
        }
    }
    /* firewall.chain:58 */
    if (packet_has_tcp(packet)) {
        firewall_connections_touch(state->firewall_connections, connection,
                                   FIREWALL_CONNECTIONS_TCP, burst->now);
    } else if (packet_has_udp(packet)) {
        /* firewall.chain:59 */
        firewall_connections_touch(state->firewall_connections, connection,
                                   FIREWALL_CONNECTIONS_UDP, burst->now);
    } else {
        /* firewall.chain:60 */
        firewall_connections_touch(state->firewall_connections, connection,
                                   FIREWALL_CONNECTIONS_ECHO, burst->now);
    }
    /* firewall.chain:40 */
    firewall_router_inside(burst, packet);
}

/* A packet that arrives at `firewall` on its side `outside`. */
void firewall_outside(struct burst *burst, struct packet *packet)
{
    struct core_state *const state = burst->state;
    if (++packet->visits[VISIT_FIREWALL_OUTSIDE] > 1) {
        drop(burst, COUNTER_FIREWALL_CHAIN_LOOP);
        return;
    }
    packet_parse(packet);

    /* firewall.chain:65 */
    if (!(packet_has_ipv4(packet)
          && (packet_has_tcp(packet) || packet_has_udp(packet) || packet_has_icmp_echo(packet))
          && !packet_has_fragment(packet))) {
        /* firewall.chain:79 */
        if (packet_has_ipv4(packet) && packet_has_fragment(packet)) {
            drop(burst, COUNTER_FIREWALL_FRAGMENT);
            return;
        }
        /* firewall.chain:80 */
        drop(burst, COUNTER_FIREWALL_NOT_TRACKED);
        return;
    }
    uint16_t sport;
    uint16_t dport;
    /* firewall.chain:66 */
    if (packet_has_l4(packet)) {
        sport = packet_l4_sport(packet);
        dport = packet_l4_dport(packet);
    } else {
        const uint16_t icmp_echo_id = packet_icmp_echo_id(packet);
        sport = icmp_echo_id;
        dport = icmp_echo_id;
    }
    const struct firewall_connections_key key = {
        .flow_src = packet_ipv4_dst(packet),
        .flow_dst = packet_ipv4_src(packet),
        .flow_sport = dport,
        .flow_dport = sport,
        .flow_protocol = packet_ipv4_protocol(packet),
    };
    struct firewall_connections_entry *const connection =
        firewall_connections_find(state->firewall_connections, &key, burst->now);
    if (connection == NULL) {
        drop(burst, COUNTER_FIREWALL_NO_STATE);
        return;
    }
    /* firewall.chain:68 */
    if (packet_has_tcp(packet)) {
        firewall_connections_touch(state->firewall_connections, connection,
                                   FIREWALL_CONNECTIONS_TCP, burst->now);
    } else if (packet_has_udp(packet)) {
        /* firewall.chain:69 */
        firewall_connections_touch(state->firewall_connections, connection,
                                   FIREWALL_CONNECTIONS_UDP, burst->now);
    } else {
        /* firewall.chain:72 */
        if (packet_icmp_type(packet) != 0) {
            drop(burst, COUNTER_FIREWALL_NO_STATE);
            return;
        }
        /* firewall.chain:73 */
        firewall_connections_touch(state->firewall_connections, connection,
                                   FIREWALL_CONNECTIONS_ECHO, burst->now);
    }
    /* firewall.chain:65 */
    nat_router_outside(burst, packet);
}
