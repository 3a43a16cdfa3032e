/* nat_bindings.h: the keyed table `nat.bindings` (napt.chain:35). */
#ifndef NAT_BINDINGS_H
#define NAT_BINDINGS_H

#include <stdbool.h>
#include <stdint.h>

struct nat_bindings_key {
    uint32_t inside_0;
    uint16_t inside_1;
    uint8_t inside_2;
} __attribute__((packed));

struct nat_bindings_unique {
    uint16_t outside_0;
    uint8_t outside_1;
} __attribute__((packed));

/* Timer classes. */
enum {
    NAT_BINDINGS_TCP,    /* 124 min */
    NAT_BINDINGS_UDP,    /* 5 min */
    NAT_BINDINGS_ECHO,    /* 1 min */
};

#define TABLE nat_bindings
#define TABLE_KEY struct nat_bindings_key
#define TABLE_UNIQUE struct nat_bindings_unique
#define TABLE_KEY_EQUAL(one, other) \
    ((one)->inside_0 == (other)->inside_0 && \
     (one)->inside_1 == (other)->inside_1 && \
     (one)->inside_2 == (other)->inside_2)
#define TABLE_UNIQUE_EQUAL(one, other) \
    ((one)->outside_0 == (other)->outside_0 && \
     (one)->outside_1 == (other)->outside_1)
#define TABLE_TIMERS 3
#include "runtime/keyed_table.h"

#endif
