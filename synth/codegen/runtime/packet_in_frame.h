/* packet_in_frame.h: packets that are read where they were received, and written where they leave.
 *
 * A draft is a packet with a head of its own. Writes to it only note how much they change the
 * checksums; all of a packet's changes are added to them once, when it leaves. Included by packet.h.
 */
#ifndef PACKET_IN_FRAME_H
#define PACKET_IN_FRAME_H

#ifndef PACKET_H
#error "include packet.h"
#endif

/* Note a write to a word, or to 32 bits that start at one, of the IPv4 header. */
static inline void packet_update_ipv4_checksum16(struct packet *p, uint16_t before, uint16_t after)
{
    p->ipv4_change += before + (0xFFFFu - after);
}

static inline void packet_update_ipv4_checksum32(struct packet *p, uint32_t before, uint32_t after)
{
    p->ipv4_change += (uint64_t)before + (0xFFFFFFFFu - after);
}

/* The same for the L4 header. */
static inline void packet_update_l4_checksum16(struct packet *p, uint16_t before, uint16_t after)
{
    p->l4_change += before + (0xFFFFu - after);
}

static inline void packet_update_l4_checksum32(struct packet *p, uint32_t before, uint32_t after)
{
    p->l4_change += (uint64_t)before + (0xFFFFFFFFu - after);
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
    p->l4_change += checksum_difference128(before, after);
}

/* A packet to write to: `p` with a copy of its head in `head`. */
static inline struct packet packet_draft(const struct packet *p, uint8_t *head)
{
    struct packet draft = *p;
    draft.head = head;
    copy_head(head, p->head, p->head_length);
    return draft;
}

/* Where the head of the next frame that leaves will stand. */
static inline uint8_t *packet_next_head(const struct emissions *out)
{
    return out->items[out->count].head;
}

/* Make a draft's checksums right. A received 0xFFFF of IPv4, TCP and ICMP becomes 0x0000, the canonical
 * name, here: nothing can look at it before. */
static inline void packet_finish(const struct packet *p)
{
    if (packet_has_ipv4(p)) {
        uint8_t *at = PACKET_L3(p) + 10;
        store16(at, checksum_add(load16(at), p->ipv4_change));
    }
    if (p->l4_checksum != 0) {
        uint8_t *at = p->head + p->l4_checksum;
        uint16_t before = load16(at);
        uint16_t after = checksum_add(before, p->l4_change);
        store16(at, packet_has_udp(p) ? checksum_as_udp(before, after) : after);
    }
}

/* Hand over a draft that stands where it leaves. */
static inline void packet_leave(const struct packet *p, uint16_t interface, struct emissions *out)
{
    struct emission *emission = &out->items[out->count++];
    emission->frame = p->frame;
    emission->interface = interface;
    packet_set_extent(p, emission);
    packet_finish(p);
}

/* Hand a packet over as it is now. */
static inline void packet_emit(const struct packet *p, uint16_t interface, struct emissions *out)
{
    struct packet draft = packet_draft(p, packet_next_head(out));
    packet_leave(&draft, interface, out);
}

#endif
