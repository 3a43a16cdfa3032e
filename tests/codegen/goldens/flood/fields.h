/* fields.h: the header fields that this chain reads and writes, in host order.
 *
 * The packet must have the header. A write keeps the checksums right that cover the field.
 */
#ifndef FIELDS_H
#define FIELDS_H

#include "chain.h"

#define MAC(a, b, c, d, e, f)                                                            \
    ((uint64_t)(a) << 40 | (uint64_t)(b) << 32 | (uint64_t)(c) << 24 |                   \
     (uint64_t)(d) << 16 | (uint64_t)(e) << 8 | (uint64_t)(f))

static inline uint64_t packet_eth_src(const struct packet *packet)
{
    return load48(PACKET_ETH(packet) + 6);
}

static inline void packet_set_eth_src(struct packet *packet, uint64_t value)
{
    store48(PACKET_ETH(packet) + 6, value);
}

#endif
