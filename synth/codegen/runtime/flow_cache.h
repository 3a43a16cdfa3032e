/* flow_cache.h: which of a core's flow entries is a packet's.
 *
 * An entry holds *memos* of what the packet's flow asked state and tables last. Each memo is checked
 * against its own question when it is used, so an entry has no key, and no two flows can get in each
 * other's way but by taking each other's memos: then the lookups are made as without them.
 */
#ifndef FLOW_CACHE_H
#define FLOW_CACHE_H

#include "keyed_table_parts.h"
#include "packet.h"

/* Entries of a core, as a power of two. Memory is taken when flows come. */
#ifndef FLOW_CACHE_BITS
#define FLOW_CACHE_BITS 18
#endif

enum { FLOW_ENTRIES = 1 << FLOW_CACHE_BITS };

/* The number of a packet's entry: by the interface, the addresses, protocol and ports. What is not IPv4 has
 * entry 0. The secret is for who would choose packets that take another's entry. */
static inline uint32_t flow_number(const struct packet *p, uint64_t secret)
{
    uint64_t addresses;
    uint32_t ports;
    if (!packet_has_ipv4(p))
        return 0;
    memcpy(&addresses, PACKET_L3(p) + 12, sizeof addresses);
    memcpy(&ports, PACKET_L4_HEADER(p), sizeof ports);
    uint64_t rest = (uint64_t)ports << 32 | (uint64_t)p->interface << 16 | p->headers;
    return (uint32_t)(keyed_mix(addresses ^ secret, rest ^ UINT64_C(0x9E3779B97F4A7C15)) >> 32) &
           (FLOW_ENTRIES - 1);
}

#endif
