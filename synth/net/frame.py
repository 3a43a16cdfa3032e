"""Frames: which are admitted and what they are, their fields, and writing them back.

Admission happens once, before any NF. It settles the packet's kind, and makes a received checksum
0xFFFF of IPv4, TCP or ICMP 0x0000 (see `checksum.py`). Lengths come from the IP header. Checks are made in
the order of `REASONS`; the first that fails names the drop. IPv6 is walked in `ipv6.py`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from synth.net.checksum import adjusted, adjusted_udp, field_difference, words_sum
from synth.net.fields import FIELDS, HeaderField
from synth.net.ipv6 import NO_TRANSPORT, Truncated, find_transport
from synth.net.kinds import HEADERS, L3, L4, UNIVERSE, Fragment, Kind

Reason = Literal[
    "too_short", "vlan_truncated", "arp_truncated",
    "ipv4_truncated", "ipv4_version", "ipv4_header_length", "ipv4_length", "ipv4_checksum",
    "ipv6_truncated", "ipv6_version", "ipv6_length", "ipv6_extension_truncated",
    "tcp_truncated", "tcp_data_offset", "udp_truncated", "udp_length", "icmp_truncated", "tiny_fragment",
]  # fmt: skip

REASONS: tuple[Reason, ...] = (
    "too_short", "vlan_truncated", "arp_truncated",
    "ipv4_truncated", "ipv4_version", "ipv4_header_length", "ipv4_length", "ipv4_checksum",
    "ipv6_truncated", "ipv6_version", "ipv6_length", "ipv6_extension_truncated",
    "tcp_truncated", "tcp_data_offset", "udp_truncated", "udp_length", "icmp_truncated", "tiny_fragment",
)  # fmt: skip
"""Why a frame is not admitted, in the order of the checks. The drop is `<interface>.<reason>`.

`ipv4_truncated` is also given, after `ipv4_header_length`, when the header with its options goes
beyond the frame.
"""

VLAN_TYPES = frozenset((0x8100, 0x88A8))
ARP_OVER_ETHERNET = bytes.fromhex("000108000604")
Protocol = Literal["tcp", "udp", "icmp", "icmpv6"]
PROTOCOLS: Mapping[int, Protocol] = {1: "icmp", 6: "tcp", 17: "udp"}
IPV6_PROTOCOLS: Mapping[int, Protocol] = {6: "tcp", 17: "udp", 58: "icmpv6"}
ECHO_TYPES = frozenset((0, 8))
ICMPV6_ECHO_TYPES = frozenset((128, 129))
IPV6_BYTES = 40

_PRESENT = {kind: frozenset(word for word in HEADERS if kind.has(word)) for kind in UNIVERSE}
_CHECKSUM_AT: Mapping[L4, int] = {
    "tcp": 16, "udp": 6, "icmp_echo": 2, "icmp_other": 2, "icmpv6_echo": 2, "icmpv6_other": 2,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Frame:
    """An admitted frame.

    Attributes:
        data: the bytes, without FCS, checksums made canonical.
        kind: what the packet is.
        present: the words of `HEADERS` that hold for it.
        l3: where what follows the innermost type begins.
        l4: where the layer 4 header begins; 0 when there is none.
    """

    data: bytes
    kind: Kind
    present: frozenset[str]
    l3: int
    l4: int = 0


@dataclass(frozen=True, slots=True)
class Rejected:
    """A frame that no NF gets to see."""

    reason: Reason


# ---------------------------------------------------------------- admission


def admit(data: bytes) -> Frame | Rejected:
    """Parse a received frame."""
    if len(data) < 14:
        return Rejected("too_short")
    at, tags = 14, 0
    while tags < 2 and _u16(data, at - 2) in VLAN_TYPES:
        at, tags = at + 4, tags + 1
        if len(data) < at:
            return Rejected("vlan_truncated")
    match _u16(data, at - 2):
        case 0x0800:
            return _admit_ipv4(data, tags, at)
        case 0x0806:
            return _admit_arp(data, tags, at)
        case 0x86DD:
            return _admit_ipv6(data, tags, at)
        case _:
            return _frame(data, tags, at, "none")


def _admit_arp(data: bytes, tags: int, at: int) -> Frame | Rejected:
    if len(data) < at + 8:
        return Rejected("arp_truncated")
    if not data.startswith(ARP_OVER_ETHERNET, at):
        return _frame(data, tags, at, "none")
    if len(data) < at + 28:
        return Rejected("arp_truncated")
    return _frame(data, tags, at, "arp")


def _admit_ipv4(data: bytes, tags: int, at: int) -> Frame | Rejected:
    room = len(data) - at
    if room < 20:
        return Rejected("ipv4_truncated")
    if data[at] >> 4 != 4:
        return Rejected("ipv4_version")
    header = (data[at] & 15) * 4
    if header < 20:
        return Rejected("ipv4_header_length")
    if header > room:
        return Rejected("ipv4_truncated")
    total = _u16(data, at + 2)
    if not header <= total <= room:
        return Rejected("ipv4_length")
    if words_sum(data[at : at + header]) != 0:
        return Rejected("ipv4_checksum")
    data = _canonical(data, at + 10)
    fragment = _fragment(_u16(data, at + 6))
    name = None if fragment == "later" else PROTOCOLS.get(data[at + 9])
    return _with_l4(_frame(data, tags, at, "ipv4", fragment=fragment), name, at + header, at + total)


def _admit_ipv6(data: bytes, tags: int, at: int) -> Frame | Rejected:
    room = len(data) - at
    if room < IPV6_BYTES:
        return Rejected("ipv6_truncated")
    if data[at] >> 4 != 6:
        return Rejected("ipv6_version")
    end = at + IPV6_BYTES + _u16(data, at + 4)
    if end > len(data):
        return Rejected("ipv6_length")
    found = find_transport(data, at + IPV6_BYTES, end, data[at + 6])
    if isinstance(found, Truncated):
        return Rejected("tiny_fragment" if found.is_fragment else "ipv6_extension_truncated")
    name = None if found.protocol == NO_TRANSPORT else IPV6_PROTOCOLS.get(found.protocol)
    return _with_l4(_frame(data, tags, at, "ipv6", fragment=found.fragment), name, found.at, end)


def _with_l4(frame: Frame, name: Protocol | None, at: int, end: int) -> Frame | Rejected:
    """Return a frame with the layer 4 header that begins at `at`; the datagram ends at `end`."""
    if name is None:
        return frame
    kind = frame.kind
    l4 = _admit_l4(frame.data, at, end - at, name, is_whole=kind.fragment == "whole")
    if isinstance(l4, Rejected):
        return l4
    data = frame.data if l4 == "udp" else _canonical(frame.data, at + _CHECKSUM_AT[l4])
    return _frame(data, kind.vlan_tags, frame.l3, kind.l3, fragment=kind.fragment, l4=l4, l4_at=at)


def _fragment(flags_and_offset: int) -> Fragment:
    if flags_and_offset & 0x1FFF:
        return "later"
    return "first" if flags_and_offset & 0x2000 else "whole"


def _admit_l4(data: bytes, at: int, room: int, name: Protocol, *, is_whole: bool) -> L4 | Rejected:
    """Check the layer 4 header, of which `room` bytes are in this datagram."""
    match name:
        case "tcp":
            if room < 20:
                return Rejected("tcp_truncated" if is_whole else "tiny_fragment")
            header = (data[at + 12] >> 4) * 4
            if header < 20 or (header > room and is_whole):
                return Rejected("tcp_data_offset")
            return "tcp" if header <= room else Rejected("tiny_fragment")
        case "udp":
            if room < 8:
                return Rejected("udp_truncated" if is_whole else "tiny_fragment")
            if is_whole and not 8 <= _u16(data, at + 4) <= room:
                return Rejected("udp_length")
            return "udp"
        case "icmp":
            is_echo = room >= 4 and data[at] in ECHO_TYPES
            if room < (8 if is_echo else 4):
                return Rejected("icmp_truncated" if is_whole else "tiny_fragment")
            return "icmp_echo" if is_echo else "icmp_other"
        case "icmpv6":
            is_echo = room >= 4 and data[at] in ICMPV6_ECHO_TYPES
            if room < (8 if is_echo else 4):
                return Rejected("icmp_truncated" if is_whole else "tiny_fragment")
            return "icmpv6_echo" if is_echo else "icmpv6_other"


def _frame(
    data: bytes, tags: int, at: int, l3: L3, *, fragment: Fragment = "whole", l4: L4 = "none", l4_at: int = 0
) -> Frame:
    kind = Kind(tags, l3, l4, fragment)
    return Frame(data, kind, _PRESENT[kind], at, l4_at)


def _canonical(data: bytes, at: int) -> bytes:
    if _u16(data, at) != 0xFFFF:
        return data
    return data[:at] + b"\0\0" + data[at + 2 :]


def _u16(data: bytes | bytearray, at: int) -> int:
    return data[at] << 8 | data[at + 1]


# ---------------------------------------------------------------- fields


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a field's bytes are: from the frame's start, from `l3` or from `l4`."""

    field: HeaderField
    base: Literal["start", "l3", "l4"]
    at: int
    size: int
    shift: int
    mask: int


_BASES: Mapping[str, tuple[Literal["start", "l3", "l4"], int]] = {
    "eth": ("start", 0), "vlan": ("start", 14), "vlan_inner": ("start", 18),
    "arp": ("l3", 0), "ipv4": ("l3", 0), "ipv6": ("l3", 0),
    "l4": ("l4", 0), "tcp": ("l4", 0), "udp": ("l4", 0), "icmp": ("l4", 0), "icmp_echo": ("l4", 0),
    "icmpv6": ("l4", 0), "icmpv6_echo": ("l4", 0),
}  # fmt: skip


def _place(field: HeaderField) -> _Place:
    base, at = _BASES[field.header]
    if field.path == "eth.type":
        base, at = "l3", -14
    end = field.bit_offset + field.width
    first, past = field.bit_offset // 8, (end + 7) // 8
    return _Place(field, base, at + first, past - first, -end % 8, (1 << field.width) - 1)


_PLACES = {path: _place(field) for path, field in FIELDS.items()}


def _start(place: _Place, frame: Frame) -> int:
    match place.base:
        case "start":
            return place.at
        case "l3":
            return frame.l3 + place.at
        case "l4":
            return frame.l4 + place.at


def field_reader(path: str) -> Callable[[Frame], int]:
    """Return the function that reads a field (a key of `FIELDS`) of frames that have its header."""
    place = _PLACES[path]
    size, shift, mask = place.size, place.shift, place.mask

    def read(frame: Frame) -> int:
        at = _start(place, frame)
        return int.from_bytes(frame.data[at : at + size], "big") >> shift & mask

    return read


_PSEUDO = frozenset(("l4", "icmpv6"))
"""Whose checksums cover the IP addresses too; ICMP's for IPv4 does not."""


def write_frame(frame: Frame, writes: Mapping[str, int]) -> bytes:
    """Return the bytes that leave: the frame with some fields changed, and its checksums with them."""
    if not writes:
        return frame.data
    data = bytearray(frame.data)
    ipv4_difference = l4_difference = 0
    for path, value in writes.items():
        field = _PLACES[path].field
        difference = field_difference(field, _replace(data, frame, _PLACES[path], value), value)
        if field.covered_by in ("ipv4", "ipv4+pseudo"):
            ipv4_difference += difference
        if field.covered_by == "l4" or (
            field.covered_by in ("ipv4+pseudo", "pseudo") and not _PSEUDO.isdisjoint(frame.present)
        ):
            l4_difference += difference
    if frame.kind.l3 == "ipv4":
        at = frame.l3 + 10
        data[at : at + 2] = adjusted(_u16(data, at), ipv4_difference).to_bytes(2, "big")
    if frame.kind.l4 != "none":
        at = frame.l4 + _CHECKSUM_AT[frame.kind.l4]
        adjust = adjusted_udp if frame.kind.l4 == "udp" else adjusted
        data[at : at + 2] = adjust(_u16(data, at), l4_difference).to_bytes(2, "big")
    return bytes(data)


def _replace(data: bytearray, frame: Frame, place: _Place, value: int) -> int:
    """Put a field's new value in, and return its old one."""
    at = _start(place, frame)
    word = int.from_bytes(data[at : at + place.size], "big")
    old = word >> place.shift & place.mask
    data[at : at + place.size] = (word ^ (old ^ value) << place.shift).to_bytes(place.size, "big")
    return old
