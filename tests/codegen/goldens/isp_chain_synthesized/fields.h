/* fields.h: the header fields that this chain reads and writes, in host order.
 *
 * The packet must have the header. A write keeps the checksums right that cover the field.
 */
#ifndef FIELDS_H
#define FIELDS_H

#include "chain.h"

#define IPV4(a, b, c, d) ((uint32_t)(a) << 24 | (uint32_t)(b) << 16 | (uint32_t)(c) << 8 | (d))

#define MAC(a, b, c, d, e, f)                                                            \
    ((uint64_t)(a) << 40 | (uint64_t)(b) << 32 | (uint64_t)(c) << 24 |                   \
     (uint64_t)(d) << 16 | (uint64_t)(e) << 8 | (uint64_t)(f))

static inline uint64_t packet_eth_dst(const struct packet *packet)
{
    return load48(PACKET_ETH(packet));
}

static inline uint8_t packet_ipv4_ttl(const struct packet *packet)
{
    return (uint8_t)(load16(PACKET_L3(packet) + 8) >> 8);
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

static inline uint16_t packet_l4_sport(const struct packet *packet)
{
    return load16(PACKET_L4_HEADER(packet));
}

static inline uint16_t packet_l4_dport(const struct packet *packet)
{
    return load16(PACKET_L4_HEADER(packet) + 2);
}

static inline uint8_t packet_icmp_type(const struct packet *packet)
{
    return (uint8_t)(load16(PACKET_L4_HEADER(packet)) >> 8);
}

static inline uint16_t packet_icmp_echo_id(const struct packet *packet)
{
    return load16(PACKET_L4_HEADER(packet) + 4);
}

static inline void packet_set_eth_dst(struct packet *packet, uint64_t value)
{
    store48(PACKET_ETH(packet), value);
}

static inline void packet_set_eth_src(struct packet *packet, uint64_t value)
{
    store48(PACKET_ETH(packet) + 6, value);
}

static inline void packet_set_ipv4_ttl(struct packet *packet, uint8_t value)
{
    uint8_t *const at = PACKET_L3(packet) + 8;
    const uint16_t before = load16(at);
    const uint16_t after = (uint16_t)((before & 0xff) | (value << 8));
    store16(at, after);
    packet_update_ipv4_checksum16(packet, before, after);
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

static inline void packet_set_l4_sport(struct packet *packet, uint16_t value)
{
    uint8_t *const at = PACKET_L4_HEADER(packet);
    const uint16_t before = load16(at);
    store16(at, value);
    packet_update_l4_checksum16(packet, before, value);
}

static inline void packet_set_l4_dport(struct packet *packet, uint16_t value)
{
    uint8_t *const at = PACKET_L4_HEADER(packet) + 2;
    const uint16_t before = load16(at);
    store16(at, value);
    packet_update_l4_checksum16(packet, before, value);
}

static inline void packet_set_icmp_echo_id(struct packet *packet, uint16_t value)
{
    uint8_t *const at = PACKET_L4_HEADER(packet) + 4;
    const uint16_t before = load16(at);
    store16(at, value);
    packet_update_l4_checksum16(packet, before, value);
}

#endif
