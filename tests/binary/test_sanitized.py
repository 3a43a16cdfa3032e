"""Binaries with address and undefined-behaviour sanitizers, over every public capture."""

import subprocess
from pathlib import Path

import pytest

from synth.captures import read_capture
from synth.diagnostics.diagnostic import UserError
from synth.driver import Source, load
from synth.native import replay
from tests.binary.conftest import build
from tests.conftest import REPOSITORY
from tests.differential.harness import traffic_with_answers, write_inputs
from tests.traffic import Arrival

MILLISECOND = 1_000_000


@pytest.fixture(scope="module")
def captured(shared_data: Path) -> list[bytes]:
    """All frames of the public captures of Ethernet."""
    frames: list[bytes] = []
    for path in sorted(file for file in (shared_data / "pcaps").rglob("*") if file.is_file()):
        try:
            frames += [packet.data for packet in read_capture(path)]
        except UserError:
            continue  # not Ethernet, or no capture
    assert len(frames) > 8_000
    return frames


@pytest.mark.parametrize("form", ["synthesized", "as written"])
@pytest.mark.parametrize("chain", ["isp/isp_chain", "motivating/napt_firewall_lb"])
def test_no_sanitizer_has_anything_to_say(
    chain: str, form: str, captured: list[bytes], tmp_path: Path
) -> None:
    source = REPOSITORY / "chains" / f"{chain}.chain"
    options = ("--as-written",) if form == "as written" else ("--no-proof",)
    built = build(source, tmp_path / "built", "--sanitize", *options)
    symbols = subprocess.run(["nm", "-D", str(built.binary)], capture_output=True, text=True, check=True)
    assert "__asan_init" in symbols.stdout
    assert "__ubsan_" in symbols.stdout
    graph = load(Source(path=source)).graph
    # Captured frames are denied nearly always: others make state, use it, and leave.
    arrivals = traffic_with_answers(graph, built.binary, seed=3, count=6_000, folder=tmp_path)
    start = arrivals[-1].time
    arrivals += [
        Arrival(interface.name, start + MILLISECOND * number, data)
        for interface in graph.interfaces
        for number, data in enumerate(captured)
    ]
    report = replay(built.binary, write_inputs(graph, arrivals, tmp_path), tmp_path / "out").report
    assert report.is_balanced
    assert report.packets_in == len(arrivals) > 20_000
    assert all(report.packets_out.values())
