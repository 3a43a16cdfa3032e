/* hash.h: CRC-32C (Castagnoli) of scalars, each big-endian in whole bytes.
 *
 *     uint32_t hash = HASH_START;
 *     hash = hash32(hash, address);
 *     hash = hash16(hash, port);
 *     hash = hash_end(hash);
 *
 * gives the same value as the CRC-32C of those six bytes, with the SSE4.2 instruction where the
 * target has it and without it.
 */
#ifndef HASH_H
#define HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "bytes.h"

#ifdef __SSE4_2__
#include <nmmintrin.h>
#endif

#define HASH_START 0xFFFFFFFFu

static inline uint32_t hash_end(uint32_t hash)
{
    return ~hash;
}

#ifdef __SSE4_2__

static inline uint32_t hash8(uint32_t hash, uint8_t value)
{
    return _mm_crc32_u8(hash, value);
}

static inline uint32_t hash16(uint32_t hash, uint16_t value)
{
    return _mm_crc32_u16(hash, __builtin_bswap16(value));
}

static inline uint32_t hash32(uint32_t hash, uint32_t value)
{
    return _mm_crc32_u32(hash, __builtin_bswap32(value));
}

static inline uint32_t hash64(uint32_t hash, uint64_t value)
{
    return (uint32_t)_mm_crc32_u64(hash, __builtin_bswap64(value));
}

#else

static inline uint32_t hash8(uint32_t hash, uint8_t value)
{
    /* The CRC of each half-byte: a table of 16 is small enough to be read and checked. */
    static const uint32_t halves[16] = {
        0x00000000u, 0x105EC76Fu, 0x20BD8EDEu, 0x30E349B1u, 0x417B1DBCu, 0x5125DAD3u,
        0x61C69362u, 0x7198540Du, 0x82F63B78u, 0x92A8FC17u, 0xA24BB5A6u, 0xB21572C9u,
        0xC38D26C4u, 0xD3D3E1ABu, 0xE330A81Au, 0xF36E6F75u,
    };
    hash ^= value;
    hash = halves[hash & 15] ^ (hash >> 4);
    return halves[hash & 15] ^ (hash >> 4);
}

static inline uint32_t hash16(uint32_t hash, uint16_t value)
{
    return hash8(hash8(hash, (uint8_t)(value >> 8)), (uint8_t)value);
}

static inline uint32_t hash32(uint32_t hash, uint32_t value)
{
    return hash16(hash16(hash, (uint16_t)(value >> 16)), (uint16_t)value);
}

static inline uint32_t hash64(uint32_t hash, uint64_t value)
{
    return hash32(hash32(hash, (uint32_t)(value >> 32)), (uint32_t)value);
}

#endif

static inline uint32_t hash128(uint32_t hash, uint128_t value)
{
    return hash64(hash64(hash, (uint64_t)(value >> 64)), (uint64_t)value);
}

/* The low 48 bits, a MAC address. */
static inline uint32_t hash48(uint32_t hash, uint64_t value)
{
    return hash32(hash16(hash, (uint16_t)(value >> 32)), (uint32_t)value);
}

/* The low `bytes` bytes (1 to 8) of a scalar of any other width. */
static inline uint32_t hash_scalar(uint32_t hash, uint64_t value, unsigned bytes)
{
    for (unsigned i = bytes; i > 0; i--)
        hash = hash8(hash, (uint8_t)(value >> (8 * (i - 1))));
    return hash;
}

/* Bytes as they stand in memory. */
static inline uint32_t hash_bytes(uint32_t hash, const void *data, size_t size)
{
    const uint8_t *at = data;
    for (; size >= 8; at += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, at, sizeof word);
        hash = hash64(hash, __builtin_bswap64(word));
    }
    if (size & 4) {
        uint32_t word;
        memcpy(&word, at, sizeof word);
        hash = hash32(hash, __builtin_bswap32(word));
        at += 4;
    }
    if (size & 2) {
        uint16_t word;
        memcpy(&word, at, sizeof word);
        hash = hash16(hash, __builtin_bswap16(word));
        at += 2;
    }
    return size & 1 ? hash8(hash, *at) : hash;
}

#endif
