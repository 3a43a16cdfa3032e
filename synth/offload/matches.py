"""What a flow entry can ask of a packet, field by field.

Names are those of OpenFlow's OXM fields (OpenFlow 1.3.5, section 7.2.3.7). `tcp_flags` is OpenFlow 1.5's;
before, it is an extension of the ONF, which masks of ports are too.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

ETH_TYPE_IPV4 = 0x0800
ETH_TYPE_ARP = 0x0806
TAG_PRESENT = 0x1000
"""`OFPVID_PRESENT`: set in `vlan_vid` when there is a tag. Without it a match asks for no tag at all."""
ICMP, TCP, UDP = 1, 6, 17


@dataclass(frozen=True, slots=True)
class MatchField:
    """A field: its width in bits, whether a part of it may be asked, and what must be asked beside it.

    A prerequisite of None is any value that says the header is there.
    """

    width: int
    is_maskable: bool = False
    prerequisites: tuple[tuple[str, int | None], ...] = ()


_IPV4: tuple[tuple[str, int | None], ...] = (("eth_type", ETH_TYPE_IPV4),)
_TCP = (*_IPV4, ("ip_proto", TCP))
_UDP = (*_IPV4, ("ip_proto", UDP))
_ICMP = (*_IPV4, ("ip_proto", ICMP))

MATCH_FIELDS: Mapping[str, MatchField] = {
    "in_port": MatchField(32),
    "vlan_vid": MatchField(13, is_maskable=True),
    "vlan_pcp": MatchField(3, prerequisites=(("vlan_vid", None),)),
    "eth_type": MatchField(16),
    "ip_proto": MatchField(8, prerequisites=_IPV4),
    "ipv4_src": MatchField(32, is_maskable=True, prerequisites=_IPV4),
    "ipv4_dst": MatchField(32, is_maskable=True, prerequisites=_IPV4),
    "tcp_src": MatchField(16, is_maskable=True, prerequisites=_TCP),
    "tcp_dst": MatchField(16, is_maskable=True, prerequisites=_TCP),
    "tcp_flags": MatchField(12, is_maskable=True, prerequisites=_TCP),
    "udp_src": MatchField(16, is_maskable=True, prerequisites=_UDP),
    "udp_dst": MatchField(16, is_maskable=True, prerequisites=_UDP),
    "icmpv4_type": MatchField(8, prerequisites=_ICMP),
    "icmpv4_code": MatchField(8, prerequisites=_ICMP),
}
"""In the order in which a match is written."""

PORT_FIELDS: Mapping[int, tuple[str, str]] = {TCP: ("tcp_src", "tcp_dst"), UDP: ("udp_src", "udp_dst")}
"""The port fields of the protocols whose ports the language knows."""


@dataclass(frozen=True, slots=True)
class Test:
    """One field's wanted value; only the bits of `mask` count, others of `value` are zero."""

    field: str
    value: int
    mask: int


Match = tuple[Test, ...]
"""All must hold; in the order of `MATCH_FIELDS`, no field twice."""


def exactly(field: str, value: int) -> Test:
    """Return the test that a field is just this value."""
    return Test(field, value, (1 << MATCH_FIELDS[field].width) - 1)


def match_of(*tests: Test) -> Match:
    """Return the match that asks all this; tests that ask nothing are left out."""
    order = list(MATCH_FIELDS)
    return tuple(sorted((test for test in tests if test.mask), key=lambda test: order.index(test.field)))


def is_covered(match: Match, by: Match) -> bool:
    """Tell whether every packet of the first match is one of the second."""
    own = {test.field: test for test in match}
    return all(
        (mine := own.get(test.field)) is not None
        and mine.mask & test.mask == test.mask
        and mine.value & test.mask == test.value
        for test in by
    )


def overlap(one: Match, other: Match) -> bool:
    """Tell whether some packet satisfies both matches."""
    theirs = {test.field: test for test in other}
    return all(
        (second := theirs.get(first.field)) is None
        or (first.value ^ second.value) & first.mask & second.mask == 0
        for first in one
    )


def find_violations(match: Match) -> Iterator[str]:
    """Yield what OpenFlow does not allow about a match, in words."""
    asked = {test.field: test for test in match}
    for test in match:
        field = MATCH_FIELDS[test.field]
        full = (1 << field.width) - 1
        if test.value & ~test.mask or test.mask & ~full:
            yield f"{test.field}: {test.value:#x}/{test.mask:#x} is wider than its mask or field"
        if test.mask != full and not field.is_maskable:
            yield f"{test.field} cannot be masked"
        for name, value in field.prerequisites:
            if not _is_there(asked.get(name), name, value):
                yield f"{test.field} needs {name} beside it"


def _is_there(test: Test | None, name: str, value: int | None) -> bool:
    if value is None:
        return test is not None and test.value & TAG_PRESENT != 0
    return test == exactly(name, value)
