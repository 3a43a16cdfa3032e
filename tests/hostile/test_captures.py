"""Captures with odd times: interpreter and binary take, or refuse, the same."""

import struct
from pathlib import Path

import pytest

from synth.captures import read_capture
from synth.diagnostics.diagnostic import UserError
from synth.interpreter import run_captures
from synth.native import replay
from tests.frames import Frame
from tests.hostile.forms import Forms, build_forms, one_nf

# An entry that is made says so: whether time went on is in the counter.
TIMED = one_nf("""
nf n {
    table t {
        key      host: ipv4
        timer    idle = 10s
        capacity 4
    }
    counter fresh
    from inside (pkt: ipv4) {
        let e = t.find(host: pkt.ipv4.src) or {
            let made = t.insert(host: pkt.ipv4.src) or drop full
            count fresh
            give made
        }
        touch e.idle
        emit outside
    }
    from inside (pkt) { drop other }
    from outside (pkt) { emit inside }
}
""")
FRAME = Frame(1, 2).encode()
PCAPNG = struct.pack("<IIIHHqI", 0x0A0D0D0A, 28, 0x1A2B3C4D, 1, 0, -1, 28)


def pcap(*times: tuple[int, int], magic: int = 0xA1B23C4D, data: bytes = FRAME) -> bytes:
    """Return a capture; times are seconds and the part of a second."""
    records = (struct.pack("<IIII", *time, len(data), len(data)) + data for time in times)
    return struct.pack("<IHHIIII", magic, 2, 4, 0, 0, 262144, 1) + b"".join(records)


def pcapng(*ticks: int, resolution: int = 9, offset: int = 0) -> bytes:
    """Return a capture of one interface, whose ticks are 10^-resolution seconds."""
    options = struct.pack("<HHBxxxHHqHH", 9, 1, resolution, 14, 8, offset, 0, 0)
    blocks = [PCAPNG, block(1, struct.pack("<HHI", 1, 0, 0) + options)]
    for time in ticks:
        head = struct.pack("<IIIII", 0, time >> 32, time & 0xFFFFFFFF, len(FRAME), len(FRAME))
        blocks.append(block(6, head + FRAME))
    return b"".join(blocks)


def block(kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    size = len(body) + 12
    return struct.pack("<II", kind, size) + body + struct.pack("<I", size)


@pytest.fixture(scope="module")
def timed(tmp_path_factory: pytest.TempPathFactory) -> Forms:
    return build_forms(TIMED, tmp_path_factory.mktemp("timed"), sanitize=False)


TAKEN = {
    "across 2038": (pcap((2**31 - 1, 0), (2**31, 0), (2**31 + 9, 999_999_999), (2**31 + 20, 0)), 2),
    "in 2106": (pcap((2**32 - 1, 999_999_999), (2**32 - 1, 999_999_999)), 1),
    "backwards": (pcap((100, 0), (50, 0), (109, 999_999_999), (115, 0), (125, 0)), 2),
    "more than a second of microseconds": (pcap((1, 4_000_000), (6, 0), magic=0xA1B2C3D4), 1),
    "the last nanosecond": (pcapng(10**9, 2**63 - 1, 2**63 - 1), 2),
    "before 1970, moved": (pcapng(100 * 10**9, 110 * 10**9, offset=-100), 2),
    "picoseconds": (
        pcapng(5 * 10**12 + 999, 15 * 10**12 - 1, 25 * 10**12 - 1, 35 * 10**12, resolution=12),
        3,  # the third comes 10 s after the second, in whole nanoseconds
    ),
    "empty frames": (pcap((1, 0), (2, 0), data=b""), 0),
}
REFUSED = {
    "after 2262": pcapng(2**63),
    "after 2554": pcapng(2**64 - 1, resolution=6),
    "before 1970": pcapng(1, offset=-100),
    "a nanosecond part with its sign set": pcap((1, 4_000_000_000), (6, 0)),
    "a microsecond part with its sign set": pcap((0, 4_000_000_000), magic=0xA1B2C3D4),
    "cut": pcap((1, 0), (2, 0))[:-1],
    "nothing": b"",
}


@pytest.mark.parametrize("name", TAKEN)
def test_odd_times_are_the_same_for_interpreter_and_binaries(timed: Forms, name: str, tmp_path: Path) -> None:
    content, fresh = TAKEN[name]
    (tmp_path / "in").write_bytes(content)
    report = run_captures(timed.graph, {"lan": tmp_path / "in"}, tmp_path / "interpreter")
    assert report.counters == {"x.fresh": fresh}
    for binary in timed.binaries:
        assert replay(binary, {"lan": tmp_path / "in"}, tmp_path / "native").report == report
        left = [list(read_capture(tmp_path / kind / "wan.pcap")) for kind in ("interpreter", "native")]
        assert left[0] == left[1]


@pytest.mark.parametrize("name", REFUSED)
def test_impossible_times_are_refused_by_interpreter_and_binaries(
    timed: Forms, name: str, tmp_path: Path
) -> None:
    (tmp_path / "in").write_bytes(REFUSED[name])
    with pytest.raises(UserError, match=r"time stamp|damaged"):
        run_captures(timed.graph, {"lan": tmp_path / "in"}, tmp_path / "out")
    for binary in timed.binaries:
        with pytest.raises(UserError, match=r"time stamp|damaged|cannot read"):
            replay(binary, {"lan": tmp_path / "in"}, tmp_path / "out")
