/* fields.h: the header fields that this chain reads and writes, in host order.
 *
 * The packet must have the header. A write keeps the checksums right that cover the field.
 */
#ifndef FIELDS_H
#define FIELDS_H

#include "chain.h"

static inline bool packet_ipv4_df(const struct packet *packet)
{
    return ((load16(PACKET_L3(packet) + 6) >> 14) & 0x1) != 0;
}

static inline uint8_t packet_ipv4_protocol(const struct packet *packet)
{
    return (uint8_t)(load16(PACKET_L3(packet) + 8) & 0xff);
}

static inline uint32_t packet_ipv4_src(const struct packet *packet)
{
    return load32(PACKET_L3(packet) + 12);
}

static inline uint32_t packet_ipv4_dst(const struct packet *packet)
{
    return load32(PACKET_L3(packet) + 16);
}

static inline void packet_set_eth_dst(struct packet *packet, uint64_t value)
{
    store48(PACKET_ETH(packet), value);
}

static inline void packet_set_ipv4_id(struct packet *packet, uint16_t value)
{
    uint8_t *const at = PACKET_L3(packet) + 4;
    const uint16_t before = load16(at);
    store16(at, value);
    packet_update_ipv4_checksum16(packet, before, value);
}

static inline void packet_set_ipv4_src(struct packet *packet, uint32_t value)
{
    uint8_t *const at = PACKET_L3(packet) + 12;
    const uint32_t before = load32(at);
    store32(at, value);
    packet_update_ipv4_checksum32(packet, before, value);
    packet_update_pseudo_checksum32(packet, before, value);
}

static inline void packet_set_ipv4_dst(struct packet *packet, uint32_t value)
{
    uint8_t *const at = PACKET_L3(packet) + 16;
    const uint32_t before = load32(at);
    store32(at, value);
    packet_update_ipv4_checksum32(packet, before, value);
    packet_update_pseudo_checksum32(packet, before, value);
}

#endif
