import shutil
import struct
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from synth.captures import CapturedPacket, read_capture, write_capture
from synth.diagnostics.diagnostic import Diagnostic, UserError

FRAME = bytes(range(60))


def pcap(
    records: Iterable[tuple[int, int, bytes]] = (),
    *,
    order: str = "<",
    magic: int = 0xA1B2C3D4,
    version: tuple[int, int] = (2, 4),
    snap_length: int = 65535,
    link: int = 1,
) -> bytes:
    data = struct.pack(f"{order}IHHIIII", magic, *version, 0, 0, snap_length, link)
    for seconds, fraction, frame in records:
        data += struct.pack(f"{order}IIII", seconds, fraction, len(frame), len(frame)) + frame
    return data


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    body += bytes(-len(body) % 4)
    size = struct.pack(f"{order}I", len(body) + 12)
    return struct.pack(f"{order}I", kind) + size + body + size


def option(code: int, value: bytes, order: str = "<") -> bytes:
    return struct.pack(f"{order}HH", code, len(value)) + value + bytes(-len(value) % 4)


def section(order: str = "<", version: tuple[int, int] = (1, 0)) -> bytes:
    return block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, *version, -1), order)


def interface(order: str = "<", link: int = 1, snap_length: int = 0, options: bytes = b"") -> bytes:
    return block(1, struct.pack(f"{order}HHI", link, 0, snap_length) + options, order)


def packet(number: int, ticks: int, frame: bytes, order: str = "<", options: bytes = b"") -> bytes:
    head = struct.pack(f"{order}IIIII", number, ticks >> 32, ticks & 0xFFFFFFFF, len(frame), len(frame))
    return block(6, head + frame + bytes(-len(frame) % 4) + options, order)


def read(folder: Path, data: bytes) -> list[CapturedPacket]:
    path = folder / "x.pcap"
    path.write_bytes(data)
    return list(read_capture(path))


def refusal(folder: Path, data: bytes) -> Diagnostic:
    with pytest.raises(UserError) as caught:
        read(folder, data)
    (found,) = caught.value.diagnostics
    assert found.span.file == str(folder / "x.pcap")
    return found


# ---------------------------------------------------------------- pcap


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(("magic", "unit"), [(0xA1B2C3D4, 1000), (0xA1B23C4D, 1)])
def test_pcap_is_read_in_both_byte_orders_and_units(
    tmp_path: Path, order: str, magic: int, unit: int
) -> None:
    data = pcap([(7, 9, FRAME), (8, 0, FRAME[:20])], order=order, magic=magic)
    assert read(tmp_path, data) == [
        CapturedPacket(7 * 10**9 + 9 * unit, FRAME),
        CapturedPacket(8 * 10**9, FRAME[:20]),
    ]


def test_a_record_longer_than_the_snap_length_is_cut(tmp_path: Path) -> None:
    assert read(tmp_path, pcap([(0, 0, FRAME)], snap_length=20)) == [CapturedPacket(0, FRAME[:20])]
    assert read(tmp_path, pcap([(0, 0, FRAME)], snap_length=0)) == [CapturedPacket(0, FRAME)]


def test_what_is_written_is_read_back_to_the_nanosecond(tmp_path: Path) -> None:
    packets = [
        CapturedPacket(1_700_000_000_123_456_789, FRAME),
        CapturedPacket(0, b""),
        CapturedPacket(1, FRAME),
    ]
    write_capture(tmp_path / "out.pcap", packets)
    assert list(read_capture(tmp_path / "out.pcap")) == packets


# ---------------------------------------------------------------- pcapng


@pytest.mark.parametrize("order", ["<", ">"])
def test_each_pcapng_interface_has_its_own_clock(tmp_path: Path, order: str) -> None:
    data = (
        section(order)
        + interface(order)
        + interface(
            order, options=option(9, b"\x09", order) + option(14, struct.pack(f"{order}q", 100), order)
        )
        + interface(order, options=option(9, b"\x8a", order))
        + packet(0, 5_000_001, FRAME, order)
        + packet(1, 3, FRAME[:21], order, option(1, b"not \xff text", order))
        + packet(2, 3 << 9, FRAME, order)
    )
    assert read(tmp_path, data) == [
        CapturedPacket(5_000_001_000, FRAME),
        CapturedPacket(100 * 10**9 + 3, FRAME[:21]),
        CapturedPacket(1_500_000_000, FRAME),
    ]


def test_a_new_section_forgets_the_interfaces_and_may_turn_the_byte_order(tmp_path: Path) -> None:
    first = section() + interface(options=option(9, b"\x09")) + packet(0, 5, FRAME)
    second = section(">") + interface(">") + packet(0, 5, FRAME, ">")
    assert [p.time for p in read(tmp_path, first + second)] == [5, 5000]
    assert "interface 0" in refusal(tmp_path, first + section(">") + packet(0, 5, FRAME, ">")).message


def test_simple_old_and_unknown_blocks_are_understood(tmp_path: Path) -> None:
    simple = block(3, struct.pack("<I", len(FRAME)) + FRAME[:48])
    old = block(2, struct.pack("<HHIIII", 0, 7, 0, 9, len(FRAME), len(FRAME)) + FRAME)
    data = section() + block(0xBAD, b"1234") + interface(snap_length=48) + simple + old
    assert read(tmp_path, data) == [CapturedPacket(0, FRAME[:48]), CapturedPacket(9000, FRAME)]


# ---------------------------------------------------------------- refusals

NG = section() + interface()


@pytest.mark.parametrize(
    ("data", "code", "message"),
    [
        (b"", "E803", "byte 0: the file ends in the file's first bytes"),
        (b"\x1f\x8b\x08\x00", "E801", "this is not a capture: it begins with 1f 8b 08 00"),
        (pcap(version=(1, 4)), "E802", "byte 0: pcap version 1.4 is not known; 2.4 is"),
        (pcap()[:20], "E803", "the capture is damaged at byte 4: the file ends in the file header"),
        (pcap([(0, 0, FRAME)])[:30], "E803", "byte 25: the file ends in a record header"),
        (pcap([(0, 0, FRAME)])[:-1], "E803", "the capture is damaged at byte 40: the file ends in a packet"),
        (pcap() + struct.pack("<IIII", 0, 0, 262145, 0), "E803", "byte 40: a packet of 262145"),
        (pcap([(0, 0, FRAME)], link=101), "E804", "byte 20: packets of link type 101 (raw IP), only"),
        (pcap([(0, 0, FRAME)], link=147), "E804", "byte 20: packets of link type 147 (not known here), only"),
        (NG + packet(1, 0, FRAME), "E803", "byte 140: a packet of interface 1"),
        (section() + interface(link=113) + packet(0, 0, FRAME), "E804", "byte 48: packets of link type 113"),
        (NG + block(6, b"1234"), "E803", "the capture is damaged at byte 64: a block too short for its type"),
        (NG + block(6, struct.pack("<IIIII", 0, 0, 0, 99, 99)), "E803", "byte 80: a packet of 99 bytes"),
        (NG + packet(0, 0, FRAME)[:-1] + b"\xff", "E803", "byte 140: a block's size differs at its end"),
        (NG + struct.pack("<II", 6, 13), "E803", "the capture is damaged at byte 56: a block of 13 bytes"),
        (section() + interface(options=b"\x01\x00\xff\x00"), "E803", "an option of 255 bytes goes beyond"),
        (NG + packet(0, 2**63 // 1000 + 1, FRAME), "E805", "byte 48: the time stamp lies outside 1970"),
        (section(version=(2, 0)), "E802", "pcapng version 2.0 is not known; 1.0 is"),
    ],
)  # fmt: skip
def test_a_bad_capture_is_refused_with_its_place(
    tmp_path: Path, data: bytes, code: str, message: str
) -> None:
    found = refusal(tmp_path, data)
    assert found.code == code
    assert message in found.message


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such file or directory"):
        list(read_capture(tmp_path / "none.pcap"))


def test_every_cut_of_a_capture_is_refused_or_read(tmp_path: Path) -> None:
    for whole in (pcap([(0, 0, FRAME)] * 2), NG + packet(0, 0, FRAME) * 2):
        for size in range(len(whole)):
            try:
                packets = read(tmp_path, whole[:size])
            except UserError:
                continue
            assert len(packets) < 2


# ---------------------------------------------------------------- public captures


def test_invalid_public_captures_are_all_refused(shared_data: Path) -> None:
    files = sorted((shared_data / "pcaps" / "libpcap_invalid").iterdir())
    assert len(files) == 6
    for path in files:
        with pytest.raises(UserError, match="byte"):
            list(read_capture(path))


def test_public_captures_read_as_tcpdump_reads_them(shared_data: Path, tmp_path: Path, full: bool) -> None:
    tcpdump = shutil.which("tcpdump")
    assert tcpdump is not None, "apt-get install tcpdump"
    files = sorted(p for p in (shared_data / "pcaps").rglob("*") if p.suffix in (".pcap", ".pcapng"))
    compared = 0
    for path in files if full else files[::8]:
        try:
            ours = list(read_capture(path))
        except UserError:
            continue
        copy = tmp_path / "copy.pcap"
        subprocess.run([tcpdump, "--nano", "-r", path, "-w", copy], check=True, capture_output=True)
        # tcpdump's copy has 32 bits for seconds, as any pcap file.
        seconds = [p.time % (2**32 * 10**9) for p in ours]
        theirs = list(read_capture(copy))
        assert [p.data for p in theirs] == [p.data for p in ours], path
        assert [p.time for p in theirs] == seconds, path
        compared += 1
    assert compared >= (380 if full else 45)
