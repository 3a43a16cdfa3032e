"""Binaries with address and undefined-behaviour sanitizers, over every public capture."""

import subprocess
from pathlib import Path

import pytest

from synth.captures import CapturedPacket, read_capture, write_capture
from synth.diagnostics.diagnostic import UserError
from synth.native import replay
from tests.binary.conftest import build
from tests.conftest import REPOSITORY

MILLISECOND = 1_000_000


@pytest.fixture(scope="module")
def inputs(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """All frames of the public captures of Ethernet, each on both interfaces."""
    frames: list[bytes] = []
    for path in sorted(file for file in (shared_data / "pcaps").rglob("*") if file.is_file()):
        try:
            frames += [packet.data for packet in read_capture(path)]
        except UserError:
            continue  # not Ethernet, or no capture
    assert len(frames) > 8_000
    captures = {name: tmp_path_factory.mktemp("all") / f"{name}.pcap" for name in ("lan", "wan")}
    for path in captures.values():
        write_capture(path, [CapturedPacket(MILLISECOND * n, data) for n, data in enumerate(frames)])
    return captures


@pytest.mark.parametrize("form", ["synthesized", "as written"])
@pytest.mark.parametrize("chain", ["isp/isp_chain", "motivating/napt_firewall_lb"])
def test_no_sanitizer_has_anything_to_say(
    chain: str, form: str, inputs: dict[str, Path], tmp_path: Path
) -> None:
    options = ("--as-written",) if form == "as written" else ("--no-proof",)
    built = build(REPOSITORY / "chains" / f"{chain}.chain", tmp_path / "built", "--sanitize", *options)
    symbols = subprocess.run(["nm", "-D", str(built.binary)], capture_output=True, text=True, check=True)
    assert "__asan_init" in symbols.stdout
    assert "__ubsan_" in symbols.stdout
    report = replay(built.binary, inputs, tmp_path / "out").report
    assert report.is_balanced
    assert report.packets_in > 16_000
    assert sum(report.packets_out.values()) > 0
