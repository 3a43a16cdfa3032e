"""The ISP chain between Open vSwitch and its binary: every packet has the fate that the interpreter gives."""

import json
import subprocess
import sys
from pathlib import Path

from synth.interpreter import Interpreter
from synth.traffic.frames import Frame, ip, read_frame
from tests.binary.conftest import build
from tests.conftest import REPOSITORY
from tests.offload.together import graph_of, odd_frames

ISP = REPOSITORY / "chains" / "isp" / "isp_chain.chain"
PUBLIC = ip("203.0.113.1")


def sent_frames() -> list[tuple[str, bytes]]:
    """Subscribers' frames, permitted, denied and odd; then answers to ports that may be open, or not."""
    some = [Frame(ip("100.64.0.9") + n, ip("198.51.100.9"), 6, 4000 + n, 80).encode() for n in range(12)]
    some += [Frame(ip("10.0.0.9"), ip("198.51.100.9"), 6, 4000 + n, 80).encode() for n in range(5)]
    some += [Frame(ip("100.64.0.9"), ip("198.51.100.9"), 17, 4000 + n, 99).encode() for n in range(4)]
    # DPDK's net_af_packet has the kernel put fragments together before it gets them (PACKET_FANOUT).
    some += [frame for frame in odd_frames() if not is_fragment(frame)][::3]
    answers = [Frame(ip("198.51.100.9"), PUBLIC, 6, 80, port).encode() for port in range(1024, 1044)]
    return [*(("lan", frame) for frame in some), *(("wan", frame) for frame in answers)]


def is_fragment(data: bytes) -> bool:
    frame = read_frame(data)
    return frame is None or frame.fragment & 0x3FFF != 0


def choices_in(frames: list[str]) -> list[tuple[str, int]]:
    """The ports that the binary took, in order, as its frames show."""
    seen: dict[tuple[int, int], None] = {}
    for data in frames:
        frame = read_frame(bytes.fromhex(data))
        if frame is not None and frame.src == PUBLIC:
            seen.setdefault((frame.protocol, frame.sport))
    return [("nat.bindings", port) for _, port in seen]


def test_every_packet_has_its_fate_behind_a_real_switch(tmp_path: Path) -> None:
    built = build(ISP, tmp_path / "built", "--switch", "ovs")
    arrivals = sent_frames()
    done = subprocess.run(
        ["unshare", "--net", sys.executable, "-m", "tests.openflow.live_chain", built.binary, ISP, tmp_path],
        input="".join(f"{interface} {frame.hex()}\n" for interface, frame in arrivals),
        capture_output=True, text=True, check=False, timeout=120, cwd=REPOSITORY,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    chain = Interpreter(graph_of(ISP), choices_in(result["left"]["wan"]))
    expected: dict[str, list[str]] = {"lan": [], "wan": []}
    for now, (interface, frame) in enumerate(arrivals):
        for out, sent in chain.receive(interface, frame, now):
            expected[out].append(sent.hex())
    assert result["left"] == expected
    assert len(expected["wan"]) > 12 < len(arrivals)
    assert_counters_agree(result, dict(chain.finish().drops))


def assert_counters_agree(result: dict[str, dict[str, dict[str, int]]], expected: dict[str, int]) -> None:
    """The switch's drops and the binary's are the chain's together."""
    found = {name.replace("lan_class_102.", "lan."): n for name, n in result["report"]["drops"].items()}
    assert found.pop("lan.bad_tag") == 4
    for name, count in result["statistics"]["classes"].items():
        if name.startswith("dropped as "):
            counter = name.removeprefix("dropped as ")
            found[counter] = found.get(counter, 0) + count
    assert {name: count for name, count in found.items() if count} == expected
    assert result["statistics"]["classes"]["permitted by acl.rules"] > 12
