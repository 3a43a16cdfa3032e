/* packet_in_head.h: writes to a packet that has its own copy of the head. Included by packet.h. */
#ifndef PACKET_IN_HEAD_H
#define PACKET_IN_HEAD_H

#ifndef PACKET_H
#error "include packet.h"
#endif

/* Correct the IPv4 header's checksum after a write to that header. */
static inline void packet_update_ipv4_checksum16(struct packet *p, uint16_t before, uint16_t after)
{
    uint8_t *at = PACKET_L3(p) + 10;
    store16(at, checksum_update16(load16(at), before, after));
}

static inline void packet_update_ipv4_checksum32(struct packet *p, uint32_t before, uint32_t after)
{
    uint8_t *at = PACKET_L3(p) + 10;
    store16(at, checksum_update32(load16(at), before, after));
}

/* Correct the L4 checksum after a write to the L4 header. Without one, nothing happens. */
static inline void packet_update_l4_checksum16(struct packet *p, uint16_t before, uint16_t after)
{
    if (p->l4_checksum == 0)
        return;
    uint8_t *at = p->head + p->l4_checksum;
    uint16_t old = load16(at);
    uint16_t updated = checksum_update16(old, before, after);
    store16(at, packet_has_udp(p) ? checksum_as_udp(old, updated) : updated);
}

static inline void packet_update_l4_checksum32(struct packet *p, uint32_t before, uint32_t after)
{
    if (p->l4_checksum == 0)
        return;
    uint8_t *at = p->head + p->l4_checksum;
    uint16_t old = load16(at);
    uint16_t updated = checksum_update32(old, before, after);
    store16(at, packet_has_udp(p) ? checksum_as_udp(old, updated) : updated);
}

/* The same for an IP address, which TCP, UDP and ICMPv6 cover through the pseudo header; ICMP does not.
 */
static inline void packet_update_pseudo_checksum32(struct packet *p, uint32_t before,
                                                   uint32_t after)
{
    if (packet_has_l4(p))
        packet_update_l4_checksum32(p, before, after);
}

static inline void packet_update_pseudo_checksum128(struct packet *p, uint128_t before,
                                                    uint128_t after)
{
    if (p->l4_checksum == 0)
        return;
    uint8_t *at = p->head + p->l4_checksum;
    uint16_t old = load16(at);
    uint16_t updated = checksum_add(old, checksum_difference128(before, after));
    store16(at, packet_has_udp(p) ? checksum_as_udp(old, updated) : updated);
}

/* Hand a packet over as it is now. */
static inline void packet_emit(const struct packet *p, uint16_t interface, struct emissions *out)
{
    struct emission *emission = &out->items[out->count++];
    emission->frame = p->frame;
    emission->interface = interface;
    packet_set_extent(p, emission);
    memcpy(emission->head, p->head, emission->head_length);
}

#endif
