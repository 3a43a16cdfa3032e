"""Malicious frames: each length and checksum by one, and what an earlier frame could leave behind."""

import random
from collections.abc import Iterator

import pytest

from synth.traffic import frames6
from synth.traffic.frames6 import ICMPV6, Frame6
from tests.frames import ICMP, TCP, UDP, Frame, ip, ones_complement_sum
from tests.hostile.forms import Forms, build_forms, one_nf
from tests.traffic import Arrival

# Writes whatever a packet has.
WRITER = one_nf("""
nf n {
    counter arps
    from inside (pkt) {
        pkt.eth.src = 02:00:00:00:00:aa
        if pkt is vlan { pkt.vlan.vid = pkt.vlan.vid +% 1 }
        if pkt is vlan_inner {
            pkt.vlan_inner.dei = !pkt.vlan_inner.dei
            pkt.vlan_inner.vid = 4095
        }
        if pkt is arp {
            count arps
            pkt.arp.sender_ip = 9.9.9.9
            pkt.arp.target_mac = pkt.arp.sender_mac
            pkt.arp.operation = 2
        }
        if pkt is ipv4 {
            pkt.ipv4.ttl = pkt.ipv4.ttl -% 1
            pkt.ipv4.src = 192.0.2.77
            pkt.ipv4.dscp = 63
            pkt.ipv4.id = ~pkt.ipv4.id
            pkt.ipv4.df = !pkt.ipv4.df
        }
        if pkt is ipv6 {
            pkt.ipv6.hop_limit = pkt.ipv6.hop_limit -% 1
            pkt.ipv6.src = 2001:db8::77
            pkt.ipv6.dscp = 63
            pkt.ipv6.flow_label = ~pkt.ipv6.flow_label
        }
        if pkt is tcp {
            pkt.tcp.sport = ~pkt.tcp.dport
            pkt.tcp.seq = pkt.tcp.seq +% 1
            pkt.tcp.syn = !pkt.tcp.syn
        }
        if pkt is udp { pkt.udp.sport = ~pkt.udp.sport }
        if pkt is icmp_echo { pkt.icmp_echo.id = ~pkt.icmp_echo.id }
        if pkt is icmpv6_echo { pkt.icmpv6_echo.seq = ~pkt.icmpv6_echo.id }
        emit outside
    }
    from outside (pkt) { emit inside }
}
""")
ETHERNET = bytes.fromhex("ffffffffffff020000000a01")
ARP = ETHERNET + bytes.fromhex("0806 0001080006040001 020000000a010a000001 0000000000000a000002")


@pytest.fixture(scope="module")
def writer(tmp_path_factory: pytest.TempPathFactory) -> Forms:
    return build_forms(WRITER, tmp_path_factory.mktemp("writer"))


def test_no_frame_is_taken_for_arp_because_the_one_before_it_was(writer: Forms) -> None:
    token_ring, long_address = bytearray(ARP), bytearray(ARP)
    token_ring[15], long_address[18] = 6, 8
    frames = [ARP, bytes(token_ring), ARP, bytes(token_ring[:22]), bytes(long_address), ARP[:22], ARP]
    frames += [ETHERNET + b"\x80\x35" + ARP[14:], bytes(long_address[:23]), ARP + b"padding", ARP[:41]]
    arrivals = [Arrival("lan", 1000 + number // 2, frame) for number, frame in enumerate(frames * 3)]
    oracle = writer.oracle()
    for arrival in arrivals:
        oracle.receive(arrival.interface, arrival.data, arrival.time)
    assert oracle.report().counters == {"x.arps": 4 * 3}
    assert oracle.report().drops == {"lan.arp_truncated": 2 * 3}
    writer.assert_all_agree(arrivals)


def test_each_bound_of_admission_is_the_same_byte_everywhere_and_checksums_stay_what_they_were(
    writer: Forms,
) -> None:
    generator = random.Random(11)
    frames = list(odd_frames(generator))
    generator.shuffle(frames)
    arrivals = [Arrival("lan", number // 7, frame) for number, frame in enumerate(frames)]
    oracle = writer.oracle()
    for arrival in arrivals:
        for _, left in oracle.receive(arrival.interface, arrival.data, arrival.time):
            assert_checksums_stay(arrival.data, left)
    assert len(oracle.report().drops) == 18, "every reason of admission was met"
    assert sum(oracle.report().packets_out.values()) > len(frames) // 4
    writer.assert_all_agree(arrivals)


# ---------------------------------------------------------------- frames


def odd_frames(generator: random.Random) -> Iterator[bytes]:
    for protocol in (ICMP, TCP, UDP, 50):
        for options in (0, 4, 20, 36, 40):
            for vlans in ((), (5,), (0xFFF, 1), (0xE001, 0x1000, 3)):
                for fragment in (0, 0x2000, 0x4000, 1):
                    kind = generator.choice((0, 3, 8)) if protocol == ICMP else 80
                    yield from variations(
                        Frame(
                            ip("10.0.0.1"), ip("10.0.0.2"), protocol, dport=kind, options=bytes(options),
                            vlans=vlans, fragment=fragment, payload=b"payload!"[: generator.randrange(9)],
                        ).encode(),
                        generator,
                    )  # fmt: skip
    yield from ipv6_frames(generator)
    for size in (60, 1514, 9000, 65535, 65549, 65550, 262144):
        yield jumbo(size, UDP)
        yield jumbo(size, TCP)
    for tags in (b"", b"\x81\0\0\5", b"\x88\xa8\0\5\x81\0\0\6", b"\x81\0\0\5\x81\0\0\6\x81\0\0\7"):
        arp = ARP[:12] + tags + ARP[12:]
        yield from (arp[:cut] for cut in range(len(arp) + 1))


def ipv6_frames(generator: random.Random) -> Iterator[bytes]:
    """Every cut of IPv6 frames, as the wire and as the length field has it; wrong versions and lengths."""
    first, last = frames6.fragment(0, 1, is_last=False), frames6.fragment(8, 1, is_last=True)
    for chain in (
        (),
        (frames6.options(0), frames6.options(60, 24)),
        (frames6.routing(0),),
        (first,),
        (last,),
        ((51, bytes(7)),),
    ):
        for protocol in (TCP, UDP, ICMPV6):
            kind = generator.choice((1, 128, 135))
            frame = Frame6(1 << 125 | 5, 1 << 125 | 9, protocol, dport=kind, extensions=chain).encode()
            yield from (frame, frame + b"\xff" * 7, frame[:14] + b"\x45" + frame[15:])
            for cut in range(14, len(frame)):
                yield frame[:cut]
                if cut >= 54:
                    yield frame[:18] + (cut - 54).to_bytes(2, "big") + frame[20:cut]


def variations(frame: bytes, generator: random.Random) -> Iterator[bytes]:
    l3 = l3_of(frame)
    l4 = l3 + (frame[l3] & 15) * 4 if len(frame) > l3 else l3
    yield frame
    yield frame + b"\xff" * 7
    for cut in sorted(generator.sample(range(len(frame)), 5)):
        yield frame[:cut]
        if cut >= l3 + 20:
            yield with_header(frame[:cut], l3, length=cut - l3)
    for difference in (-20, -1, 1):
        total = int.from_bytes(frame[l3 + 2 : l3 + 4], "big") + difference
        yield with_header(frame, l3, length=max(total, 0))
    yield with_header(frame, l3, first=0x40 | generator.randrange(16))
    yield with_header(frame, l3, first=generator.randrange(16) << 4 | 5)
    for at in (l3 + 10, l4 + 2, l4 + 4, l4 + 6, l4 + 12, l4 + 16):
        if at + 2 <= len(frame):
            word = generator.choice((0, 0xFFFF, 1, 7, 8, 0x4000, 0x5000, 0x6000, 0xF000))
            yield frame[:at] + word.to_bytes(2, "big") + frame[at + 2 :]
    etype = generator.choice((0, 0x5FF, 0x600, 0x8100, 0x88A8, 0x9100, 0x86DD, 0x0806))
    yield frame[: l3 - 2] + etype.to_bytes(2, "big") + frame[l3:]


def jumbo(size: int, protocol: int) -> bytes:
    frame = bytearray(size)
    total = min(size - 14, 0xFFFF)
    frame[12:14], frame[14], frame[22:24] = b"\x08\0", 0x45, bytes((64, protocol))
    frame[38:40], frame[46] = (total - 20).to_bytes(2, "big"), 0x50
    return with_header(bytes(frame), 14, length=total)


def with_header(frame: bytes, l3: int, *, first: int | None = None, length: int | None = None) -> bytes:
    """Change the first byte or the length of an IPv4 header, and make its checksum right if it can be."""
    changed = bytearray(frame)
    changed[l3] = changed[l3] if first is None else first
    changed[l3 + 2 : l3 + 4] = changed[l3 + 2 : l3 + 4] if length is None else length.to_bytes(2, "big")
    end = l3 + (changed[l3] & 15) * 4
    if l3 + 20 <= end <= len(changed):
        changed[l3 + 10 : l3 + 12] = b"\0\0"
        checksum = 0xFFFF - ones_complement_sum(bytes(changed[l3:end]))
        changed[l3 + 10 : l3 + 12] = checksum.to_bytes(2, "big")
    return bytes(changed)


def l3_of(frame: bytes) -> int:
    at = 14
    while frame[at - 2 : at] in (b"\x81\0", b"\x88\xa8") and at < 22:
        at += 4
    return at


# ---------------------------------------------------------------- checksums, from RFC 768, 791, 792 and 793


def assert_checksums_stay(received: bytes, left: bytes) -> None:
    """Fail unless a frame's length stayed, its header's checksum is right, and L4's is as right as it was."""
    l3 = l3_of(left)
    assert len(received) == len(left)
    if left[l3 - 2 : l3] == b"\x86\xdd" and left[l3 + 6] in (TCP, UDP, ICMPV6):
        assert is_right_in_ipv6(left, l3) == is_right_in_ipv6(received, l3)
    if left[l3 - 2 : l3] != b"\x08\0":
        return
    l4 = l3 + (left[l3] & 15) * 4
    assert ones_complement_sum(left[l3:l4]) == 0xFFFF
    assert left[l3 + 10 : l3 + 12] != b"\xff\xff"
    is_whole = int.from_bytes(left[l3 + 6 : l3 + 8], "big") & 0x3FFF == 0
    if not is_whole or left[l3 + 9] not in (ICMP, TCP, UDP):
        return
    if left[l3 + 9] == UDP and received[l4 + 6 : l4 + 8] == b"\0\0":
        assert left[l4 + 6 : l4 + 8] == b"\0\0"
        return
    assert is_l4_right(left, l3, l4) == is_l4_right(received, l3, l4)
    assert left[l3 + 9] != UDP or left[l4 + 6 : l4 + 8] != b"\0\0"


def is_right_in_ipv6(frame: bytes, l3: int) -> bool:
    """Tell whether the checksum of what follows an IPv6 header alone is right (RFC 8200, 8.1)."""
    segment = frame[l3 + 40 : l3 + 40 + int.from_bytes(frame[l3 + 4 : l3 + 6], "big")]
    pseudo = frame[l3 + 8 : l3 + 40] + len(segment).to_bytes(4, "big") + frame[l3 + 6].to_bytes(4, "big")
    return ones_complement_sum(pseudo + segment) == 0xFFFF


def is_l4_right(frame: bytes, l3: int, l4: int) -> bool:
    segment = frame[l4 : l3 + int.from_bytes(frame[l3 + 2 : l3 + 4], "big")]
    protocol = frame[l3 + 9]
    if protocol == ICMP:
        return ones_complement_sum(segment) == 0xFFFF
    if protocol == UDP:
        segment = segment[: int.from_bytes(segment[4:6], "big")]
    pseudo = frame[l3 + 12 : l3 + 20] + bytes((0, protocol)) + len(segment).to_bytes(2, "big")
    return ones_complement_sum(pseudo + segment) == 0xFFFF
