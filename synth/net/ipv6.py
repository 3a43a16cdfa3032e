"""The walk over IPv6 extension headers: which are known, and where the transport header begins.

Only headers of an allow-list are walked, as each says how long it is in the same way: hop-by-hop options
(first only), routing (with no segments left, for the checksum covers the last address), fragment
(once), destination options. Anything else ends the walk, as does a chain longer than `EXTENSION_BYTES`. The
packet then has no layer 4, whatever its bytes look like (RFC 7045; RFC 8504, 5.3 allows limits).
"""

from dataclasses import dataclass

from synth.net.kinds import Fragment

HOP_BY_HOP, ROUTING, FRAGMENT, DESTINATION = 0, 43, 44, 60
EXTENSIONS = frozenset((HOP_BY_HOP, ROUTING, FRAGMENT, DESTINATION))
EXTENSION_BYTES = 56
"""The most that are walked, so that a frame's head stays within C's bound (`HEAD_BYTES`)."""
NO_TRANSPORT = -1


@dataclass(frozen=True, slots=True)
class Transport:
    """Where a walk ended.

    Attributes:
        protocol: the protocol of what follows, or `NO_TRANSPORT`: a later fragment, or the walk gave up.
        at: where that begins.
        fragment: what the fragment header says, if there was one before the end. One with offset 0
            and nothing more to come is that of a whole datagram (RFC 6946).
    """

    protocol: int
    at: int
    fragment: Fragment


@dataclass(frozen=True, slots=True)
class Truncated:
    """An extension header goes beyond the datagram, which may be a fragment (RFC 7112)."""

    is_fragment: bool


def find_transport(data: bytes, at: int, end: int, protocol: int) -> Transport | Truncated:
    """Walk the extension headers that begin at `at`, up to the datagram's end; `protocol` names the first."""
    start = at
    fragment: Fragment | None = None
    while protocol in EXTENSIONS:
        if (protocol == HOP_BY_HOP and at != start) or (protocol == FRAGMENT and fragment is not None):
            return Transport(NO_TRANSPORT, at, fragment or "whole")
        if at + 8 > end:
            return Truncated(fragment == "first")
        size = 8 if protocol == FRAGMENT else (data[at + 1] + 1) * 8
        has_segments = protocol == ROUTING and data[at + 3] != 0
        if has_segments or at + size - start > EXTENSION_BYTES:
            return Transport(NO_TRANSPORT, at, fragment or "whole")
        if at + size > end:
            return Truncated(fragment == "first")
        if protocol == FRAGMENT:
            fragment = _fragment(int.from_bytes(data[at + 2 : at + 4], "big"))
        protocol, at = data[at], at + size
        if fragment == "later":
            return Transport(NO_TRANSPORT, at, fragment)
    return Transport(protocol, at, fragment or "whole")


def _fragment(offset_and_more: int) -> Fragment:
    """Return what the fragment header's 13 bits of offset, 2 reserved and the bit for more say."""
    if offset_and_more & 0xFFF8:
        return "later"
    return "first" if offset_and_more & 1 else "whole"
