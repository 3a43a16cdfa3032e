/* bytes.h: big-endian loads and stores at any alignment. */
#ifndef BYTES_H
#define BYTES_H

#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the runtime is written for little-endian machines"
#endif

__extension__ typedef unsigned __int128 uint128_t;

/* Two halves of 64 bits, the upper one first. */
#define UINT128(high, low) ((uint128_t)(high) << 64 | (uint64_t)(low))

static inline uint8_t load8(const uint8_t *at)
{
    return *at;
}

static inline uint16_t load16(const uint8_t *at)
{
    uint16_t value;
    memcpy(&value, at, sizeof value);
    return __builtin_bswap16(value);
}

static inline uint32_t load32(const uint8_t *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return __builtin_bswap32(value);
}

/* Six bytes, a MAC address, in the low 48 bits. */
static inline uint64_t load48(const uint8_t *at)
{
    return (uint64_t)load16(at) << 32 | load32(at + 2);
}

static inline uint64_t load64(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return __builtin_bswap64(value);
}

/* Sixteen bytes, an IPv6 address. */
static inline uint128_t load128(const uint8_t *at)
{
    return UINT128(load64(at), load64(at + 8));
}

/* Copy a frame's head, which is mostly 42 or 54 bytes: two moves of 32 that overlap, without a call. */
static inline void copy_head(uint8_t *to, const uint8_t *from, size_t size)
{
    if (size < 32 || size > 64) {
        memcpy(to, from, size);
        return;
    }
    uint8_t first[32];
    uint8_t last[32];
    memcpy(first, from, sizeof first);
    memcpy(last, from + size - sizeof last, sizeof last);
    memcpy(to, first, sizeof first);
    memcpy(to + size - sizeof last, last, sizeof last);
}

static inline void store8(uint8_t *at, uint8_t value)
{
    *at = value;
}

static inline void store16(uint8_t *at, uint16_t value)
{
    value = __builtin_bswap16(value);
    memcpy(at, &value, sizeof value);
}

static inline void store32(uint8_t *at, uint32_t value)
{
    value = __builtin_bswap32(value);
    memcpy(at, &value, sizeof value);
}

static inline void store48(uint8_t *at, uint64_t value)
{
    store16(at, (uint16_t)(value >> 32));
    store32(at + 2, (uint32_t)value);
}

static inline void store64(uint8_t *at, uint64_t value)
{
    value = __builtin_bswap64(value);
    memcpy(at, &value, sizeof value);
}

static inline void store128(uint8_t *at, uint128_t value)
{
    store64(at, (uint64_t)(value >> 64));
    store64(at + 8, (uint64_t)value);
}

#endif
