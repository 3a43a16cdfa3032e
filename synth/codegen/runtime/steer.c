/* steer.c: the Toeplitz hash, by DPDK's rte_thash. */
#include "steer.h"

#include <rte_thash.h>

#include "bytes.h"

uint32_t steer_hash(const uint8_t *key, const uint8_t *input, size_t bytes)
{
    uint32_t words[STEER_MOST_BYTES / sizeof(uint32_t)];
    size_t count = bytes / sizeof(uint32_t);
    for (size_t i = 0; i < count; i++)
        words[i] = load32(input + i * sizeof(uint32_t));
    return rte_softrss(words, (uint32_t)count, key);
}
