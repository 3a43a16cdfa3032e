"""A flow table at work on frames: what a switch does, as OpenFlow and Open vSwitch describe it.

Nothing here knows the chain or how its frames are admitted: it is a witness of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from synth.offload.entries import Drop, Entry, ToInterface, ToServer
from synth.offload.matches import ICMP, TAG_PRESENT, TCP, UDP, Match

VLAN_TYPES = frozenset((0x8100, 0x88A8))
MOST_TAGS = 2
LEAST_ETHERTYPE = 0x600
NO_ETHERTYPE = 0x05FF
"""What Open vSwitch gives as the type of an 802.2 frame without SNAP."""
SNAP = bytes.fromhex("aaaa03000000")


def read_fields(frame: bytes, in_port: int) -> Mapping[str, int]:
    """Return the match fields that a switch finds in a frame of at least 14 bytes.

    What is not there is no key. Of an IPv4 packet whose header is broken, the fields are 0; so are the
    ports of a later fragment (ovs-fields(7)).
    """
    fields: dict[str, int] = {"in_port": in_port, "vlan_vid": 0}
    at = 12
    for number in range(MOST_TAGS):
        if _u16(frame, at) not in VLAN_TYPES or len(frame) < at + 6:
            break
        if number == 0:
            control = _u16(frame, at + 2)
            fields |= {"vlan_vid": TAG_PRESENT | control & 0xFFF, "vlan_pcp": control >> 13}
        at += 4
    kind, at = _u16(frame, at), at + 2
    if kind < LEAST_ETHERTYPE:
        has_snap = frame[at : at + 6] == SNAP and len(frame) >= at + 8
        kind, at = (_u16(frame, at + 6), at + 8) if has_snap else (NO_ETHERTYPE, at)
    fields["eth_type"] = kind
    if kind == 0x0800:
        fields |= _ipv4(frame[at:])
    return fields


def _ipv4(packet: bytes) -> dict[str, int]:
    header = (packet[0] & 15) * 4 if packet else 0
    total = _u16(packet, 2) if len(packet) >= 20 else 0
    if len(packet) < 20 or packet[0] >> 4 != 4 or not 20 <= header <= total <= len(packet):
        return {"ipv4_src": 0, "ipv4_dst": 0, "ip_proto": 0}
    protocol = packet[9]
    fields = {
        "ipv4_src": int.from_bytes(packet[12:16], "big"),
        "ipv4_dst": int.from_bytes(packet[16:20], "big"),
        "ip_proto": protocol,
    }
    is_later = _u16(packet, 6) & 0x1FFF != 0
    return fields | _l4(packet[header:total], protocol, is_later=is_later)


def _l4(rest: bytes, protocol: int, *, is_later: bool) -> dict[str, int]:
    names = {
        TCP: ("tcp_src", "tcp_dst", "tcp_flags"),
        UDP: ("udp_src", "udp_dst"),
        ICMP: ("icmpv4_type", "icmpv4_code"),
    }.get(protocol, ())
    least = {TCP: 20, UDP: 8, ICMP: 8}.get(protocol, 0)
    if is_later or len(rest) < least or not names:
        return dict.fromkeys(names, 0)
    if protocol == ICMP:
        return {"icmpv4_type": rest[0], "icmpv4_code": rest[1]}
    found = {names[0]: _u16(rest, 0), names[1]: _u16(rest, 2)}
    return found | ({"tcp_flags": _u16(rest, 12) & 0xFFF} if protocol == TCP else {})


def _u16(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 2], "big")


@dataclass(slots=True)
class FlowTable:
    """Entries with their counters.

    Like a switch, it does not say which of several entries of one priority decides: it refuses to guess.
    """

    entries: Sequence[Entry]
    packets: list[int] = field(default_factory=list)
    _groups: list[tuple[int, tuple[tuple[str, int], ...], dict[tuple[int, ...], list[int]]]] = field(
        default_factory=list
    )

    def __post_init__(self) -> None:
        self.packets = [0] * len(self.entries)
        groups: dict[tuple[tuple[str, int], ...], dict[tuple[int, ...], list[int]]] = {}
        for number, entry in enumerate(self.entries):
            masks = tuple((test.field, test.mask) for test in entry.match)
            values = tuple(test.value for test in entry.match)
            groups.setdefault(masks, {}).setdefault(values, []).append(number)
        for masks, rows in groups.items():
            best = max(self.entries[number].priority for numbers in rows.values() for number in numbers)
            self._groups.append((best, masks, rows))
        self._groups.sort(key=lambda group: -group[0])

    def look_up(self, fields: Mapping[str, int]) -> int | None:
        """Return the number of the entry that decides, or None.

        Raises:
            AssertionError: two entries of the same priority match and do not do the same.
        """
        found: list[int] = []
        for best, masks, rows in self._groups:
            if found and self.entries[found[0]].priority > best:
                break
            if any(name not in fields for name, _ in masks):
                continue
            for number in rows.get(tuple(fields[name] & mask for name, mask in masks), ()):
                priority = self.entries[number].priority
                if not found or priority > self.entries[found[0]].priority:
                    found = [number]
                elif priority == self.entries[found[0]].priority:
                    found.append(number)
        actions = {self.entries[number].action for number in found}
        assert len(actions) < 2, f"entries {found} overlap at one priority"
        return found[0] if found else None

    def receive(self, frame: bytes, in_port: int) -> list[tuple[int, bytes]]:
        """Take a frame from a port; return what leaves, by port, and count it at its entry."""
        number = self.look_up(read_fields(frame, in_port))
        if number is None:
            return []
        self.packets[number] += 1
        match self.entries[number].action:
            case Drop():
                return []
            case ToServer(tag=tag, version=version, port=port):
                control = (version << 13 | tag).to_bytes(2, "big")
                return [(port, frame[:12] + b"\x81\x00" + control + frame[12:])]
            case ToInterface(port=port):
                return [(port, frame[:12] + frame[16:])]


def accepts(match: Match, fields: Mapping[str, int]) -> bool:
    """Tell whether a packet with these fields satisfies a match (the definition, test by test)."""
    return all(test.field in fields and (fields[test.field] ^ test.value) & test.mask == 0 for test in match)
