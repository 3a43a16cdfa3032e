/* keyed_table_parts.h: what all keyed tables share. Included by keyed_table.h. */
#ifndef KEYED_TABLE_PARTS_H
#define KEYED_TABLE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define KEYED_PASTE_(table, name) table##_##name
#define KEYED_PASTE(table, name) KEYED_PASTE_(table, name)
/* KEYED(find) is `nat_bindings_find` while TABLE is nat_bindings. */
#define KEYED(name) KEYED_PASTE(TABLE, name)

enum {
    KEYED_FREE = 0,
    KEYED_LINE_BYTES = 64,
    KEYED_MOST_CAPACITY = 1 << 30,
    KEYED_PAGE_BITS = 8,        /* of keyed_table_choose.h: a page holds 2^8 values */
    KEYED_PAGE_WORDS = 4,
    KEYED_REFUSALS = 8          /* failed searches that are remembered */
};

/* Zeroed memory on a line's start of which the system gives what is used: large memory of `calloc` is not
 * written to beforehand, as it would be to align it. NULL when it is short. Free with keyed_release. */
static inline void *keyed_reserve(size_t count, size_t size)
{
    if (count > (SIZE_MAX - 2 * KEYED_LINE_BYTES) / size)
        return NULL;
    uint8_t *memory = calloc(1, count * size + 2 * KEYED_LINE_BYTES);
    if (memory == NULL)
        return NULL;
    size_t beyond = (uintptr_t)memory % KEYED_LINE_BYTES;
    uint8_t *start = memory + 2 * KEYED_LINE_BYTES - beyond;
    memcpy(start - sizeof memory, &memory, sizeof memory);
    return start;
}

static inline void keyed_release(void *start)
{
    uint8_t *memory;
    if (start == NULL)
        return;
    memcpy(&memory, (uint8_t *)start - sizeof memory, sizeof memory);
    free(memory);
}

/* Begin to fetch a line. Without the empty `asm` gcc takes a function that does nothing else for one
 * without effect, and leaves it out. */
static inline void keyed_fetch(const void *at)
{
    __builtin_prefetch(at);
    __asm__ volatile("" : : "r"(at));
}

/* ---- hashing
 *
 * Who sends packets chooses keys, so where a key goes must not be known outside: the hash depends on
 * a secret, and not linearly as a CRC does, where keys that collide under one secret do under all.
 */

__extension__ typedef unsigned __int128 keyed_product;

/* Both halves of a product, folded: each bit of the factors counts in the low and high bits. */
static inline uint64_t keyed_mix(uint64_t one, uint64_t other)
{
    keyed_product product = (keyed_product)one * other;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* The hash of `size` bytes; `size` is a constant where this is inlined. */
static inline uint32_t keyed_hash(const void *bytes, size_t size, uint64_t secret)
{
    const uint8_t *at = bytes;
    const uint64_t spread = 0x9E3779B97F4A7C15u ^ size;
    uint64_t hash = secret;
    for (; size > 8; at += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        hash = keyed_mix(hash ^ word, secret ^ spread);
    }
    uint64_t last = 0;
    memcpy(&last, at, size);
    hash = keyed_mix(hash ^ last, secret ^ spread);
    return (uint32_t)(hash ^ hash >> 32);
}

/* ---- probing */

/* The slot where the probes for a hash begin. */
static inline uint32_t keyed_home(uint32_t hash, uint32_t slots)
{
    return (uint32_t)(((uint64_t)hash * slots) >> 32);
}

static inline uint32_t keyed_next(uint32_t slot, uint32_t slots)
{
    return slot + 1 == slots ? 0 : slot + 1;
}

/* A place of an index: which entry has the key. */
struct keyed_index_slot {
    uint32_t entry;             /* its slot + 1, or KEYED_FREE */
    uint32_t hash;
    uint32_t passed;            /* of the place, not of the key: keys that were put past it */
};

/* Give an entry the first free place behind its home. There is one: half of the places are free. */
static inline void keyed_index_put(struct keyed_index_slot *index, uint32_t places, uint32_t hash,
                                   uint32_t slot)
{
    uint32_t at = keyed_home(hash, places);
    for (; index[at].entry != KEYED_FREE; at = keyed_next(at, places))
        index[at].passed++;
    index[at].entry = slot + 1;
    index[at].hash = hash;
}

static inline void keyed_index_take(struct keyed_index_slot *index, uint32_t places, uint32_t hash,
                                    uint32_t slot)
{
    uint32_t at = keyed_home(hash, places);
    for (; index[at].entry != slot + 1; at = keyed_next(at, places))
        index[at].passed--;
    index[at].entry = KEYED_FREE;
}

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
