"""Frames from their fields to bytes, with right checksums."""

import struct
from dataclasses import dataclass, replace

TCP, UDP, ICMP = 6, 17, 1


def ones_complement_sum(data: bytes) -> int:
    """Return the folded 16-bit one's complement sum (RFC 1071)."""
    total: int = sum(struct.unpack(f"!{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


@dataclass(frozen=True, slots=True)
class Frame:
    """An Ethernet frame with IPv4 and perhaps TCP, UDP or ICMP echo.

    `sport` is the identifier of an ICMP echo, `dport` its type. `fragment` is the 16-bit
    flags-and-offset word. `udp_checksum` False sends a UDP checksum of zero. `padding` follows the
    datagram.
    """

    src: int
    dst: int
    protocol: int = UDP
    sport: int = 1000
    dport: int = 2000
    ttl: int = 64
    flags: int = 0x10
    identification: int = 1
    fragment: int = 0
    options: bytes = b""
    payload: bytes = b"payload!"
    padding: bytes = b""
    vlans: tuple[int, ...] = ()
    udp_checksum: bool = True
    eth_src: int = 0x020000000A01
    eth_dst: int = 0x020000000001

    def encode(self) -> bytes:
        """Return the whole frame, without FCS."""
        ethernet = self.eth_dst.to_bytes(6, "big") + self.eth_src.to_bytes(6, "big")
        tags = b"".join(struct.pack("!HH", 0x8100, tci) for tci in self.vlans)
        return ethernet + tags + b"\x08\x00" + self._datagram() + self.padding

    def _datagram(self) -> bytes:
        segment = self._segment()
        length = 20 + len(self.options) + len(segment)
        head = struct.pack(
            "!BBHHHBBHII", 0x40 | (5 + len(self.options) // 4), 0, length, self.identification, self.fragment,
            self.ttl, self.protocol, 0, self.src, self.dst,
        ) + self.options  # fmt: skip
        checksum = 0xFFFF - ones_complement_sum(head)
        return head[:10] + struct.pack("!H", checksum) + head[12:] + segment

    def _segment(self) -> bytes:
        if self.fragment & 0x1FFF:
            return self.payload
        match self.protocol:
            case 6:
                head = struct.pack("!HHIIBBHHH", self.sport, self.dport, 1, 1, 0x50, self.flags, 512, 0, 0)
                return self._with_checksum(head + self.payload, 16, pseudo=True)
            case 17:
                head = struct.pack("!HHHH", self.sport, self.dport, 8 + len(self.payload), 0)
                if not self.udp_checksum:
                    return head + self.payload
                return self._with_checksum(head + self.payload, 6, pseudo=True)
            case 1:
                head = struct.pack("!BBHHH", self.dport & 0xFF, 0, 0, self.sport, 1)
                return self._with_checksum(head + self.payload, 2, pseudo=False)
            case _:
                return self.payload

    def _with_checksum(self, segment: bytes, at: int, *, pseudo: bool) -> bytes:
        covered = segment
        if pseudo:
            covered = struct.pack("!IIBBH", self.src, self.dst, 0, self.protocol, len(segment)) + segment
        checksum = 0xFFFF - ones_complement_sum(covered)
        if self.protocol == UDP and checksum == 0:
            checksum = 0xFFFF
        return segment[:at] + struct.pack("!H", checksum) + segment[at + 2 :]

    def reply(self) -> "Frame":
        """Return what the receiver would answer: addresses, MACs and ports exchanged."""
        exchanged = replace(
            self, src=self.dst, dst=self.src, eth_src=self.eth_dst, eth_dst=self.eth_src, ttl=64,
        )  # fmt: skip
        if self.protocol == ICMP:
            return replace(exchanged, dport=0)
        return replace(exchanged, sport=self.dport, dport=self.sport)


def ip(text: str) -> int:
    """Return a dotted IPv4 address as a number."""
    a, b, c, d = (int(part) for part in text.split("."))
    return a << 24 | b << 16 | c << 8 | d


def read_frame(data: bytes) -> Frame | None:
    """Return a whole IPv4 frame with TCP, UDP or ICMP echo as fields, or None for any other."""
    at = 12
    vlans: list[int] = []
    while data[at : at + 2] in (b"\x81\x00", b"\x88\xa8") and len(vlans) < 2:
        vlans.append(int.from_bytes(data[at + 2 : at + 4], "big"))
        at += 4
    if data[at : at + 2] != b"\x08\x00" or len(data) < at + 2 + 28:
        return None
    at += 2
    header = (data[at] & 15) * 4
    length, identification, fragment = struct.unpack("!HHH", data[at + 2 : at + 8])
    protocol, l4 = data[at + 9], at + header
    if protocol not in (TCP, UDP, ICMP) or fragment & 0x3FFF:
        return None
    src, dst = struct.unpack("!II", data[at + 12 : at + 20])
    sport, dport = struct.unpack("!HH", data[l4 : l4 + 4])
    if protocol == ICMP:
        dport, sport = data[l4], int.from_bytes(data[l4 + 4 : l4 + 6], "big")
    return Frame(
        src, dst, protocol, sport, dport, data[at + 8], identification=identification, vlans=tuple(vlans),
        payload=data[l4 + {TCP: 20, UDP: 8, ICMP: 8}[protocol] : at + length],
        eth_dst=int.from_bytes(data[0:6], "big"), eth_src=int.from_bytes(data[6:12], "big"),
    )  # fmt: skip
