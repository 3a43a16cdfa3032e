/* checksum.h: the Internet checksum as arithmetic modulo 65535 (RFC 1071, RFC 1624).
 *
 * A checksum is the negated sum of the words, so replacing a word adds old - new. 0x0000 and
 * 0xFFFF are the same residue; every function here returns the canonical one, 0x0000, and what
 * is given may be either. Because 2^16 = 1 modulo 65535, a 32-bit number is the sum of its words.
 */
#ifndef CHECKSUM_H
#define CHECKSUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

/* The checksum after one 16-bit word of what it covers went from `before` to `after`. */
static inline uint16_t checksum_update16(uint16_t checksum, uint16_t before, uint16_t after)
{
    return (uint16_t)(((uint32_t)checksum + before + (0xFFFFu - after)) % 0xFFFFu);
}

/* The same for 32 bits that start at a word. */
static inline uint16_t checksum_update32(uint16_t checksum, uint32_t before, uint32_t after)
{
    return (uint16_t)(((uint64_t)checksum + before + (0xFFFFFFFFu - after)) % 0xFFFFu);
}

/* A number of the same residue modulo 65535, below 2^34: the sum of the four parts of 32 bits. */
static inline uint64_t checksum_fold128(uint128_t value)
{
    uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;
    return (high >> 32) + (uint32_t)high + (low >> 32) + (uint32_t)low;
}

/* What changes a checksum when 128 bits that start at a word go from `before` to `after`. */
static inline uint64_t checksum_difference128(uint128_t before, uint128_t after)
{
    return checksum_fold128(before) + (4 * 0xFFFFFFFFull - checksum_fold128(after));
}

/* The residue of the sum of an even number of bytes: 0 when they hold their own checksum. */
static inline uint16_t checksum_residue(const uint8_t *bytes, size_t size)
{
    uint32_t sum = 0;
    for (size_t i = 0; i + 1 < size; i += 2)
        sum += load16(bytes + i);
    return (uint16_t)(sum % 0xFFFFu);
}

/* Whether a number of bytes, a multiple of 4, hold their own checksum. The residue is 0 in either byte
 * order, for exchanging the bytes of all words multiplies their sum by 256. */
static inline bool checksum_is_right(const uint8_t *bytes, size_t size)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i += 4) {
        uint32_t word;
        memcpy(&word, bytes + i, sizeof word);
        sum += word;
    }
    return sum % 0xFFFFu == 0;
}

/* The checksum after a change that is a sum of `before - after` modulo 65535. */
static inline uint16_t checksum_add(uint16_t checksum, uint64_t change)
{
    return (uint16_t)((checksum + change) % 0xFFFFu);
}

/* UDP's rules (RFC 768): 0x0000 means that there is none and stays; a computed zero is 0xFFFF. */
static inline uint16_t checksum_as_udp(uint16_t before, uint16_t updated)
{
    if (before == 0)
        return 0;
    return updated == 0 ? 0xFFFF : updated;
}

#endif
