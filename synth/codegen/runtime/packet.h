/* packet.h: the working copy of a frame's head, its admission, and how it is read and written.
 *
 * A core copies the head of each received frame once, works on the copy, and hands it over with
 * the emission. Only what an NF may look at is in the head: Ethernet, VLAN tags, ARP, the IPv4
 * header with its options or the IPv6 header with its extension headers, and the fixed part of the
 * TCP, UDP, ICMP or ICMPv6 header.
 *
 * A core whose NFs make packets of their own defines PACKET_MADE (packet_icmp_error.h).
 * A synthesized core defines PACKET_IN_FRAME: there a packet's head is the received frame itself, as
 * long as nothing is written, and then a copy of it where it will leave (packet_in_frame.h).
 */
#ifndef PACKET_H
#define PACKET_H

#include "bytes.h"
#include "checksum.h"
#include "core.h"

/* Why a frame is not admitted: `<interface>.<reason>` are the drops' names, in this order. */
enum admission {
    ADMISSION_TOO_SHORT,
    ADMISSION_VLAN_TRUNCATED,
    ADMISSION_ARP_TRUNCATED,
    ADMISSION_IPV4_TRUNCATED,
    ADMISSION_IPV4_VERSION,
    ADMISSION_IPV4_HEADER_LENGTH,
    ADMISSION_IPV4_LENGTH,
    ADMISSION_IPV4_CHECKSUM,
    ADMISSION_IPV6_TRUNCATED,
    ADMISSION_IPV6_VERSION,
    ADMISSION_IPV6_LENGTH,
    ADMISSION_IPV6_EXTENSION_TRUNCATED,
    ADMISSION_TCP_TRUNCATED,
    ADMISSION_TCP_DATA_OFFSET,
    ADMISSION_UDP_TRUNCATED,
    ADMISSION_UDP_LENGTH,
    ADMISSION_ICMP_TRUNCATED,
    ADMISSION_TINY_FRAGMENT,
    ADMISSION_FRAME_TOO_LONG, /* never given by packet_admit: the host counts these */
    ADMISSION_REASONS,
    ADMITTED = ADMISSION_REASONS
};

static const char *const admission_reason_names[ADMISSION_REASONS] = {
    "too_short",          "vlan_truncated", "arp_truncated",  "ipv4_truncated", "ipv4_version",
    "ipv4_header_length", "ipv4_length",    "ipv4_checksum",  "ipv6_truncated", "ipv6_version",
    "ipv6_length",        "ipv6_extension_truncated",         "tcp_truncated",  "tcp_data_offset",
    "udp_truncated",      "udp_length",     "icmp_truncated", "tiny_fragment",  "frame_too_long",
};

/* Headers and properties, as in synth/net/kinds.py; `eth` is always there. */
enum packet_header {
    PACKET_VLAN = 1 << 0,
    PACKET_VLAN_INNER = 1 << 1,
    PACKET_ARP = 1 << 2,
    PACKET_IPV4 = 1 << 3,
    PACKET_FRAGMENT = 1 << 4,
    PACKET_LATER_FRAGMENT = 1 << 5,
    PACKET_L4 = 1 << 6,
    PACKET_TCP = 1 << 7,
    PACKET_UDP = 1 << 8,
    PACKET_ICMP = 1 << 9,
    PACKET_ICMP_ECHO = 1 << 10,
    PACKET_IPV6 = 1 << 11,
    PACKET_ICMPV6 = 1 << 12,
    PACKET_ICMPV6_ECHO = 1 << 13
};

struct packet {
    uint32_t length;      /* of the frame, without FCS */
    uint16_t frame;       /* its number in the burst; the caller sets it */
    uint16_t interface;   /* where it came in */
    uint16_t headers;     /* of enum packet_header */
    uint16_t head_length; /* bytes of `head` in use */
    uint16_t l3;          /* offset behind the last VLAN tag; the innermost type is before it */
    uint16_t l4;          /* offset of the TCP, UDP or ICMP header, when there is one */
    uint16_t l4_checksum; /* offset of its checksum, when there is one, else 0 */
    uint16_t vlan_tags;
#ifdef PACKET_IN_FRAME
    uint8_t *head;        /* a received packet's is the frame's, and never written */
    uint64_t ipv4_change; /* what the writes add to the checksums, modulo 65535 */
    uint64_t l4_change;
#else
    uint8_t head[HEAD_BYTES];
#endif
#ifdef PACKET_MADE
    const uint8_t *frame_data; /* the received frame */
    uint16_t made_head;        /* of a packet that the chain made: bytes of its head; else 0 */
    uint16_t rest_at;          /* what follows them stands in the received frame, from here on */
#endif
#ifdef PACKET_VISITS
    uint16_t visits[PACKET_VISITS]; /* of the handlers that have a visit budget */
#endif
};

enum {
    ETHERNET_BYTES = 14,
    VLAN_TAG_BYTES = 4,
    ARP_BYTES = 28,
    ARP_TYPES_BYTES = 8, /* types and lengths of the addresses, and the operation */
    IPV4_BYTES = 20,
    IPV6_BYTES = 40,
    TCP_BYTES = 20,
    UDP_BYTES = 8,
    ICMP_BYTES = 4,
    ICMP_ECHO_BYTES = 8
};

static inline bool packet_has_eth(const struct packet *p)
{
    (void)p;
    return true;
}

static inline bool packet_has_vlan(const struct packet *p)
{
    return p->headers & PACKET_VLAN;
}

static inline bool packet_has_vlan_inner(const struct packet *p)
{
    return p->headers & PACKET_VLAN_INNER;
}

static inline bool packet_has_arp(const struct packet *p)
{
    return p->headers & PACKET_ARP;
}

static inline bool packet_has_ipv4(const struct packet *p)
{
    return p->headers & PACKET_IPV4;
}

static inline bool packet_has_ipv6(const struct packet *p)
{
    return p->headers & PACKET_IPV6;
}

static inline bool packet_has_fragment(const struct packet *p)
{
    return p->headers & PACKET_FRAGMENT;
}

static inline bool packet_has_later_fragment(const struct packet *p)
{
    return p->headers & PACKET_LATER_FRAGMENT;
}

static inline bool packet_has_l4(const struct packet *p)
{
    return p->headers & PACKET_L4;
}

static inline bool packet_has_tcp(const struct packet *p)
{
    return p->headers & PACKET_TCP;
}

static inline bool packet_has_udp(const struct packet *p)
{
    return p->headers & PACKET_UDP;
}

static inline bool packet_has_icmp(const struct packet *p)
{
    return p->headers & PACKET_ICMP;
}

static inline bool packet_has_icmp_echo(const struct packet *p)
{
    return p->headers & PACKET_ICMP_ECHO;
}

static inline bool packet_has_icmpv6(const struct packet *p)
{
    return p->headers & PACKET_ICMPV6;
}

static inline bool packet_has_icmpv6_echo(const struct packet *p)
{
    return p->headers & PACKET_ICMPV6_ECHO;
}

/* Where a header of synth/net/fields.py begins in the head. The packet must have it. */
#define PACKET_ETH(p) ((p)->head)
#define PACKET_ETH_TYPE(p) ((p)->head + (p)->l3 - 2)
#define PACKET_VLAN_TCI(p) ((p)->head + ETHERNET_BYTES)
#define PACKET_VLAN_INNER_TCI(p) ((p)->head + ETHERNET_BYTES + VLAN_TAG_BYTES)
#define PACKET_L3(p) ((p)->head + (p)->l3)
#define PACKET_L4_HEADER(p) ((p)->head + (p)->l4)

/* Note in an emission which bytes are a packet's head and what follows them. */
static inline void packet_set_extent(const struct packet *p, struct emission *emission)
{
    emission->head_length = p->head_length;
    emission->rest_at = 0;
    emission->made_length = 0;
#ifdef PACKET_MADE
    if (p->made_head != 0) {
        emission->head_length = p->made_head;
        emission->rest_at = p->rest_at;
        emission->made_length = (uint16_t)p->length;
    }
#endif
}

#ifdef PACKET_IN_FRAME
#include "packet_in_frame.h"
#else
#include "packet_in_head.h"
#endif
#include "packet_ipv6.h"
#include "packet_parse.h"
#ifdef PACKET_MADE
#include "packet_icmp_error.h"
#endif

#endif
