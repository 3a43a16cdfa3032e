"""The packets that most tests of NATs, firewalls and balancers speak of."""

from dataclasses import replace

from synth.traffic.frames6 import Frame6
from tests.frames import ICMP, TCP, UDP, Frame, ip

PUBLIC = ip("203.0.113.1")
HOST, OTHER_HOST = ip("10.0.0.5"), ip("10.0.0.6")
SERVER, OTHER_SERVER = ip("198.51.100.9"), ip("198.51.100.10")
SYN, SYN_ACK, ACK, FIN, RST = 0x02, 0x12, 0x10, 0x01, 0x04
ECHO_REQUEST, ECHO_REPLY = 8, 0
MORE_FRAGMENTS = 0x2000
ARP_FRAME = bytes.fromhex(
    "ffffffffffff 020000000a01 0806 0001 0800 06 04 0001 020000000a01 0a000005 000000000000 0a000001"
).ljust(60, b"\0")
IPV6_FRAME = Frame6(1, 2).encode()


def udp(src: int = HOST, dst: int = SERVER, sport: int = 40000, dport: int = 53) -> Frame:
    return Frame(src, dst, UDP, sport, dport)


def tcp(src: int = HOST, dst: int = SERVER, sport: int = 40000, dport: int = 80, flags: int = SYN) -> Frame:
    return Frame(src, dst, TCP, sport, dport, flags=flags)


def echo(src: int = HOST, dst: int = SERVER, identifier: int = 77, of_type: int = ECHO_REQUEST) -> Frame:
    return Frame(src, dst, ICMP, identifier, of_type)


def fragments(frame: Frame) -> tuple[Frame, Frame]:
    """Return two frames that could be the first and the last fragment of a datagram."""
    first = replace(frame, fragment=MORE_FRAGMENTS)
    return first, replace(frame, fragment=8, payload=b"the rest")
