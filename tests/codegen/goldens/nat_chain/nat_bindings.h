/* nat_bindings.h: the keyed table `nat.bindings`. */
#ifndef NAT_BINDINGS_H
#define NAT_BINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/token_bucket.h"

struct nat_bindings_key {
    uint32_t address;
    uint16_t port;
    uint8_t protocol;
} __attribute__((packed));

struct nat_bindings_unique {
    uint16_t outside;
    uint8_t outside_protocol;
} __attribute__((packed));

struct nat_bindings_values {
    uint8_t packets;
    bool marked;
    struct token_bucket allowance;
};

/* Timer classes. */
enum {
    NAT_BINDINGS_IDLE,    /* 1 min */
    NAT_BINDINGS_CLOSING,    /* 5 s */
};

#define TABLE nat_bindings
#define TABLE_KEY struct nat_bindings_key
#define TABLE_UNIQUE struct nat_bindings_unique
#define TABLE_VALUES struct nat_bindings_values
#define TABLE_KEY_EQUAL(one, other) \
    ((one)->address == (other)->address && \
     (one)->port == (other)->port && \
     (one)->protocol == (other)->protocol)
#define TABLE_UNIQUE_EQUAL(one, other) \
    ((one)->outside == (other)->outside && \
     (one)->outside_protocol == (other)->outside_protocol)
#define TABLE_TIMERS 2
#include "runtime/keyed_table.h"

#endif
