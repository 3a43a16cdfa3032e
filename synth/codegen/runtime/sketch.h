/* sketch.h: count-min sketch with 32-bit saturating counters.
 *
 * Row r counts a key in the column CRC-32C(key's bytes, then the byte r) modulo the columns. A
 * caller hashes the key once (hash.h, without hash_end) and hands that state in.
 */
#ifndef SKETCH_H
#define SKETCH_H

#include <stdlib.h>

#include "hash.h"

struct sketch {
    uint32_t rows; /* at most 256 */
    uint32_t columns;
    uint32_t counters[]; /* row by row */
};

static inline struct sketch *sketch_create(uint32_t rows, uint32_t columns)
{
    struct sketch *sketch =
        calloc(1, sizeof *sketch + (size_t)rows * columns * sizeof sketch->counters[0]);
    if (sketch == NULL)
        return NULL;
    sketch->rows = rows;
    sketch->columns = columns;
    return sketch;
}

static inline void sketch_destroy(struct sketch *sketch)
{
    free(sketch);
}

static inline size_t sketch_cell(const struct sketch *sketch, uint32_t row, uint32_t key_hash)
{
    uint32_t column = hash_end(hash8(key_hash, (uint8_t)row)) % sketch->columns;
    return (size_t)row * sketch->columns + column;
}

static inline void sketch_add(struct sketch *sketch, uint32_t key_hash, uint64_t amount)
{
    for (uint32_t row = 0; row < sketch->rows; row++) {
        uint32_t *counter = &sketch->counters[sketch_cell(sketch, row, key_hash)];
        *counter = amount > UINT32_MAX - *counter ? UINT32_MAX : *counter + (uint32_t)amount;
    }
}

static inline uint32_t sketch_estimate(const struct sketch *sketch, uint32_t key_hash)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t row = 0; row < sketch->rows; row++) {
        uint32_t count = sketch->counters[sketch_cell(sketch, row, key_hash)];
        least = count < least ? count : least;
    }
    return least;
}

#endif
