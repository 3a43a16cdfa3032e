"""IPv6 frames from their fields to bytes, with right checksums."""

import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace

from synth.net.frame import Rejected, admit
from synth.net.ipv6 import FRAGMENT
from synth.traffic.frames import TCP, UDP, ones_complement_sum

ICMPV6 = 58
ECHO_REQUEST, ECHO_REPLY = 128, 129


@dataclass(frozen=True, slots=True)
class Frame6:
    """An Ethernet frame with IPv6 and perhaps TCP, UDP or ICMPv6 echo.

    `sport` is the identifier of an ICMPv6 echo, `dport` its type. `extensions` are pairs of a header's number
    and its bytes behind the first, which names the next one; a size of a multiple of 8, less one.
    """

    src: int
    dst: int
    protocol: int = UDP
    sport: int = 1000
    dport: int = 2000
    hop_limit: int = 64
    flags: int = 0x10
    extensions: tuple[tuple[int, bytes], ...] = ()
    payload: bytes = b"payload!"
    padding: bytes = b""
    vlans: tuple[int, ...] = ()
    eth_src: int = 0x020000000A01
    eth_dst: int = 0x020000000001

    def encode(self) -> bytes:
        """Return the whole frame, without FCS."""
        ethernet = self.eth_dst.to_bytes(6, "big") + self.eth_src.to_bytes(6, "big")
        tags = b"".join(struct.pack("!HH", 0x8100, tci) for tci in self.vlans)
        return ethernet + tags + b"\x86\xdd" + self._datagram() + self.padding

    def _datagram(self) -> bytes:
        numbers = [number for number, _ in self.extensions] + [self.protocol]
        chain = b"".join(
            bytes((following,)) + body
            for following, (_, body) in zip(numbers[1:], self.extensions, strict=True)
        )
        rest = chain + self._segment()
        head = struct.pack("!IHBB", 0x6 << 28, len(rest), numbers[0], self.hop_limit)
        return head + self.src.to_bytes(16, "big") + self.dst.to_bytes(16, "big") + rest

    def _segment(self) -> bytes:
        if any(
            number == FRAGMENT and int.from_bytes(body[1:3], "big") & 0xFFF8
            for number, body in self.extensions
        ):
            return self.payload
        if self.protocol == TCP:
            head = struct.pack("!HHIIBBHHH", self.sport, self.dport, 1, 1, 0x50, self.flags, 512, 0, 0)
            return self._with_checksum(head + self.payload, 16)
        if self.protocol == UDP:
            head = struct.pack("!HHHH", self.sport, self.dport, 8 + len(self.payload), 0)
            return self._with_checksum(head + self.payload, 6)
        if self.protocol == ICMPV6:
            head = struct.pack("!BBHHH", self.dport & 0xFF, 0, 0, self.sport, 1)
            return self._with_checksum(head + self.payload, 2)
        return self.payload

    def _with_checksum(self, segment: bytes, at: int) -> bytes:
        addresses = self.src.to_bytes(16, "big") + self.dst.to_bytes(16, "big")
        covered = addresses + struct.pack("!II", len(segment), self.protocol) + segment
        checksum = 0xFFFF - ones_complement_sum(covered)
        if self.protocol == UDP and checksum == 0:
            checksum = 0xFFFF
        return segment[:at] + struct.pack("!H", checksum) + segment[at + 2 :]

    def reply(self) -> "Frame6":
        """Return what the receiver would answer: addresses, MACs and ports exchanged, no extensions."""
        exchanged = replace(
            self, src=self.dst, dst=self.src, eth_src=self.eth_dst, eth_dst=self.eth_src,
            hop_limit=64, extensions=(),
        )  # fmt: skip
        if self.protocol == ICMPV6:
            return replace(exchanged, dport=ECHO_REPLY)
        return replace(exchanged, sport=self.dport, dport=self.sport)


def fragment(offset: int, identification: int, *, is_last: bool) -> tuple[int, bytes]:
    """Return a fragment header; `offset` is in bytes, a multiple of 8."""
    return FRAGMENT, struct.pack("!BHI", 0, offset | (not is_last), identification)


def options(number: int, size: int = 8) -> tuple[int, bytes]:
    """Return a header of options (hop-by-hop or destination) with nothing but padding."""
    return number, bytes((size // 8 - 1, 1, size - 4, *bytes(size - 4)))


def routing(segments_left: int, segments: Sequence[int] = ()) -> tuple[int, bytes]:
    """Return a routing header of type 4 (RFC 8754)."""
    last = max(len(segments) - 1, 0)
    body = b"".join(segment.to_bytes(16, "big") for segment in segments)
    return 43, bytes((2 * len(segments), 4, segments_left, last, 0, 0, 0)) + body


def read_frame6(data: bytes) -> Frame6 | None:
    """Return a whole IPv6 frame with TCP, UDP or ICMPv6 echo as fields, or None for any other."""
    admitted = admit(data)
    if isinstance(admitted, Rejected) or admitted.kind.l3 != "ipv6" or admitted.kind.fragment != "whole":
        return None
    protocol = {"tcp": TCP, "udp": UDP, "icmpv6_echo": ICMPV6}.get(admitted.kind.l4)
    if protocol is None:
        return None
    l3, l4 = admitted.l3, admitted.l4
    end = l3 + 40 + int.from_bytes(data[l3 + 4 : l3 + 6], "big")
    sport, dport = struct.unpack_from("!HH", data, l4)
    if protocol == ICMPV6:
        dport, sport = data[l4], int.from_bytes(data[l4 + 4 : l4 + 6], "big")
    return Frame6(
        int.from_bytes(data[l3 + 8 : l3 + 24], "big"), int.from_bytes(data[l3 + 24 : l3 + 40], "big"),
        protocol, sport, dport, data[l3 + 7],
        vlans=tuple(int.from_bytes(data[at : at + 2], "big") for at in range(14, l3, 4)),
        payload=data[l4 + {TCP: 20, UDP: 8, ICMPV6: 8}[protocol] : end],
        eth_dst=int.from_bytes(data[0:6], "big"), eth_src=int.from_bytes(data[6:12], "big"),
    )  # fmt: skip
