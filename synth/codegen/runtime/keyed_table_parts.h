/* keyed_table_parts.h: what all keyed tables share. Included by keyed_table.h. */
#ifndef KEYED_TABLE_PARTS_H
#define KEYED_TABLE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"

#define KEYED_PASTE_(table, name) table##_##name
#define KEYED_PASTE(table, name) KEYED_PASTE_(table, name)
/* KEYED(find) is `nat_bindings_find` while TABLE is nat_bindings. */
#define KEYED(name) KEYED_PASTE(TABLE, name)

enum {
    KEYED_FREE = 0,
    KEYED_LINE_BYTES = 64,
    KEYED_MOST_CAPACITY = 1 << 30,
    KEYED_PAGE_BITS = 8,        /* of keyed_table_choose.h: a page holds 2^8 values */
    KEYED_REFUSALS = 8          /* failed searches that are remembered */
};

/* Zeroed memory on a cache line's start; NULL when it is short. Free with free(). */
static inline void *keyed_allocate(size_t count, size_t size)
{
    if (count > (SIZE_MAX - KEYED_LINE_BYTES) / size)
        return NULL;
    size_t bytes = (count * size + KEYED_LINE_BYTES - 1) / KEYED_LINE_BYTES * KEYED_LINE_BYTES;
    void *memory = aligned_alloc(KEYED_LINE_BYTES, bytes);
    return memory == NULL ? NULL : memset(memory, 0, bytes);
}

/* Begin to fetch a line. Without the empty `asm` gcc takes a function that does nothing else for one
 * without effect, and leaves it out. */
static inline void keyed_fetch(const void *at)
{
    __builtin_prefetch(at);
    __asm__ volatile("" : : "r"(at));
}

/* ---- probing */

/* The slot where the probes for a hash begin. The product spreads keys that differ in few bits,
 * for which CRC alone leaves runs. */
static inline uint32_t keyed_home(uint32_t hash, uint32_t slots)
{
    return (uint32_t)(((uint64_t)(hash * 0x9E3779B1u) * slots) >> 32);
}

static inline uint32_t keyed_next(uint32_t slot, uint32_t slots)
{
    return slot + 1 == slots ? 0 : slot + 1;
}

/* A slot of a unique index: which entry has the key. */
struct keyed_index_slot {
    uint32_t entry;             /* its slot + 1, or KEYED_FREE */
    uint32_t hash;
    uint32_t passed;            /* as in entries */
};

/* ---- lists in the order of touches: rings of slots, closed by one extra slot for each list */

struct keyed_links {
    uint32_t previous;
    uint32_t next;
};

static inline void keyed_link_empty(struct keyed_links *links, uint32_t end)
{
    links[end] = (struct keyed_links){end, end};
}

static inline void keyed_link_last(struct keyed_links *links, uint32_t end, uint32_t slot)
{
    uint32_t last = links[end].previous;
    links[slot] = (struct keyed_links){last, end};
    links[last].next = slot;
    links[end].previous = slot;
}

static inline void keyed_unlink(struct keyed_links *links, uint32_t slot)
{
    struct keyed_links at = links[slot];
    links[at.previous].next = at.next;
    links[at.next].previous = at.previous;
}

#endif
