"""What echo_core.c does with a frame, told in Python."""

import struct
from collections import Counter

from synth.net.frame import Rejected, admit, field_reader, write_frame
from synth.traffic.frames import Frame
from synth.traffic.frames6 import Frame6

OTHER = {"lan": "wan", "wan": "lan"}

ARP = bytes.fromhex("ffffffffffff0200000000010806000108000604000102000000000a0a0000010000000000000a000002")
IPV6 = Frame6(1, 2).encode()
DENY_EVERYTHING = struct.pack("<I4I6H4B", 1, 0, 0, 0, 0, 0, 65535, 0, 65535, 0, 0, 0, 0, 0, 0)

_protocol, _dport, _ttl = field_reader("ipv4.protocol"), field_reader("l4.dport"), field_reader("ipv4.ttl")


def udp(sport: int, *, dport: int = 53, payload: bytes = b"payload!") -> bytes:
    return Frame(0x0A000001, 0x0A000002, sport=sport, dport=dport, payload=payload).encode()


def echoed(interface: str, frame: bytes) -> tuple[list[tuple[str, bytes]], str | None]:
    """Return (interface, frame) of what leaves, and the name of the drop if the frame is dropped."""
    admitted = admit(frame)
    if isinstance(admitted, Rejected):
        return [], f"{interface}.{admitted.reason}"
    if "arp" in admitted.present:
        return [("lan", frame), ("wan", frame)], None
    if "ipv4" not in admitted.present:
        return [], "echo.not_ipv4"
    if "udp" in admitted.present and _dport(admitted) == 9:
        return [], "echo.denied"
    return [(OTHER[interface], write_frame(admitted, {"ipv4.ttl": (_ttl(admitted) - 1) % 256}))], None


class Expectation:
    """What leaves each interface, in order, and what is dropped, for frames that come in one by one."""

    def __init__(self) -> None:
        self.left: dict[str, list[bytes]] = {"lan": [], "wan": []}
        self.drops: Counter[str] = Counter()
        self.packets_in = 0

    def receive(self, interface: str, frame: bytes) -> None:
        self.packets_in += 1
        emissions, drop = echoed(interface, frame)
        for out, sent in emissions:
            self.left[out].append(sent)
        if drop is not None:
            self.drops[drop] += 1
