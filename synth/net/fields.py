"""Header fields: one table that every layer reads.

A field's graph name is `<header>.<field>`. `bit_offset` counts from the first bit of the header as
it stands in the frame (network order), so `ipv4.df` is bit 49. TCP's and UDP's ports are one
field each, `l4.sport` and `l4.dport`: they stand at the same place, and a write through one name
must be seen through the other (`ALIASES`).
"""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["uint", "bool", "mac", "ipv4", "ipv6"]
Cover = Literal["none", "ipv4", "l4", "ipv4+pseudo", "pseudo"]


@dataclass(frozen=True, slots=True)
class HeaderField:
    """One field of a header.

    Attributes:
        header: the header instance that must be present (a word of `kinds.HEADERS`).
        name: the field's name in that header.
        kind: how the language types it.
        bit_offset: first bit, counted from the start of the header.
        width: size in bits.
        is_writable: false for fields that decide the packet's structure or are computed.
        covered_by: which checksums change with it: the IPv4 header's, the L4 one, or the
            IPv4 header's and, through the pseudo header, the L4 one too (`ipv4+pseudo`), or that
            alone (`pseudo`: an IPv6 header has no checksum).
    """

    header: str
    name: str
    kind: Kind
    bit_offset: int
    width: int
    is_writable: bool
    covered_by: Cover

    @property
    def path(self) -> str:
        """The field's name in the graph, `header.name`."""
        return f"{self.header}.{self.name}"


def _fields() -> dict[str, HeaderField]:
    rows: list[tuple[str, Kind, int, int, bool, Cover]] = [
        ("eth.dst", "mac", 0, 48, True, "none"),
        ("eth.src", "mac", 48, 48, True, "none"),
        # The type that follows the VLAN tags: its place in the frame is that of the innermost type.
        ("eth.type", "uint", 96, 16, False, "none"),
        # A tag is counted from its TCI.
        ("vlan.pcp", "uint", 0, 3, True, "none"),
        ("vlan.dei", "bool", 3, 1, True, "none"),
        ("vlan.vid", "uint", 4, 12, True, "none"),
        ("vlan_inner.pcp", "uint", 0, 3, True, "none"),
        ("vlan_inner.dei", "bool", 3, 1, True, "none"),
        ("vlan_inner.vid", "uint", 4, 12, True, "none"),
        ("arp.operation", "uint", 48, 16, True, "none"),
        ("arp.sender_mac", "mac", 64, 48, True, "none"),
        ("arp.sender_ip", "ipv4", 112, 32, True, "none"),
        ("arp.target_mac", "mac", 144, 48, True, "none"),
        ("arp.target_ip", "ipv4", 192, 32, True, "none"),
        ("ipv4.ihl", "uint", 4, 4, False, "ipv4"),
        ("ipv4.dscp", "uint", 8, 6, True, "ipv4"),
        ("ipv4.ecn", "uint", 14, 2, True, "ipv4"),
        ("ipv4.length", "uint", 16, 16, False, "ipv4"),
        ("ipv4.id", "uint", 32, 16, True, "ipv4"),
        ("ipv4.df", "bool", 49, 1, True, "ipv4"),
        ("ipv4.mf", "bool", 50, 1, False, "ipv4"),
        ("ipv4.fragment_offset", "uint", 51, 13, False, "ipv4"),
        ("ipv4.ttl", "uint", 64, 8, True, "ipv4"),
        ("ipv4.protocol", "uint", 72, 8, False, "ipv4"),
        ("ipv4.src", "ipv4", 96, 32, True, "ipv4+pseudo"),
        ("ipv4.dst", "ipv4", 128, 32, True, "ipv4+pseudo"),
        ("ipv6.dscp", "uint", 4, 6, True, "none"),
        ("ipv6.ecn", "uint", 10, 2, True, "none"),
        ("ipv6.flow_label", "uint", 12, 20, True, "none"),
        # Of what follows the fixed header, extension headers included.
        ("ipv6.length", "uint", 32, 16, False, "none"),
        ("ipv6.next_header", "uint", 48, 8, False, "none"),
        ("ipv6.hop_limit", "uint", 56, 8, True, "none"),
        ("ipv6.src", "ipv6", 64, 128, True, "pseudo"),
        ("ipv6.dst", "ipv6", 192, 128, True, "pseudo"),
        ("l4.sport", "uint", 0, 16, True, "l4"),
        ("l4.dport", "uint", 16, 16, True, "l4"),
        ("tcp.seq", "uint", 32, 32, True, "l4"),
        ("tcp.ack_number", "uint", 64, 32, True, "l4"),
        ("tcp.data_offset", "uint", 96, 4, False, "l4"),
        ("tcp.cwr", "bool", 104, 1, True, "l4"),
        ("tcp.ece", "bool", 105, 1, True, "l4"),
        ("tcp.urg", "bool", 106, 1, True, "l4"),
        ("tcp.ack", "bool", 107, 1, True, "l4"),
        ("tcp.psh", "bool", 108, 1, True, "l4"),
        ("tcp.rst", "bool", 109, 1, True, "l4"),
        ("tcp.syn", "bool", 110, 1, True, "l4"),
        ("tcp.fin", "bool", 111, 1, True, "l4"),
        ("tcp.window", "uint", 112, 16, True, "l4"),
        ("udp.length", "uint", 32, 16, False, "l4"),
        ("icmp.type", "uint", 0, 8, False, "l4"),
        ("icmp.code", "uint", 8, 8, False, "l4"),
        ("icmp_echo.id", "uint", 32, 16, True, "l4"),
        ("icmp_echo.seq", "uint", 48, 16, True, "l4"),
        ("icmpv6.type", "uint", 0, 8, False, "l4"),
        ("icmpv6.code", "uint", 8, 8, False, "l4"),
        ("icmpv6_echo.id", "uint", 32, 16, True, "l4"),
        ("icmpv6_echo.seq", "uint", 48, 16, True, "l4"),
    ]
    table = {}
    for path, kind, offset, width, writable, cover in rows:
        header, name = path.split(".")
        table[path] = HeaderField(header, name, kind, offset, width, writable, cover)
    return table


FIELDS: dict[str, HeaderField] = _fields()
"""Every header field by its graph name, in the order of the headers on the wire."""

ALIASES: dict[str, str] = {
    "tcp.sport": "l4.sport",
    "tcp.dport": "l4.dport",
    "udp.sport": "l4.sport",
    "udp.dport": "l4.dport",
}
"""Second names of fields. The key's header is what a reader must have tested for."""
