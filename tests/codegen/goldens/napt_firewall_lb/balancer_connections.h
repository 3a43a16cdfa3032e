/* balancer_connections.h: the keyed table `balancer.connections` (load_balancer_round_robin.chain:36). */
#ifndef BALANCER_CONNECTIONS_H
#define BALANCER_CONNECTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct balancer_connections_key {
    uint32_t client_src;
    uint32_t client_dst;
    uint16_t client_sport;
    uint16_t client_dport;
    uint8_t client_protocol;
} __attribute__((packed));

struct balancer_connections_unique {
    uint32_t reply_src;
    uint32_t reply_dst;
    uint16_t reply_sport;
    uint16_t reply_dport;
    uint8_t reply_protocol;
} __attribute__((packed));

/* Timer classes. */
enum {
    BALANCER_CONNECTIONS_TCP,    /* 124 min */
    BALANCER_CONNECTIONS_UDP,    /* 5 min */
};

#define TABLE balancer_connections
#define TABLE_KEY struct balancer_connections_key
#define TABLE_UNIQUE struct balancer_connections_unique
#define TABLE_KEY_EQUAL(one, other) \
    ((one)->client_src == (other)->client_src && \
     (one)->client_dst == (other)->client_dst && \
     (one)->client_sport == (other)->client_sport && \
     (one)->client_dport == (other)->client_dport && \
     (one)->client_protocol == (other)->client_protocol)
#define TABLE_UNIQUE_EQUAL(one, other) \
    ((one)->reply_src == (other)->reply_src && \
     (one)->reply_dst == (other)->reply_dst && \
     (one)->reply_sport == (other)->reply_sport && \
     (one)->reply_dport == (other)->reply_dport && \
     (one)->reply_protocol == (other)->reply_protocol)
#define TABLE_TIMERS 2
#include "runtime/keyed_table.h"

#endif
