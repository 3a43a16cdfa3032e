/* packet_icmp_error.h: the packet that tells a sender what became of its datagram. Included by packet.h.
 *
 * What synth/net/icmp.py does in Python. The head holds the new headers and the head of the datagram as
 * it is now; what follows is left in the received frame until the host sends it.
 */
#ifndef PACKET_ICMP_ERROR_H
#define PACKET_ICMP_ERROR_H

#ifndef PACKET_H
#error "include packet.h"
#endif

enum {
    ICMP_ERROR_BYTES = 8,
    ICMP_ERROR_TTL = 64,
    ICMP_ERROR_MOST = 576, /* of the datagram that carries it (RFC 1812, section 4.3.2.3) */
    ICMP_ERROR_QUOTED = ICMP_ERROR_MOST - IPV4_BYTES - ICMP_ERROR_BYTES
};

/* The sum of an error's 16-bit words: its head from the ICMP header on, then the rest. An odd last byte
 * counts as if a zero followed. */
static inline uint64_t packet_sum(const uint8_t *bytes, size_t size)
{
    uint64_t sum = 0;
    for (size_t i = 0; i + 1 < size; i += 2)
        sum += load16(bytes + i);
    return size & 1 ? sum + ((uint64_t)bytes[size - 1] << 8) : sum;
}

/* Write the IPv4 header at `ipv4`: back to the source of the datagram that stands behind the headers. */
static inline void packet_write_error_ipv4(uint8_t *ipv4, uint16_t length, uint32_t source)
{
    store64(ipv4, 0x45C0000000004000u | (uint64_t)length << 32);
    store32(ipv4 + 8, (uint32_t)ICMP_ERROR_TTL << 24 | (uint32_t)PROTOCOL_ICMP << 16);
    store32(ipv4 + 12, source);
    memcpy(ipv4 + 16, ipv4 + IPV4_BYTES + ICMP_ERROR_BYTES + 12, 4);
    store16(ipv4 + 10, checksum_add(0, 0xFFFFu * IPV4_BYTES - packet_sum(ipv4, IPV4_BYTES)));
}

/* Make the error about `p`, whose head as it leaves is in `now`, with its head in `head`.
 * Afterwards `p` need not stay, but the frame that it came in must. */
static inline struct packet packet_make_icmp_error(const struct packet *p, const uint8_t *now,
                                                   uint8_t *head, uint16_t type_and_code,
                                                   uint32_t source, uint16_t mtu)
{
    struct packet error = *p;
    uint16_t quoted = load16(now + p->l3 + 2);
    if (quoted > ICMP_ERROR_QUOTED)
        quoted = ICMP_ERROR_QUOTED;
    const uint16_t in_head = (uint16_t)(p->head_length - p->l3);
    uint8_t *ipv4 = head + p->l3, *icmp = ipv4 + IPV4_BYTES;
    memcpy(icmp + ICMP_ERROR_BYTES, now + p->l3, in_head);
    memcpy(head + 12, now + 12, (size_t)(p->l3 - 12));
    memcpy(head, now + 6, 6);
    memcpy(head + 6, now, 6);
    packet_write_error_ipv4(ipv4, (uint16_t)(IPV4_BYTES + ICMP_ERROR_BYTES + quoted), source);
    store32(icmp, (uint32_t)type_and_code << 16);
    store32(icmp + 4, mtu);
    error.rest_at = p->head_length;
    error.made_head = (uint16_t)(p->head_length + IPV4_BYTES + ICMP_ERROR_BYTES);
    error.length = (uint32_t)(p->l3 + IPV4_BYTES + ICMP_ERROR_BYTES + quoted);
    const uint64_t sum = packet_sum(icmp, (size_t)(ICMP_ERROR_BYTES + in_head)) +
                         packet_sum(p->frame_data + error.rest_at, (size_t)(quoted - in_head));
    store16(icmp + 2, checksum_add(0, 0xFFFFu * (uint64_t)ICMP_ERROR_MOST - sum));
    error.headers &= PACKET_VLAN | PACKET_VLAN_INNER;
    error.headers |= PACKET_IPV4 | PACKET_ICMP;
    error.l4 = (uint16_t)(p->l3 + IPV4_BYTES);
    error.l4_checksum = (uint16_t)(error.l4 + 2);
    error.head_length = error.made_head;
    return error;
}

#ifdef PACKET_IN_FRAME
static inline struct packet packet_icmp_error(const struct packet *p, uint8_t *head,
                                              uint16_t type_and_code, uint32_t source, uint16_t mtu)
{
    uint8_t now[HEAD_BYTES];
    const struct packet draft = packet_draft(p, now);
    packet_finish(&draft);
    struct packet error = packet_make_icmp_error(p, now, head, type_and_code, source, mtu);
    error.head = head;
    error.ipv4_change = 0;
    error.l4_change = 0;
    return error;
}
#else
static inline struct packet packet_icmp_error(const struct packet *p, uint16_t type_and_code,
                                              uint32_t source, uint16_t mtu)
{
    uint8_t head[HEAD_BYTES];
    struct packet error = packet_make_icmp_error(p, p->head, head, type_and_code, source, mtu);
    memcpy(error.head, head, error.made_head);
    return error;
}
#endif

#endif
