/* packets.c: what packet.h makes of frames, as text for the test to compare.
 *
 * Reads records from standard input: u32 length and the bytes, then six writes (u32 src, u32 dst,
 * u16 for TTL and protocol, u16 sport, u16 dport, u16 TCP window or ICMP identifier), all
 * little-endian; IPv6 addresses are four copies. For each it prints the reason why the frame is not admitted, or the packet's
 * headers and offsets, its head as received, and its head after those of the writes for which it
 * has the header.
 */
#include <stdio.h>
#include <stdlib.h>

#include "packet.h"

struct writes {
    uint32_t src, dst;
    uint16_t ttl, sport, dport, last;
};

static void set16(struct packet *p, uint8_t *at, uint16_t value,
                  void (*update)(struct packet *, uint16_t, uint16_t))
{
    uint16_t before = load16(at);
    store16(at, value);
    update(p, before, value);
}

static void set_address(struct packet *p, uint8_t *at, uint32_t value)
{
    uint32_t before = load32(at);
    store32(at, value);
    packet_update_ipv4_checksum32(p, before, value);
    packet_update_pseudo_checksum32(p, before, value);
}

static void set_address6(struct packet *p, uint8_t *at, uint32_t value)
{
    uint128_t before = load128(at);
    uint64_t half = (uint64_t)value << 32 | value;
    uint128_t after = UINT128(half, half);
    store128(at, after);
    packet_update_pseudo_checksum128(p, before, after);
}

static void write_all(struct packet *p, const struct writes *w)
{
    if (packet_has_ipv4(p)) {
        set_address(p, PACKET_L3(p) + 12, w->src);
        set_address(p, PACKET_L3(p) + 16, w->dst);
        uint16_t protocol = load8(PACKET_L3(p) + 9);
        set16(p, PACKET_L3(p) + 8, (uint16_t)(w->ttl << 8 | protocol),
              packet_update_ipv4_checksum16);
    }
    if (packet_has_ipv6(p)) {
        set_address6(p, PACKET_L3(p) + 8, w->src);
        set_address6(p, PACKET_L3(p) + 24, w->dst);
        store8(PACKET_L3(p) + 7, (uint8_t)w->ttl);
    }
    if (packet_has_l4(p)) {
        set16(p, PACKET_L4_HEADER(p), w->sport, packet_update_l4_checksum16);
        set16(p, PACKET_L4_HEADER(p) + 2, w->dport, packet_update_l4_checksum16);
    }
    if (packet_has_tcp(p))
        set16(p, PACKET_L4_HEADER(p) + 14, w->last, packet_update_l4_checksum16);
    if (packet_has_icmp_echo(p) || packet_has_icmpv6_echo(p))
        set16(p, PACKET_L4_HEADER(p) + 4, w->last, packet_update_l4_checksum16);
}

static void print_head(const struct packet *p)
{
    putchar(' ');
    for (uint16_t i = 0; i < p->head_length; i++)
        printf("%02x", p->head[i]);
}

static void print_headers(const struct packet *p)
{
    static const struct {
        const char *name;
        bool (*has)(const struct packet *);
    } tests[] = {
        {"eth", packet_has_eth},
        {"vlan", packet_has_vlan},
        {"vlan_inner", packet_has_vlan_inner},
        {"arp", packet_has_arp},
        {"ipv4", packet_has_ipv4},
        {"ipv6", packet_has_ipv6},
        {"fragment", packet_has_fragment},
        {"later_fragment", packet_has_later_fragment},
        {"l4", packet_has_l4},
        {"tcp", packet_has_tcp},
        {"udp", packet_has_udp},
        {"icmp", packet_has_icmp},
        {"icmp_echo", packet_has_icmp_echo},
        {"icmpv6", packet_has_icmpv6},
        {"icmpv6_echo", packet_has_icmpv6_echo},
    };
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)
        if (tests[i].has(p))
            printf("%s%s", i == 0 ? "" : ",", tests[i].name);
    printf(" %u %u", p->l3, p->l4);
}

static void check_parse(const struct packet *p)
{
    struct packet again = *p;
    again.headers = again.l3 = again.l4 = again.l4_checksum = again.head_length = 0xFFFF;
    again.vlan_tags = 7;
    packet_parse(&again);
    if (memcmp(&again, p, sizeof again) == 0)
        return;
    fprintf(stderr, "an NF that parses again finds another packet\n");
    exit(1);
}

static void show(const struct frame *frame, const struct writes *writes)
{
    struct packet packet;
    memset(&packet, 0, sizeof packet);
    enum admission admission = packet_admit(&packet, frame, 1);
    if (admission != ADMITTED) {
        puts(admission_reason_names[admission]);
        return;
    }
    check_parse(&packet);
    print_headers(&packet);
    print_head(&packet);
    write_all(&packet, writes);
    check_parse(&packet);
    print_head(&packet);
    putchar('\n');
}

int main(void)
{
    uint32_t length;
    struct writes writes;
    while (fread(&length, sizeof length, 1, stdin) == 1) {
        uint8_t *data = malloc(length); /* of exactly that size, so that a read behind it shows */
        if (fread(data, 1, length, stdin) != length || fread(&writes, sizeof writes, 1, stdin) != 1)
            return 1;
        show(&(struct frame){data, length}, &writes);
        free(data);
    }
    return 0;
}
