/* steer.h: the hash by which a packet finds its core. */
#ifndef STEER_H
#define STEER_H

#include <stddef.h>
#include <stdint.h>

enum { STEER_MOST_BYTES = 64 };

/* The Toeplitz hash of receive-side scaling, of `bytes` of input (a multiple of 4, STEER_MOST_BYTES at
 * most). The key has at least four bytes more. */
uint32_t steer_hash(const uint8_t *key, const uint8_t *input, size_t bytes);

#endif
