/* token_bucket.h: a token bucket that is exact, in bit-nanoseconds.
 *
 * A token bucket of `rate` bits per second and `burst` bytes holds at most burst * 8 * 10^9
 * bit-nanoseconds; in one nanosecond it gains `rate` of them, and a byte costs 8 * 10^9.
 */
#ifndef TOKEN_BUCKET_H
#define TOKEN_BUCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

__extension__ typedef unsigned __int128 token_bucket_uint128;

struct token_bucket {
    uint64_t level_high; /* 128 bits in two halves: no alignment of 16 in table entries */
    uint64_t level_low;
    uint64_t filled; /* ns: the time up to which `level` counts */
};

static inline token_bucket_uint128 token_bucket_cost(uint64_t bytes)
{
    return (token_bucket_uint128)bytes * 8000000000u;
}

static inline void token_bucket_set(struct token_bucket *bucket, token_bucket_uint128 level,
                                    uint64_t now)
{
    bucket->level_high = (uint64_t)(level >> 64);
    bucket->level_low = (uint64_t)level;
    bucket->filled = now;
}

/* Make the bucket full. */
static inline void token_bucket_start(struct token_bucket *bucket, uint64_t burst, uint64_t now)
{
    token_bucket_set(bucket, token_bucket_cost(burst), now);
}

/* Make a bucket that is full at time 0; NULL when memory is short. Free with free(). */
static inline struct token_bucket *token_bucket_create(uint64_t burst)
{
    struct token_bucket *bucket = malloc(sizeof *bucket);
    if (bucket != NULL)
        token_bucket_start(bucket, burst, 0);
    return bucket;
}

/* Fill the bucket up to now; then take `bytes` if they are all there, else none. */
static inline bool token_bucket_take(struct token_bucket *bucket, uint64_t rate, uint64_t burst,
                                     uint64_t bytes, uint64_t now)
{
    token_bucket_uint128 most = token_bucket_cost(burst);
    token_bucket_uint128 cost = token_bucket_cost(bytes);
    token_bucket_uint128 level = (token_bucket_uint128)bucket->level_high << 64 | bucket->level_low;
    token_bucket_uint128 gain = (token_bucket_uint128)(now - bucket->filled) * rate;
    level = gain >= most - level ? most : level + gain;
    bool is_there = level >= cost;
    token_bucket_set(bucket, is_there ? level - cost : level, now);
    return is_there;
}

#endif
