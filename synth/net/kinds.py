"""What a packet can be: a finite universe of kinds, so that patterns are exact sets.

A pattern in the language (`ipv4 & (tcp | udp) & !fragment`) denotes a set of kinds; narrowing is
intersection, a handler set is complete when the union of its patterns is the universe, and a field
may be read when every remaining kind has its header. A packet's kind is settled at admission and
no field write changes it: fields that decide the structure cannot be assigned.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Literal

L3 = Literal["none", "arp", "ipv4", "ipv6"]
L4 = Literal["none", "tcp", "udp", "icmp_echo", "icmp_other", "icmpv6_echo", "icmpv6_other"]
Fragment = Literal["whole", "first", "later"]


@dataclass(frozen=True, slots=True)
class Kind:
    """One way in which a well-formed frame can be built, as far as the language can tell."""

    vlan_tags: int  # 0, 1 or 2
    l3: L3
    l4: L4
    fragment: Fragment

    def has(self, header: str) -> bool:
        """Tell whether frames of this kind have the named header or property."""
        return header in _headers(self)


@cache
def _headers(kind: Kind) -> frozenset[str]:
    present = {"eth"}
    if kind.vlan_tags >= 1:
        present.add("vlan")
    if kind.vlan_tags == 2:
        present.add("vlan_inner")
    if kind.l3 != "none":
        present.add(kind.l3)
    if kind.fragment != "whole":
        present.add("fragment")
    if kind.fragment == "later":
        present.add("later_fragment")
    if kind.l4 in ("tcp", "udp"):
        present |= {kind.l4, "l4"}
    if kind.l4 in ("icmp_echo", "icmp_other"):
        present.add("icmp")
    if kind.l4 == "icmp_echo":
        present.add("icmp_echo")
    if kind.l4 in ("icmpv6_echo", "icmpv6_other"):
        present.add("icmpv6")
    if kind.l4 == "icmpv6_echo":
        present.add("icmpv6_echo")
    return frozenset(present)


HEADERS: tuple[str, ...] = (
    "eth", "vlan", "vlan_inner", "arp", "ipv4", "ipv6", "fragment", "later_fragment",
    "l4", "tcp", "udp", "icmp", "icmp_echo", "icmpv6", "icmpv6_echo",
)  # fmt: skip
"""Every word that a pattern may use, outermost header first."""


TRANSPORTS: Mapping[L3, tuple[L4, ...]] = {
    "ipv4": ("none", "tcp", "udp", "icmp_echo", "icmp_other"),
    "ipv6": ("none", "tcp", "udp", "icmpv6_echo", "icmpv6_other"),
}
"""What can follow each IP header: ICMP is no protocol of IPv6, nor ICMPv6 one of IPv4."""


def _universe() -> frozenset[Kind]:
    kinds: set[Kind] = set()
    for tags in (0, 1, 2):
        kinds |= {Kind(tags, "none", "none", "whole"), Kind(tags, "arp", "none", "whole")}
        fragments: tuple[Fragment, ...] = ("whole", "first")
        for l3, l4s in TRANSPORTS.items():
            kinds |= {Kind(tags, l3, l4, fragment) for l4, fragment in product(l4s, fragments)}
            kinds.add(Kind(tags, l3, "none", "later"))
    return frozenset(kinds)


UNIVERSE: frozenset[Kind] = _universe()
"""All kinds. Quoted headers and tunnels extend this set; nothing else enumerates kinds."""


def kinds_with(header: str) -> frozenset[Kind]:
    """Return the kinds that have a header or property of `HEADERS`."""
    return frozenset(kind for kind in UNIVERSE if kind.has(header))
