/* share.h: the values that one core may choose, out of a range that all cores share.
 *
 * The core of a value is a table's entry at the XOR of what the value's bits add, so that a packet that
 * carries the value comes to that core.
 */
#ifndef SHARE_H
#define SHARE_H

#include <stdint.h>
#include <stdlib.h>

struct value_share {
    uint64_t high;                  /* the largest value */
    const uint32_t *contributions;  /* of each bit of the value, the most significant first */
    uint32_t bits;
    const uint16_t *cores;          /* by hash */
    uint32_t mask;                  /* their number - 1 */
};

static inline uint16_t share_owner(const struct value_share *share, uint64_t value)
{
    uint32_t hash = 0;
    for (uint32_t bit = 0; bit < share->bits; bit++)
        if (value >> bit & 1)
            hash ^= share->contributions[share->bits - 1 - bit];
    return share->cores[hash & share->mask];
}

/* A bit for each value, in words of 64: whether it is the core's. Whole pages of 256 values. NULL when
 * memory is short. Free with free(). */
static inline uint64_t *share_create(const struct value_share *share, uint16_t core)
{
    uint64_t *own = calloc((share->high / 256 + 1) * 4, sizeof *own);
    for (uint64_t value = 0; own != NULL && value <= share->high; value++)
        if (share_owner(share, value) == core)
            own[value / 64] |= UINT64_C(1) << value % 64;
    return own;
}

#endif
