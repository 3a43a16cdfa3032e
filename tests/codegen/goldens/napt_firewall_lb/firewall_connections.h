/* firewall_connections.h: the keyed table `firewall.connections` (firewall.chain:32). */
#ifndef FIREWALL_CONNECTIONS_H
#define FIREWALL_CONNECTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct firewall_connections_key {
    uint32_t flow_src;
    uint32_t flow_dst;
    uint16_t flow_sport;
    uint16_t flow_dport;
    uint8_t flow_protocol;
} __attribute__((packed));

/* Timer classes. */
enum {
    FIREWALL_CONNECTIONS_TCP,    /* 124 min */
    FIREWALL_CONNECTIONS_UDP,    /* 5 min */
    FIREWALL_CONNECTIONS_ECHO,    /* 1 min */
};

#define TABLE firewall_connections
#define TABLE_KEY struct firewall_connections_key
#define TABLE_KEY_EQUAL(one, other) \
    ((one)->flow_src == (other)->flow_src && \
     (one)->flow_dst == (other)->flow_dst && \
     (one)->flow_sport == (other)->flow_sport && \
     (one)->flow_dport == (other)->flow_dport && \
     (one)->flow_protocol == (other)->flow_protocol)
#define TABLE_TIMERS 3
#include "runtime/keyed_table.h"

#endif
