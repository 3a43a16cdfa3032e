import random
import struct
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.captures import read_capture
from synth.diagnostics.diagnostic import UserError
from synth.net.fields import FIELDS
from synth.net.frame import REASONS, Frame, Rejected, admit, field_reader, write_frame
from synth.net.kinds import HEADERS, UNIVERSE
from tests.frames import ICMP, TCP, UDP, ip, ones_complement_sum
from tests.frames import Frame as Packet

SAMPLE = Packet(src=ip("10.0.0.5"), dst=ip("198.51.100.9"), protocol=TCP, sport=40000, dport=443)
ETHERNET = bytes.fromhex("020000000001 020000000a01".replace(" ", ""))


def admitted(data: bytes) -> Frame:
    frame = admit(data)
    assert isinstance(frame, Frame), frame
    return frame


def reason(data: bytes) -> str:
    rejected = admit(data)
    assert isinstance(rejected, Rejected)
    return rejected.reason


def patched(data: bytes, at: int, new: bytes, *, header_checksum: bool = True) -> bytes:
    """Change bytes of an untagged IPv4 frame and make its header checksum right again."""
    changed = bytearray(data)
    changed[at : at + len(new)] = new
    if header_checksum:
        size = (changed[14] & 15) * 4
        changed[24:26] = b"\0\0"
        changed[24:26] = struct.pack("!H", 0xFFFF - ones_complement_sum(bytes(changed[14 : 14 + size])))
    return bytes(changed)


# ---------------------------------------------------------------- what a packet is


@pytest.mark.parametrize(
    ("packet", "words"),
    [
        (SAMPLE, {"eth", "ipv4", "l4", "tcp"}),
        (replace(SAMPLE, protocol=UDP), {"eth", "ipv4", "l4", "udp"}),
        (replace(SAMPLE, protocol=ICMP, dport=8), {"eth", "ipv4", "icmp", "icmp_echo"}),
        (replace(SAMPLE, protocol=ICMP, dport=3), {"eth", "ipv4", "icmp"}),
        (replace(SAMPLE, protocol=47), {"eth", "ipv4"}),
        (replace(SAMPLE, vlans=(5,)), {"eth", "vlan", "ipv4", "l4", "tcp"}),
        (replace(SAMPLE, vlans=(5, 0)), {"eth", "vlan", "vlan_inner", "ipv4", "l4", "tcp"}),
        (replace(SAMPLE, vlans=(5, 6, 7)), {"eth", "vlan", "vlan_inner"}),
        (replace(SAMPLE, fragment=0x2000), {"eth", "ipv4", "fragment", "l4", "tcp"}),
        (replace(SAMPLE, fragment=0x2010), {"eth", "ipv4", "fragment", "later_fragment"}),
        (replace(SAMPLE, fragment=0x0010), {"eth", "ipv4", "fragment", "later_fragment"}),
        (replace(SAMPLE, fragment=0x4000), {"eth", "ipv4", "l4", "tcp"}),
        (replace(SAMPLE, options=b"\x01" * 40), {"eth", "ipv4", "l4", "tcp"}),
    ],
)
def test_headers_are_found(packet: Packet, words: set[str]) -> None:
    frame = admitted(packet.encode())
    assert frame.present == words
    assert frame.kind in UNIVERSE
    assert {word for word in HEADERS if frame.kind.has(word)} == words


def test_arp_over_ethernet_is_arp_and_any_other_is_nothing_known() -> None:
    arp = ETHERNET + b"\x08\x06" + bytes.fromhex("0001080006040001") + bytes(20)
    assert admitted(arp).present == {"eth", "arp"}
    assert reason(arp[:-1]) == "arp_truncated"
    assert reason(arp[:21]) == "arp_truncated"
    assert admitted(arp.replace(b"\x08\x00\x06\x04", b"\x08\x00\x08\x04")[:22]).present == {"eth"}


@pytest.mark.parametrize("ethertype", ["0005", "05dc", "8847", "9100"])
def test_other_types_are_only_ethernet(ethertype: str) -> None:
    assert admitted(ETHERNET + bytes.fromhex(ethertype)).present == {"eth"}


# ---------------------------------------------------------------- what is not admitted

GOOD = SAMPLE.encode()
GOOD_UDP = replace(SAMPLE, protocol=UDP, payload=b"").encode()
GOOD_ECHO = replace(SAMPLE, protocol=ICMP, dport=8, payload=b"").encode()


def shortened(data: bytes, by: int) -> bytes:
    """Cut the end off, and say so in the IPv4 length."""
    return patched(data[:-by], 16, struct.pack("!H", len(data) - by - 14))


MALFORMED = [
    ("too_short", GOOD[:13]),
    ("vlan_truncated", ETHERNET + b"\x81\x00\x00"),
    ("vlan_truncated", ETHERNET + b"\x81\x00\x00\x05\x88\xa8\x00\x05\x08"),
    ("ipv4_truncated", GOOD[:33]),
    ("ipv4_version", patched(GOOD, 14, b"\x65")),
    ("ipv4_header_length", patched(GOOD, 14, b"\x44")),
    ("ipv4_truncated", patched(GOOD[:34], 14, b"\x46", header_checksum=False)),
    ("ipv4_length", patched(GOOD, 16, b"\x00\x13")),
    ("ipv4_length", GOOD[:-1]),
    ("ipv4_checksum", patched(GOOD, 22, b"\x01", header_checksum=False)),
    ("tcp_truncated", shortened(GOOD, len(GOOD) - 34 - 19)),
    ("tcp_data_offset", patched(GOOD, 46, b"\x40")),
    ("tcp_data_offset", patched(GOOD, 46, b"\xf0")),
    ("udp_truncated", shortened(GOOD_UDP, 1)),
    ("udp_length", patched(GOOD_UDP, 38, b"\x00\x07")),
    ("udp_length", patched(GOOD_UDP, 38, b"\x00\x09")),
    ("icmp_truncated", shortened(GOOD_ECHO, 5)),
    ("icmp_truncated", shortened(GOOD_ECHO, 1)),
    ("tiny_fragment", patched(shortened(GOOD, len(GOOD) - 34 - 8), 20, b"\x20\x00")),
    ("tiny_fragment", patched(patched(GOOD, 46, b"\xf0"), 20, b"\x20\x00")),
    ("tcp_data_offset", patched(patched(GOOD, 46, b"\x40"), 20, b"\x20\x00")),
    ("tiny_fragment", patched(shortened(GOOD_UDP, 1), 20, b"\x20\x00")),
    ("tiny_fragment", patched(shortened(GOOD_ECHO, 1), 20, b"\x20\x00")),
]


@pytest.mark.parametrize(("expected", "data"), MALFORMED)
def test_a_malformed_frame_has_its_named_reason(expected: str, data: bytes) -> None:
    assert reason(data) == expected


def test_every_reason_has_a_malformed_frame() -> None:
    assert {name for name, _ in MALFORMED} | {"arp_truncated", *IPV6_REASONS} == set(REASONS)


IPV6_REASONS = {"ipv6_truncated", "ipv6_version", "ipv6_length", "ipv6_extension_truncated"}
"""In test_ipv6.py."""


def test_a_first_fragment_of_udp_may_be_shorter_than_its_datagram() -> None:
    frame = patched(patched(GOOD_UDP, 38, b"\x05\x00"), 20, b"\x20\x00")
    assert "udp" in admitted(frame).present


@given(st.binary(max_size=120), st.integers(0, 3))
def test_any_bytes_are_admitted_or_rejected(data: bytes, shape: int) -> None:
    prefix = (b"", ETHERNET + b"\x08\x00\x45", ETHERNET + b"\x81\x00\x00\x05\x08\x00", GOOD[:34])[shape]
    frame = admit(prefix + data)
    assert isinstance(frame, Rejected) or frame.kind in UNIVERSE


# ---------------------------------------------------------------- reading and writing


def applicable(frame: Frame) -> list[str]:
    return [path for path, field in FIELDS.items() if field.header in frame.present]


def test_fields_are_read_where_they_stand() -> None:
    frame = admitted(replace(SAMPLE, vlans=(0xB123, 0x0007), flags=0x12, options=b"\x01" * 4).encode())
    expected = {
        "eth.dst": SAMPLE.eth_dst, "eth.src": SAMPLE.eth_src, "eth.type": 0x0800,
        "vlan.pcp": 5, "vlan.dei": 1, "vlan.vid": 0x123, "vlan_inner.vid": 7, "vlan_inner.pcp": 0,
        "ipv4.ihl": 6, "ipv4.length": 20 + 4 + 20 + 8, "ipv4.ttl": 64, "ipv4.protocol": TCP, "ipv4.id": 1,
        "ipv4.src": SAMPLE.src, "ipv4.dst": SAMPLE.dst, "l4.sport": 40000, "l4.dport": 443,
        "tcp.seq": 1, "tcp.data_offset": 5, "tcp.syn": 1, "tcp.ack": 1, "tcp.fin": 0, "tcp.window": 512,
    }  # fmt: skip
    assert {path: field_reader(path)(frame) for path in expected} == expected


@st.composite
def written(draw: st.DrawFn) -> tuple[Packet, dict[str, int]]:
    packet = Packet(
        src=draw(st.integers(0, 2**32 - 1)),
        dst=draw(st.integers(0, 2**32 - 1)),
        protocol=draw(st.sampled_from((TCP, UDP, ICMP, 47))),
        sport=draw(st.integers(0, 65535)),
        dport=draw(st.sampled_from((0, 3, 8, 53, 443))),
        fragment=draw(st.sampled_from((0, 0x4000, 0x2000, 0x2001))),
        options=b"\x01" * draw(st.sampled_from((0, 4, 40))),
        payload=draw(st.binary(min_size=8, max_size=9)),
        padding=draw(st.binary(max_size=6)),
        vlans=draw(st.sampled_from(((), (5,), (5, 0xE001)))),
    )
    paths = [path for path in applicable(admitted(packet.encode())) if FIELDS[path].is_writable]
    chosen = draw(st.lists(st.sampled_from(paths), unique=True, max_size=6))
    return packet, {path: draw(st.integers(0, 2 ** FIELDS[path].width - 1)) for path in chosen}


def l4_is_right(frame: Frame, data: bytes) -> bool:
    """Check the layer 4 checksum of a whole datagram by adding everything up (RFC 793, 768, 792)."""
    end = frame.l3 + int.from_bytes(data[frame.l3 + 2 : frame.l3 + 4], "big")
    segment = data[frame.l4 : end]
    pseudo = data[frame.l3 + 12 : frame.l3 + 20] + struct.pack("!BBH", 0, data[frame.l3 + 9], len(segment))
    return ones_complement_sum((b"" if "icmp" in frame.present else pseudo) + segment) == 0xFFFF


@given(written())
def test_what_is_written_is_read_back_with_right_checksums_and_all_else_as_it_was(case) -> None:
    packet, writes = case
    frame = admitted(packet.encode())
    data = write_frame(frame, writes)
    again = admitted(data)  # the IPv4 header checksum is checked here
    assert again.kind == frame.kind
    before = {path: field_reader(path)(frame) for path in applicable(frame)}
    assert {path: field_reader(path)(again) for path in applicable(again)} == before | writes
    assert data[len(data) - len(packet.padding) :] == packet.padding
    if frame.kind.l4 != "none" and frame.kind.fragment == "whole":
        assert l4_is_right(frame, data)


@given(written(), st.randoms())
def test_writing_in_steps_gives_the_same_bytes(case, order: random.Random) -> None:
    packet, writes = case
    frame = admitted(packet.encode())
    data = packet.encode()
    names = list(writes)
    order.shuffle(names)
    for name in names:
        data = write_frame(admitted(data), {name: writes[name]})
    assert write_frame(admitted(data), {}) == write_frame(frame, writes)


def test_a_frame_without_writes_leaves_as_it_came() -> None:
    data = replace(SAMPLE, padding=b"\xde\xad").encode()
    assert write_frame(admitted(data), {}) == data


@pytest.mark.parametrize(("protocol", "at", "canonical"), [(TCP, 16, 0), (ICMP, 2, 0), (UDP, 6, 0xFFFF)])
def test_a_received_checksum_ffff_is_made_zero_but_for_udp(protocol: int, at: int, canonical: int) -> None:
    data = patched(replace(SAMPLE, protocol=protocol, dport=8).encode(), 34 + at, b"\xff\xff")
    assert int.from_bytes(write_frame(admitted(data), {})[34 + at : 36 + at], "big") == canonical


def test_an_ipv4_checksum_ffff_is_made_zero() -> None:
    header = bytearray(GOOD)
    header[24:26] = b"\0\0"
    header[18:20] = b"\0\0"
    header[18:20] = struct.pack("!H", 0xFFFF - ones_complement_sum(bytes(header[14:34])))
    header[24:26] = b"\xff\xff"
    assert write_frame(admitted(bytes(header)), {})[24:26] == b"\0\0"


def test_no_udp_checksum_stays_none_through_writes() -> None:
    frame = admitted(replace(SAMPLE, protocol=UDP, udp_checksum=False).encode())
    assert write_frame(frame, {"ipv4.src": 1, "l4.sport": 2})[40:42] == b"\0\0"


def test_a_port_that_makes_the_udp_checksum_zero_sends_ffff() -> None:
    frame = admitted(replace(SAMPLE, protocol=UDP).encode())
    checksum = int.from_bytes(frame.data[40:42], "big")
    port = (field_reader("l4.sport")(frame) + checksum) % 0xFFFF
    data = write_frame(frame, {"l4.sport": port})
    assert data[40:42] == b"\xff\xff"
    assert l4_is_right(frame, data)


def test_padding_is_never_summed() -> None:
    frame = admitted(replace(SAMPLE, payload=b"", padding=b"\xff" * 6).encode())
    assert len(frame.data) == 60
    assert l4_is_right(frame, write_frame(frame, {"ipv4.src": 1}))


def test_all_captured_frames_are_admitted_or_rejected_by_name(shared_data: Path) -> None:
    seen = 0
    for path in sorted((shared_data / "pcaps").rglob("*.pcap")):
        try:
            for packet in read_capture(path):
                seen += 1
                frame = admit(packet.data)
                if isinstance(frame, Frame):
                    assert len(write_frame(frame, {})) == len(packet.data)
        except UserError:
            continue
    assert seen > 7000
