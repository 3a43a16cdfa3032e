"""IPv6 frames: which are admitted, what they are, and that their checksums follow."""

from dataclasses import replace
from ipaddress import IPv6Address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.net.fields import FIELDS
from synth.net.frame import Frame, Rejected, admit, field_reader, write_frame
from synth.net.ipv6 import DESTINATION, HOP_BY_HOP
from synth.net.kinds import HEADERS, UNIVERSE
from synth.traffic.frames import TCP, UDP, ones_complement_sum
from synth.traffic.frames6 import ICMPV6, Frame6, fragment, options, read_frame6, routing

HOST, SERVER = int(IPv6Address("2001:db8::5")), int(IPv6Address("2001:db8:ffff::9"))
SAMPLE = Frame6(HOST, SERVER, TCP, sport=40000, dport=443)
AH, ESP, NO_NEXT_HEADER, ICMP = 51, 50, 59, 1


def admitted(data: bytes) -> Frame:
    frame = admit(data)
    assert isinstance(frame, Frame), frame
    return frame


def reason(data: bytes) -> str:
    rejected = admit(data)
    assert isinstance(rejected, Rejected)
    return rejected.reason


TCP_WORDS = {"eth", "ipv6", "l4", "tcp"}


@pytest.mark.parametrize(
    ("packet", "words"),
    [
        (SAMPLE, TCP_WORDS),
        (replace(SAMPLE, protocol=UDP), {"eth", "ipv6", "l4", "udp"}),
        (replace(SAMPLE, protocol=ICMPV6, dport=128), {"eth", "ipv6", "icmpv6", "icmpv6_echo"}),
        (replace(SAMPLE, protocol=ICMPV6, dport=135), {"eth", "ipv6", "icmpv6"}),
        (replace(SAMPLE, protocol=ICMP), {"eth", "ipv6"}),
        (replace(SAMPLE, vlans=(5, 6)), TCP_WORDS | {"vlan", "vlan_inner"}),
        (replace(SAMPLE, extensions=(options(HOP_BY_HOP), options(DESTINATION, 48))), TCP_WORDS),
        (replace(SAMPLE, extensions=(routing(0),)), TCP_WORDS),
        (replace(SAMPLE, extensions=(fragment(0, 1, is_last=True),)), TCP_WORDS),
        (replace(SAMPLE, extensions=(fragment(0, 1, is_last=False),)), TCP_WORDS | {"fragment"}),
        (
            replace(SAMPLE, extensions=(options(HOP_BY_HOP), fragment(8, 1, is_last=True))),
            {"eth", "ipv6", "fragment", "later_fragment"},
        ),
    ],
)
def test_headers_are_found(packet: Frame6, words: set[str]) -> None:
    frame = admitted(packet.encode())
    assert frame.present == words
    assert frame.kind in UNIVERSE
    assert {word for word in HEADERS if frame.kind.has(word)} == words


@pytest.mark.parametrize(
    "extensions",
    [
        ((AH, bytes(7)),),
        ((ESP, bytes(7)),),
        ((135, bytes(7)),),
        ((253, bytes(7)),),
        (routing(1, (HOST,)),),
        (options(DESTINATION), options(HOP_BY_HOP)),
        (options(DESTINATION, 64),),
        (options(DESTINATION, 32), options(DESTINATION, 32)),
        (fragment(0, 1, is_last=True), fragment(0, 2, is_last=True)),
    ],
)
def test_a_chain_that_is_not_on_the_allow_list_hides_the_ports(
    extensions: tuple[tuple[int, bytes], ...],
) -> None:
    """What looks like TCP behind it must not be taken for TCP."""
    assert admitted(replace(SAMPLE, extensions=extensions).encode()).present == {"eth", "ipv6"}


GOOD = SAMPLE.encode()
FIRST = fragment(0, 1, is_last=False)


def with_length(data: bytes, length: int) -> bytes:
    return data[:18] + length.to_bytes(2, "big") + data[20:]


@pytest.mark.parametrize(
    ("expected", "data"),
    [
        ("ipv6_truncated", GOOD[:53]),
        ("ipv6_version", GOOD[:14] + b"\x45" + GOOD[15:]),
        ("ipv6_length", GOOD[:-1]),
        ("ipv6_length", with_length(GOOD, 0xFFFF)),
        ("tcp_truncated", with_length(GOOD, 0)),
        ("tcp_truncated", with_length(GOOD, 19)),
        ("ipv6_extension_truncated", with_length(replace(SAMPLE, extensions=(options(0),)).encode(), 7)),
        ("ipv6_extension_truncated", with_length(replace(SAMPLE, extensions=(options(0, 16),)).encode(), 15)),
        ("tiny_fragment", with_length(replace(SAMPLE, extensions=(FIRST, options(60))).encode(), 15)),
        ("tiny_fragment", with_length(replace(SAMPLE, extensions=(FIRST,)).encode(), 27)),
        ("udp_length", with_length(replace(SAMPLE, protocol=UDP).encode(), 12)),
        ("icmp_truncated", with_length(replace(SAMPLE, protocol=ICMPV6, dport=128).encode(), 7)),
    ],
)
def test_a_malformed_frame_has_its_named_reason(expected: str, data: bytes) -> None:
    assert reason(data) == expected


def test_a_first_fragment_of_udp_may_be_shorter_than_its_datagram() -> None:
    data = replace(SAMPLE, protocol=UDP, payload=bytes(24), extensions=(FIRST,)).encode()
    assert "udp" in admitted(with_length(data[:-8], len(data) - 54 - 8)).present


def test_padding_of_the_frame_is_no_part_of_the_datagram() -> None:
    assert admitted(replace(SAMPLE, payload=b"", padding=b"\xff" * 6).encode()).present == TCP_WORDS


def test_fields_are_read_where_they_stand() -> None:
    data = bytearray(replace(SAMPLE, extensions=(options(HOP_BY_HOP),), hop_limit=7).encode())
    data[14:18] = (0x6 << 28 | 46 << 22 | 3 << 20 | 0xABCDE).to_bytes(4, "big")
    expected = {
        "eth.type": 0x86DD, "ipv6.dscp": 46, "ipv6.ecn": 3, "ipv6.flow_label": 0xABCDE,
        "ipv6.length": 8 + 20 + 8, "ipv6.next_header": 0, "ipv6.hop_limit": 7, "ipv6.src": HOST,
        "ipv6.dst": SERVER, "l4.sport": 40000, "l4.dport": 443, "tcp.window": 512,
    }  # fmt: skip
    assert {path: field_reader(path)(admitted(bytes(data))) for path in expected} == expected


@st.composite
def written(draw: st.DrawFn) -> tuple[Frame6, dict[str, int]]:
    packet = Frame6(
        src=draw(st.integers(0, 2**128 - 1)),
        dst=draw(st.integers(0, 2**128 - 1)),
        protocol=draw(st.sampled_from((TCP, UDP, ICMPV6, 47))),
        sport=draw(st.integers(0, 65535)),
        dport=draw(st.sampled_from((1, 53, 128, 129, 443))),
        extensions=draw(st.sampled_from(((), (options(60),), (FIRST,), (fragment(8, 1, is_last=True),)))),
        payload=draw(st.binary(min_size=8, max_size=9)),
        vlans=draw(st.sampled_from(((), (7,)))),
    )
    present = admitted(packet.encode()).present
    paths = [path for path, field in FIELDS.items() if field.header in present and field.is_writable]
    chosen = draw(st.lists(st.sampled_from(paths), unique=True))
    return packet, {path: draw(st.integers(0, 2 ** FIELDS[path].width - 1)) for path in chosen}


def residue(frame: Frame) -> int:
    """Return the sum of the words that a checksum covers, folded: 0xFFFF when it is right."""
    data, l3 = frame.data, frame.l3
    end = l3 + 40 + int.from_bytes(data[l3 + 4 : l3 + 6], "big")
    protocol = {"tcp": TCP, "udp": UDP}.get(frame.kind.l4, ICMPV6)
    pseudo = data[l3 + 8 : l3 + 40] + (end - frame.l4).to_bytes(4, "big") + protocol.to_bytes(4, "big")
    return ones_complement_sum(pseudo + data[frame.l4 : end])


@given(written())
def test_writes_are_read_again_and_keep_the_checksum_right(case: tuple[Frame6, dict[str, int]]) -> None:
    packet, writes = case
    before = admitted(packet.encode())
    after = admitted(write_frame(before, writes))
    assert after.kind == before.kind
    assert {path: field_reader(path)(after) for path in writes} == writes
    if before.kind.l4 != "none":
        assert residue(before) == residue(after) == 0xFFFF


@given(st.integers(0, 2**128 - 1), st.sampled_from((TCP, UDP, ICMPV6)), st.sampled_from(((), (3,), (3, 4))))
def test_a_frame_that_is_read_is_the_one_that_was_encoded(
    src: int, protocol: int, vlans: tuple[int, ...]
) -> None:
    packet = Frame6(src, SERVER, protocol, sport=7, dport=129 if protocol == ICMPV6 else 9, vlans=vlans)
    assert read_frame6(packet.encode()) == packet


@given(st.binary(max_size=120), st.sampled_from((0, 43, 44, 60, 6, 17, 58)))
def test_any_bytes_behind_an_ipv6_header_are_admitted_or_rejected(data: bytes, first: int) -> None:
    head = GOOD[:18] + len(data).to_bytes(2, "big") + bytes((first,)) + GOOD[21:54]
    frame = admit(head + data)
    assert isinstance(frame, Rejected) or frame.kind in UNIVERSE
