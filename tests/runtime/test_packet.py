"""Packets in C are the packets of synth/net/frame.py: kinds, drops, checksums, writes."""

import random
import struct
import subprocess

import pytest

from synth.captures import read_capture
from synth.diagnostics.diagnostic import UserError
from synth.net.frame import Rejected, admit, write_frame
from synth.net.kinds import HEADERS
from tests.runtime.compiling import HERE, compile_c

FOUR_COPIES = 1 << 96 | 1 << 64 | 1 << 32 | 1
Writes = tuple[int, int, int, int, int, int]


@pytest.fixture(scope="module")
def packets(compiler, tmp_path_factory):
    return compile_c(compiler, [HERE / "packets.c"], tmp_path_factory.mktemp("packets") / "packets")


def ask(program, frames, writes):
    records = (
        struct.pack("<I", len(frame)) + frame + struct.pack("<2I4H", *write)
        for frame, write in zip(frames, writes, strict=True)
    )
    done = subprocess.run((str(program),), input=b"".join(records), capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode().splitlines()


def expected(frame: bytes, write: Writes) -> list[str]:
    """What packets.c prints, but for the heads' lengths: (reason) or (headers, l3, l4, head, written)."""
    admitted = admit(frame)
    if isinstance(admitted, Rejected):
        return [admitted.reason]
    fields = {}
    if "ipv4" in admitted.present:
        fields |= {"ipv4.src": write[0], "ipv4.dst": write[1], "ipv4.ttl": write[2]}
    if "ipv6" in admitted.present:
        fields |= {"ipv6.src": write[0] * FOUR_COPIES, "ipv6.dst": write[1] * FOUR_COPIES}
        fields["ipv6.hop_limit"] = write[2] & 0xFF
    if "l4" in admitted.present:
        fields |= {"l4.sport": write[3], "l4.dport": write[4]}
    if "tcp" in admitted.present:
        fields["tcp.window"] = write[5]
    if "icmp_echo" in admitted.present:
        fields["icmp_echo.id"] = write[5]
    if "icmpv6_echo" in admitted.present:
        fields["icmpv6_echo.id"] = write[5]
    headers = ",".join(word for word in HEADERS if word in admitted.present)
    written = write_frame(admitted, fields)
    return [headers, str(admitted.l3), str(admitted.l4), admitted.data.hex(), written.hex()]


def check(program, frames, seed):
    draw = random.Random(seed)
    writes = [
        (
            draw.getrandbits(32),
            draw.getrandbits(32),
            draw.getrandbits(8),
            *(draw.getrandbits(16) for _ in range(3)),
        )
        for _ in frames
    ]
    kinds = set()
    for frame, write, line in zip(frames, writes, ask(program, frames, writes), strict=True):
        found, wanted = line.split(" "), expected(frame, write)
        kinds.add(wanted[0])
        if len(wanted) == 1:
            assert found == wanted, frame.hex()
            continue
        assert found[:3] == wanted[:3], frame.hex()
        for head, whole in zip(found[3:], wanted[3:], strict=True):
            # What the head leaves out is sent as it was received.
            assert head + frame.hex()[len(head) :] == whole, frame.hex()
    return kinds


def checksum(data: bytes) -> int:
    return 0xFFFF - (int.from_bytes(data + bytes(len(data) % 2), "big") % 0xFFFF)


def random_ipv4(draw: random.Random) -> bytes:
    options = bytes(4 * draw.choice((0, 0, 0, 1, 10)))
    protocol = draw.choice((1, 6, 6, 17, 17, 47))
    payload = bytearray(draw.randbytes(draw.choice((0, 3, 4, 7, 8, 19, 20, 40, 60))))
    if protocol == 6 and len(payload) > 12:
        payload[12] = draw.choice((0x50, 0x50, 0x60, 0xA0, 0xF0, 0x40))
    if protocol == 17 and len(payload) > 7:
        payload[4:6] = struct.pack(">H", draw.choice((len(payload), len(payload), 8, 7, len(payload) + 1)))
        payload[6:8] = draw.choice((b"\0\0", b"\xff\xff", draw.randbytes(2)))
    if protocol == 1 and payload:
        payload[0] = draw.choice((0, 8, 3, 11))
        payload[2:4] = draw.choice((b"\xff\xff", draw.randbytes(2)))
    wrong_by = draw.choice((0,) * 20 + (-1, 1, 400, -50))
    version_and_length = draw.choice((0x45,) * 20 + (0x44, 0x55, 0x4F)) + len(options) // 4
    header = bytearray(
        struct.pack(
            ">BBHHHBBH4s4s",
            version_and_length & 0xFF, 0, 20 + len(options) + len(payload) + wrong_by & 0xFFFF,
            draw.getrandbits(16), draw.choice((0, 0, 0, 0, 0x4000, 0x2000, 0x2000, 0x2010, 0x00B9)),
            draw.getrandbits(8), protocol, 0, draw.randbytes(4), draw.randbytes(4),
        )
        + options
    )  # fmt: skip
    header[10:12] = struct.pack(">H", checksum(bytes(header)) ^ (draw.random() < 0.03))
    if header[10:12] == b"\0\0" and draw.random() < 0.5:
        header[10:12] = b"\xff\xff"
    return bytes(header + payload) + bytes(draw.choice((0, 0, 6)))


def random_segment(draw: random.Random, protocol: int) -> bytes:
    """Return bytes that are often, not always, a good header of a protocol."""
    payload = bytearray(draw.randbytes(draw.choice((0, 3, 4, 7, 8, 19, 20, 40, 60))))
    if protocol == 6 and len(payload) > 12:
        payload[12] = draw.choice((0x50, 0x50, 0x60, 0xA0, 0xF0, 0x40))
    if protocol == 17 and len(payload) > 7:
        payload[4:6] = struct.pack(">H", draw.choice((len(payload), len(payload), 8, 7, len(payload) + 1)))
        payload[6:8] = draw.choice((b"\0\0", b"\xff\xff", draw.randbytes(2)))
    if protocol in (1, 58) and len(payload) > 3:
        payload[0] = draw.choice((0, 8, 3, 11, 128, 129, 2))
        payload[2:4] = draw.choice((b"\xff\xff", draw.randbytes(2)))
    return bytes(payload)


def random_extension(draw: random.Random) -> tuple[int, bytes]:
    """Return the number of an extension header, and its bytes behind the first."""
    number = draw.choice((0, 43, 44, 44, 60, 60))
    if number == 44:
        offset_and_more = draw.choice((0, 1, 1, 8, 9, 0xFFF9, 6))
        return 44, b"\0" + struct.pack(">H", offset_and_more) + draw.randbytes(4)
    size = draw.choice((8, 8, 8, 16, 24, 40, 64))
    claimed = draw.choice((size,) * 12 + (8, 512, 56))
    segments_left = draw.choice((0, 0, 0, 1))
    return number, bytes((claimed // 8 - 1, 0, segments_left)) + draw.randbytes(size - 4)


def random_ipv6(draw: random.Random) -> bytes:
    chain = [random_extension(draw) for _ in range(draw.choice((0, 0, 0, 1, 1, 2, 3, 5)))]
    protocol = draw.choice((6, 6, 17, 17, 58, 58, 1, 50, 51, 59, 135))
    numbers = [number for number, _ in chain] + [protocol]
    extensions = b"".join(
        bytes((following,)) + body for following, (_, body) in zip(numbers[1:], chain, strict=True)
    )
    rest = extensions + random_segment(draw, protocol)
    length = max(0, len(rest) + draw.choice((0,) * 15 + (-1, 1, -9, 300)))
    first = draw.choice((0x60,) * 20 + (0x40, 0x6F))
    head = struct.pack(">BBHHBB", first, 0, 7, length, numbers[0], draw.getrandbits(8))
    return head + draw.randbytes(32) + rest + bytes(draw.choice((0, 0, 6)))


def random_frame(draw: random.Random) -> bytes:
    tags = b"".join(
        struct.pack(">HH", draw.choice((0x8100, 0x88A8)), draw.getrandbits(16))
        for _ in range(draw.choice((0, 0, 0, 1, 2, 3)))
    )
    addresses = draw.randbytes(12)
    match draw.randrange(16):
        case 0:
            arp = draw.choice(("000108000604", "000608000604")) + "0001"
            rest = b"\x08\x06" + bytes.fromhex(arp) + draw.randbytes(draw.choice((0, 19, 20, 38)))
        case 1:
            rest = draw.choice((b"\x86\xdd", b"\0\x26", b"\x08\x06", b"\x81\0")) + draw.randbytes(
                draw.randrange(60)
            )
        case 2 | 3 | 4 | 5:
            rest = b"\x86\xdd" + random_ipv6(draw)
        case _:
            rest = b"\x08\0" + random_ipv4(draw)
    frame = addresses + tags + rest
    return frame[: draw.randrange(len(frame) + 1)] if draw.random() < 0.1 else frame


def test_random_frames_are_the_same_packets_in_c(packets, full):
    draw = random.Random(1)
    frames = [random_frame(draw) for _ in range(1_000_000 if full else 30_000)]
    reasons = check(packets, frames, 2)
    assert reasons >= {
        "too_short", "vlan_truncated", "arp_truncated", "ipv4_truncated", "ipv4_version",
        "ipv4_header_length", "ipv4_length", "ipv4_checksum", "ipv6_truncated", "ipv6_version",
        "ipv6_length", "ipv6_extension_truncated", "tcp_truncated", "tcp_data_offset",
        "udp_truncated", "udp_length", "icmp_truncated", "tiny_fragment",
    }  # fmt: skip


def test_captured_frames_are_the_same_packets_in_c(packets, shared_data, full):
    frames: list[bytes] = []
    for path in sorted(shared_data.glob("pcaps/**/*.pcap*")):
        if len(frames) > 20_000 and not full:
            break
        try:
            frames += [packet.data for packet in read_capture(path)]
        except UserError:
            continue
    check(packets, frames, 3)


def test_checksum_zero_keeps_its_udp_meaning(packets):
    """A UDP checksum of zero stays; one that becomes zero is sent as 0xFFFF; 0xFFFF becomes no zero."""
    draw = random.Random(4)
    frames = []
    while len(frames) < 2000:
        frame = bytearray(random_frame(draw))
        admitted = admit(bytes(frame))
        if not isinstance(admitted, Rejected) and "udp" in admitted.present:
            frame[admitted.l4 + 6 : admitted.l4 + 8] = draw.choice(
                (b"\0\0", b"\xff\xff", b"\0\1", b"\xff\xfe")
            )
            frames.append(bytes(frame))
    check(packets, frames, 5)
