"""ICMP errors: which there are, and the frame that tells a sender what became of its datagram.

RFC 792; RFC 1812, section 4.3.2, says what a router sends: as much of the datagram as fits into 576 bytes
(4.3.2.3), from an address of its own (4.3.2.4), with precedence 6 (4.3.2.5).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from synth.net.checksum import words_sum
from synth.net.frame import Frame
from synth.net.kinds import Kind

TTL = 64
TYPE_OF_SERVICE = 0xC0
"""Precedence 6, internetwork control."""
DONT_FRAGMENT = 0x4000
MOST_BYTES = 576
"""Of the IPv4 datagram that carries the error."""
HEADERS_BYTES = 28
"""The IPv4 and ICMP headers before what is quoted."""


@dataclass(frozen=True, slots=True)
class IcmpErrorKind:
    """An ICMP error's type and code; `has_mtu`: its second word ends with the next hop's MTU (RFC 1191)."""

    type: int
    code: int
    has_mtu: bool = False


ICMP_ERRORS: Mapping[str, IcmpErrorKind] = {
    "net_unreachable": IcmpErrorKind(3, 0),
    "host_unreachable": IcmpErrorKind(3, 1),
    "protocol_unreachable": IcmpErrorKind(3, 2),
    "port_unreachable": IcmpErrorKind(3, 3),
    "fragmentation_needed": IcmpErrorKind(3, 4, has_mtu=True),
    "administratively_prohibited": IcmpErrorKind(3, 13),
    "time_exceeded": IcmpErrorKind(11, 0),
}
"""The errors that an NF can make, by their words in the language."""


def can_be_reported(kind: Kind) -> bool:
    """Tell whether there may be an ICMP error about a packet of a kind (RFC 1122, section 3.2.2).

    Not about another ICMP error; only echoes are known to be none. Not about a fragment but the first.
    """
    return kind.l3 == "ipv4" and kind.fragment != "later" and kind.l4 != "icmp_other"


def error_kind(about: Kind) -> Kind:
    """Return the kind of the packet that is an ICMP error about a packet of a kind."""
    return Kind(about.vlan_tags, "ipv4", "icmp_other", "whole")


def icmp_error(about: Frame, data: bytes, kind: IcmpErrorKind, source: int, mtu: int = 0) -> bytes:
    """Return the frame with the ICMP error about a datagram.

    It goes back on the link where the datagram came from: MAC addresses are exchanged, VLAN tags stay.

    Args:
        about: the frame as it was received.
        data: its bytes as they are now.
        kind: which error.
        source: the IPv4 address of the sender of the error.
        mtu: of the next hop, for the error that tells it.
    """
    start = about.l3
    length = int.from_bytes(data[start + 2 : start + 4], "big")
    quoted = data[start : start + min(length, MOST_BYTES - HEADERS_BYTES)]
    icmp = bytes([kind.type, kind.code, 0, 0]) + mtu.to_bytes(4, "big") + quoted
    icmp = icmp[:2] + _checksum(icmp) + icmp[4:]
    header = (
        bytes([0x45, TYPE_OF_SERVICE])
        + (20 + len(icmp)).to_bytes(2, "big")
        + DONT_FRAGMENT.to_bytes(4, "big")  # identification 0: never fragmented (RFC 6864)
        + bytes([TTL, 1, 0, 0])
        + source.to_bytes(4, "big")
        + data[start + 12 : start + 16]
    )
    header = header[:10] + _checksum(header) + header[12:]
    return data[6:12] + data[:6] + data[12:start] + header + icmp


def _checksum(data: bytes) -> bytes:
    return (-words_sum(data) % 0xFFFF).to_bytes(2, "big")
