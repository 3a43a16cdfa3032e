/* packet_parse.h: which frames are admitted, and what a packet is. Included by packet.h.
 *
 * Admission looks at a received frame once, before any NF, with all checks in the order of `enum
 * admission` (`ipv4_truncated` also behind `ipv4_header_length`, when the options go beyond the
 * frame). It is what synth/net/frame.py does in Python. Lengths come from the IP header.
 */
#ifndef PACKET_PARSE_H
#define PACKET_PARSE_H

#ifndef PACKET_H
#error "include packet.h"
#endif

enum {
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_ARP = 0x0806,
    ETHERTYPE_IPV6 = 0x86DD,
    ETHERTYPE_VLAN = 0x8100,
    ETHERTYPE_SERVICE_VLAN = 0x88A8,
    VLAN_TAGS_MOST = 2,
    PROTOCOL_ICMP = 1,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
    PROTOCOL_ICMPV6 = 58,
    ICMP_ECHO_REPLY = 0,
    ICMP_ECHO_REQUEST = 8,
    ICMPV6_ECHO_REQUEST = 128,
    ICMPV6_ECHO_REPLY = 129,
    FRAGMENT_MORE = 0x2000,
    FRAGMENT_OFFSET = 0x1FFF
};

/* Hardware type Ethernet, protocol type IPv4, and their address lengths. */
#define ARP_OVER_ETHERNET 0x0001080006040000u
#define ARP_OVER_ETHERNET_MASK 0xFFFFFFFFFFFF0000u

static inline bool packet_is_vlan_type(uint16_t type)
{
    return type == ETHERTYPE_VLAN || type == ETHERTYPE_SERVICE_VLAN;
}

static inline uint16_t packet_fragment_headers(uint16_t flags_and_offset)
{
    if (flags_and_offset & FRAGMENT_OFFSET)
        return PACKET_FRAGMENT | PACKET_LATER_FRAGMENT;
    return flags_and_offset & FRAGMENT_MORE ? PACKET_FRAGMENT : 0;
}

static inline bool packet_is_icmp_echo(uint8_t type)
{
    return type == ICMP_ECHO_REQUEST || type == ICMP_ECHO_REPLY;
}

static inline bool packet_is_icmpv6_echo(uint8_t type)
{
    return type == ICMPV6_ECHO_REQUEST || type == ICMPV6_ECHO_REPLY;
}

/* What follows an IP header, or PROTOCOL_UNKNOWN: ICMP is none of IPv6's, nor ICMPv6 one of IPv4's. */
enum { PROTOCOL_UNKNOWN = 255 };

static inline uint8_t transport_of_ipv4(uint8_t protocol)
{
    return protocol == PROTOCOL_ICMPV6 ? PROTOCOL_UNKNOWN : protocol;
}

static inline uint8_t transport_of_ipv6(uint8_t protocol)
{
    return protocol == PROTOCOL_ICMP ? PROTOCOL_UNKNOWN : protocol;
}

/* Note the L4 header that begins at `l4`, and how much of it belongs to the head. */
static inline void packet_set_l4(struct packet *p, uint16_t l4, uint16_t headers,
                                 uint16_t checksum_at, uint16_t bytes)
{
    p->headers |= headers;
    p->l4 = l4;
    p->l4_checksum = (uint16_t)(l4 + checksum_at);
    p->head_length = (uint16_t)(l4 + bytes);
}

/* Note what L4 header a whole or first fragment has; `l4` points at its bytes. */
static inline void packet_note_l4(struct packet *p, uint16_t at, uint8_t protocol,
                                  const uint8_t *l4)
{
    if (protocol == PROTOCOL_TCP)
        packet_set_l4(p, at, PACKET_L4 | PACKET_TCP, 16, TCP_BYTES);
    else if (protocol == PROTOCOL_UDP)
        packet_set_l4(p, at, PACKET_L4 | PACKET_UDP, 6, UDP_BYTES);
    else if (protocol == PROTOCOL_ICMP && packet_is_icmp_echo(l4[0]))
        packet_set_l4(p, at, PACKET_ICMP | PACKET_ICMP_ECHO, 2, ICMP_ECHO_BYTES);
    else if (protocol == PROTOCOL_ICMP)
        packet_set_l4(p, at, PACKET_ICMP, 2, ICMP_BYTES);
    else if (protocol == PROTOCOL_ICMPV6 && packet_is_icmpv6_echo(l4[0]))
        packet_set_l4(p, at, PACKET_ICMPV6 | PACKET_ICMPV6_ECHO, 2, ICMP_ECHO_BYTES);
    else if (protocol == PROTOCOL_ICMPV6)
        packet_set_l4(p, at, PACKET_ICMPV6, 2, ICMP_BYTES);
}

/* Note whether ARP is for IPv4 over Ethernet. Its first bytes say so, and are in the head even when
 * it is not: who parses the head again must find the same. */
static inline bool packet_note_arp(struct packet *p, const uint8_t *arp)
{
    bool is_known = (load64(arp) & ARP_OVER_ETHERNET_MASK) == ARP_OVER_ETHERNET;
    p->headers |= is_known ? PACKET_ARP : 0;
    p->head_length = (uint16_t)(p->l3 + (is_known ? ARP_BYTES : ARP_TYPES_BYTES));
    return is_known;
}

/* Note the IPv6 header, and the L4 header that a walk has found behind it. */
static inline void packet_note_ipv6(struct packet *p, const uint8_t *ipv6, struct ipv6_walk walk)
{
    p->headers |= (uint16_t)(PACKET_IPV6 | walk.fragment);
    p->head_length = (uint16_t)(p->l3 + walk.looked_at);
    packet_note_l4(p, (uint16_t)(p->l3 + walk.at), transport_of_ipv6(walk.protocol),
                   ipv6 + walk.at);
}

/* Note the tags, and where what follows them begins. Nothing else of the packet is known then. */
static inline void packet_note_tags(struct packet *p, uint16_t tags)
{
    static const uint16_t headers[VLAN_TAGS_MOST + 1] = {0, PACKET_VLAN,
                                                         PACKET_VLAN | PACKET_VLAN_INNER};
    p->vlan_tags = tags;
    p->headers = headers[tags];
    p->l3 = (uint16_t)(ETHERNET_BYTES + tags * VLAN_TAG_BYTES);
    p->head_length = p->l3;
    p->l4 = 0;
    p->l4_checksum = 0;
}

static inline uint16_t packet_count_tags(const uint8_t *head)
{
    uint16_t tags = 0;
    while (tags < VLAN_TAGS_MOST &&
           packet_is_vlan_type(load16(head + ETHERNET_BYTES - 2 + tags * VLAN_TAG_BYTES)))
        tags++;
    return tags;
}

/* Find the headers of an admitted packet again, as an NF does that stands alone. It looks at
 * nothing but the head, and ends with what it found before: writes cannot change what a packet is.
 */
static inline void packet_parse(struct packet *p)
{
    packet_note_tags(p, packet_count_tags(p->head));
    const uint8_t *l3 = PACKET_L3(p);
    uint16_t type = load16(l3 - 2);
    if (type == ETHERTYPE_ARP)
        packet_note_arp(p, l3);
    if (type == ETHERTYPE_IPV6)
        packet_note_ipv6(p, l3, ipv6_walk(l3, HEAD_BYTES));
    if (type != ETHERTYPE_IPV4)
        return;
    uint16_t header = (uint16_t)((l3[0] & 15) * 4);
    p->headers |= (uint16_t)(PACKET_IPV4 | packet_fragment_headers(load16(l3 + 6)));
    p->head_length = (uint16_t)(p->l3 + header);
    if (!packet_has_later_fragment(p))
        packet_note_l4(p, (uint16_t)(p->l3 + header), transport_of_ipv4(l3[9]), l3 + header);
}

static inline enum admission packet_admit_tcp(const uint8_t *l4, uint32_t room, bool is_whole)
{
    if (room < TCP_BYTES)
        return is_whole ? ADMISSION_TCP_TRUNCATED : ADMISSION_TINY_FRAGMENT;
    uint32_t header = (uint32_t)(l4[12] >> 4) * 4;
    if (header < TCP_BYTES || (header > room && is_whole))
        return ADMISSION_TCP_DATA_OFFSET;
    return header <= room ? ADMITTED : ADMISSION_TINY_FRAGMENT;
}

static inline enum admission packet_admit_udp(const uint8_t *l4, uint32_t room, bool is_whole)
{
    if (room < UDP_BYTES)
        return is_whole ? ADMISSION_UDP_TRUNCATED : ADMISSION_TINY_FRAGMENT;
    uint16_t length = load16(l4 + 4);
    return is_whole && (length < UDP_BYTES || length > room) ? ADMISSION_UDP_LENGTH : ADMITTED;
}

static inline enum admission packet_admit_icmp(const uint8_t *l4, uint32_t room, bool is_whole,
                                               bool (*is_echo)(uint8_t type))
{
    if (room < ICMP_BYTES || (is_echo(l4[0]) && room < ICMP_ECHO_BYTES))
        return is_whole ? ADMISSION_ICMP_TRUNCATED : ADMISSION_TINY_FRAGMENT;
    return ADMITTED;
}

/* Check the L4 header, of which `room` bytes are in this datagram. */
static inline enum admission packet_admit_l4(uint8_t protocol, const uint8_t *l4, uint32_t room,
                                             bool is_whole)
{
    switch (protocol) {
    case PROTOCOL_TCP: return packet_admit_tcp(l4, room, is_whole);
    case PROTOCOL_UDP: return packet_admit_udp(l4, room, is_whole);
    case PROTOCOL_ICMP: return packet_admit_icmp(l4, room, is_whole, packet_is_icmp_echo);
    case PROTOCOL_ICMPV6: return packet_admit_icmp(l4, room, is_whole, packet_is_icmpv6_echo);
    default: return ADMITTED;
    }
}

static inline enum admission packet_admit_ipv4(struct packet *p, const struct frame *frame)
{
    const uint8_t *ipv4 = frame->data + p->l3;
    uint32_t room = frame->length - p->l3;
    if (room < IPV4_BYTES)
        return ADMISSION_IPV4_TRUNCATED;
    if (ipv4[0] >> 4 != 4)
        return ADMISSION_IPV4_VERSION;
    uint32_t header = (ipv4[0] & 15u) * 4;
    if (header < IPV4_BYTES)
        return ADMISSION_IPV4_HEADER_LENGTH;
    if (header > room)
        return ADMISSION_IPV4_TRUNCATED;
    uint32_t total = load16(ipv4 + 2);
    if (total < header || total > room)
        return ADMISSION_IPV4_LENGTH;
    if (!checksum_is_right(ipv4, header))
        return ADMISSION_IPV4_CHECKSUM;
    uint16_t fragment = packet_fragment_headers(load16(ipv4 + 6));
    p->headers |= (uint16_t)(PACKET_IPV4 | fragment);
    p->head_length = (uint16_t)(p->l3 + header);
    if (fragment & PACKET_LATER_FRAGMENT)
        return ADMITTED;
    uint8_t protocol = transport_of_ipv4(ipv4[9]);
    enum admission l4 = packet_admit_l4(protocol, ipv4 + header, total - header, fragment == 0);
    if (l4 == ADMITTED)
        packet_note_l4(p, (uint16_t)(p->l3 + header), protocol, ipv4 + header);
    return l4;
}

static inline enum admission packet_admit_ipv6(struct packet *p, const struct frame *frame)
{
    const uint8_t *ipv6 = frame->data + p->l3;
    uint32_t room = frame->length - p->l3;
    if (room < IPV6_BYTES)
        return ADMISSION_IPV6_TRUNCATED;
    if (ipv6[0] >> 4 != 6)
        return ADMISSION_IPV6_VERSION;
    uint32_t total = IPV6_BYTES + (uint32_t)load16(ipv6 + 4);
    if (total > room)
        return ADMISSION_IPV6_LENGTH;
    struct ipv6_walk walk = ipv6_walk(ipv6, total);
    if (walk.is_truncated)
        return walk.fragment ? ADMISSION_TINY_FRAGMENT : ADMISSION_IPV6_EXTENSION_TRUNCATED;
    enum admission l4 = packet_admit_l4(transport_of_ipv6(walk.protocol), ipv6 + walk.at,
                                        total - walk.at, walk.fragment == 0);
    if (l4 == ADMITTED)
        packet_note_ipv6(p, ipv6, walk);
    return l4;
}

static inline enum admission packet_admit_arp(struct packet *p, const struct frame *frame)
{
    uint32_t room = frame->length - p->l3;
    if (room < ARP_TYPES_BYTES)
        return ADMISSION_ARP_TRUNCATED;
    bool is_known = packet_note_arp(p, frame->data + p->l3);
    return is_known && room < ARP_BYTES ? ADMISSION_ARP_TRUNCATED : ADMITTED;
}

/* Give a received 0xFFFF its canonical name 0x0000; UDP's is left (there 0x0000 means "none"). */
static inline void packet_make_canonical(uint8_t *checksum)
{
    if (load16(checksum) == 0xFFFF)
        store16(checksum, 0);
}

static inline enum admission packet_admit_headers(struct packet *p, const struct frame *frame)
{
    uint16_t tags = 0;
    if (frame->length < ETHERNET_BYTES)
        return ADMISSION_TOO_SHORT;
    while (tags < VLAN_TAGS_MOST &&
           packet_is_vlan_type(load16(frame->data + ETHERNET_BYTES - 2 + tags * VLAN_TAG_BYTES))) {
        tags++;
        if (frame->length < (uint32_t)(ETHERNET_BYTES + tags * VLAN_TAG_BYTES))
            return ADMISSION_VLAN_TRUNCATED;
    }
    packet_note_tags(p, tags);
    switch (load16(frame->data + p->l3 - 2)) {
    case ETHERTYPE_IPV4: return packet_admit_ipv4(p, frame);
    case ETHERTYPE_ARP: return packet_admit_arp(p, frame);
    case ETHERTYPE_IPV6: return packet_admit_ipv6(p, frame);
    default: return ADMITTED;
    }
}

/* The common case of packet_admit_headers in a straight line: whole TCP and UDP datagrams without tags and
 * options. False for all else, and for what is wrong: nothing is noted then. */
static inline bool packet_admit_plain(struct packet *p, const struct frame *frame)
{
    const uint8_t *ipv4 = frame->data + ETHERNET_BYTES;
    const uint8_t *l4 = ipv4 + IPV4_BYTES;
    if (frame->length < ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES ||
        load16(ipv4 - 2) != ETHERTYPE_IPV4 || ipv4[0] != 0x45 ||
        (load16(ipv4 + 6) & (FRAGMENT_MORE | FRAGMENT_OFFSET)) != 0)
        return false;
    uint32_t total = load16(ipv4 + 2);
    if (total < IPV4_BYTES + UDP_BYTES || total > frame->length - ETHERNET_BYTES ||
        !checksum_is_right(ipv4, IPV4_BYTES))
        return false;
    uint32_t room = total - IPV4_BYTES;
    bool is_tcp = ipv4[9] == PROTOCOL_TCP;
    if (is_tcp ? packet_admit_tcp(l4, room, true) != ADMITTED
               : ipv4[9] != PROTOCOL_UDP || packet_admit_udp(l4, room, true) != ADMITTED)
        return false;
    p->vlan_tags = 0;
    p->l3 = ETHERNET_BYTES;
    p->headers = is_tcp ? PACKET_IPV4 | PACKET_L4 | PACKET_TCP : PACKET_IPV4 | PACKET_L4 | PACKET_UDP;
    p->l4 = ETHERNET_BYTES + IPV4_BYTES;
    p->l4_checksum = (uint16_t)(p->l4 + (is_tcp ? 16 : 6));
    p->head_length = (uint16_t)(p->l4 + (is_tcp ? TCP_BYTES : UDP_BYTES));
    return true;
}

/* Check a received frame and make `p` its packet, all but `p->frame`. When it is not ADMITTED,
 * `p` holds nothing of use. */
static inline enum admission packet_admit(struct packet *p, const struct frame *frame,
                                          uint16_t interface)
{
    if (!packet_admit_plain(p, frame)) {
        enum admission admission = packet_admit_headers(p, frame);
        if (admission != ADMITTED)
            return admission;
    }
    p->length = frame->length;
    p->interface = interface;
#ifdef PACKET_MADE
    p->frame_data = frame->data;
    p->made_head = 0;
#endif
#ifdef PACKET_IN_FRAME
    p->head = (uint8_t *)(uintptr_t)frame->data;
    p->ipv4_change = 0;
    p->l4_change = 0;
#else
    memcpy(p->head, frame->data, p->head_length);
    if (packet_has_ipv4(p))
        packet_make_canonical(PACKET_L3(p) + 10);
    if (p->l4_checksum != 0 && !packet_has_udp(p))
        packet_make_canonical(p->head + p->l4_checksum);
#endif
#ifdef PACKET_VISITS
    memset(p->visits, 0, sizeof p->visits);
#endif
    return ADMITTED;
}

#endif
