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
#define TABLE_TIMERS 2
#include "runtime/keyed_table.h"

#endif
