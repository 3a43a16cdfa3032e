/* packet_ipv6.h: the walk over IPv6 extension headers. Included by packet.h.
 *
 * Only headers of an allow-list are walked, up to IPV6_EXTENSION_BYTES; whatever else comes ends the
 * walk, and the packet has no L4. It is what synth/net/ipv6.py does in Python.
 */
#ifndef PACKET_IPV6_H
#define PACKET_IPV6_H

#ifndef PACKET_H
#error "include packet.h"
#endif

enum {
    IPV6_HOP_BY_HOP = 0,
    IPV6_ROUTING = 43,
    IPV6_FRAGMENT = 44,
    IPV6_DESTINATION = 60,
    IPV6_NO_TRANSPORT = 59, /* IANA's "no next header" */
    IPV6_EXTENSION_BYTES = 56,
    IPV6_FRAGMENT_OFFSET = 0xFFF8,
    IPV6_FRAGMENT_MORE = 1
};

/* Where a walk is, or has ended: at `at` bytes behind the header's start, where `protocol` begins. */
struct ipv6_walk {
    uint16_t at;
    uint16_t looked_at; /* so many bytes from the header's start decided how the walk went */
    uint16_t fragment;  /* PACKET_FRAGMENT, PACKET_LATER_FRAGMENT or none */
    uint8_t protocol;
    bool has_fragment_header;
    bool is_truncated;
};

static inline bool ipv6_is_extension(uint8_t protocol)
{
    return protocol == IPV6_HOP_BY_HOP || protocol == IPV6_ROUTING || protocol == IPV6_FRAGMENT ||
           protocol == IPV6_DESTINATION;
}

static inline uint16_t ipv6_fragment_headers(uint16_t offset_and_more)
{
    if (offset_and_more & IPV6_FRAGMENT_OFFSET)
        return PACKET_FRAGMENT | PACKET_LATER_FRAGMENT;
    return offset_and_more & IPV6_FRAGMENT_MORE ? PACKET_FRAGMENT : 0;
}

static inline bool ipv6_give_up(struct ipv6_walk *walk)
{
    walk->protocol = IPV6_NO_TRANSPORT;
    return false;
}

/* Walk past one extension header; false where the walk ends. `room`: bytes from the header's start. */
static inline bool ipv6_step(struct ipv6_walk *walk, const uint8_t *ipv6, uint32_t room)
{
    bool is_fragment = walk->protocol == IPV6_FRAGMENT;
    if ((walk->protocol == IPV6_HOP_BY_HOP && walk->at != IPV6_BYTES) ||
        (is_fragment && walk->has_fragment_header))
        return ipv6_give_up(walk);
    walk->is_truncated = walk->at + 8u > room;
    if (walk->is_truncated)
        return false;
    const uint8_t *header = ipv6 + walk->at;
    walk->looked_at = (uint16_t)(walk->at + 8);
    uint32_t end = walk->at + (is_fragment ? 8u : (header[1] + 1u) * 8u);
    bool has_segments = walk->protocol == IPV6_ROUTING && header[3] != 0;
    if (has_segments || end > IPV6_BYTES + IPV6_EXTENSION_BYTES)
        return ipv6_give_up(walk);
    walk->is_truncated = end > room;
    if (walk->is_truncated)
        return false;
    if (is_fragment) {
        walk->has_fragment_header = true;
        walk->fragment = ipv6_fragment_headers(load16(header + 2));
    }
    walk->protocol = header[0];
    walk->at = (uint16_t)end;
    walk->looked_at = (uint16_t)end;
    return walk->fragment & PACKET_LATER_FRAGMENT ? ipv6_give_up(walk) : true;
}

/* Walk from an IPv6 header, of which and of what follows `room` bytes are there. */
static inline struct ipv6_walk ipv6_walk(const uint8_t *ipv6, uint32_t room)
{
    struct ipv6_walk walk = {.at = IPV6_BYTES, .looked_at = IPV6_BYTES, .protocol = ipv6[6]};
    while (ipv6_is_extension(walk.protocol) && ipv6_step(&walk, ipv6, room))
        ;
    return walk;
}

#endif
