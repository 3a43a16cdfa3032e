"""The ISP chain's binary, as `synth build` makes it, on each kind of port that needs no hardware."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from synth.captures import read_capture
from synth.traffic.frames import Frame, ip, read_frame
from tests.binary.conftest import BuiltChain
from tests.conftest import REPOSITORY

CAPTURES = {name: REPOSITORY / "chains" / "isp" / f"{name}.pcap" for name in ("lan", "wan")}


def frames(path: Path) -> list[bytes]:
    return [packet.data for packet in read_capture(path)]


def but_ports(path: Path) -> list[Frame | None]:
    """Return a capture's frames without the ports that a NAPT chooses."""
    read = [read_frame(data) for data in frames(path)]
    return [replace(frame, sport=0) if frame else None for frame in read]


def test_the_binary_is_one_elf_file_that_is_linked_to_dpdk(isp: BuiltChain) -> None:
    assert isp.binary.read_bytes()[:4] == b"\x7fELF"
    linked = subprocess.run(["ldd", str(isp.binary)], capture_output=True, text=True, check=True).stdout
    assert "librte_eal" in linked
    assert "not found" not in linked
    assert isp.report["form"] == "synthesized and proved"


def test_pcap_ports_give_what_the_replay_host_gives(isp: BuiltChain, tmp_path: Path) -> None:
    lan = CAPTURES["lan"]
    replayed = tmp_path / "replayed"
    subprocess.run(
        [str(isp.binary), "--replay", "--in", f"lan={lan}", "--out-dir", str(replayed)],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    vdevs = [
        f"--vdev=net_pcap0,rx_pcap={lan},tx_pcap={tmp_path / 'out_lan.pcap'}",
        f"--vdev=net_pcap1,rx_pcap={replayed / 'lan.pcap'},tx_pcap={tmp_path / 'out_wan.pcap'}",
    ]
    done = subprocess.run(
        [
            str(isp.binary), "--json", "--duration", "2",
            "--interface=lan=net_pcap0", "--interface=wan=net_pcap1",
            "--", "--no-huge", "--no-pci", "-m", "512", "--file-prefix=isp_pcap", *vdevs,
        ],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    left = sum(report["packets_out"].values()) + sum(report["drops"].values()) + report["held"]
    assert report["packets_in"] + report["generated"] == left
    assert len(frames(replayed / "wan.pcap")) > 50
    # The clock is the machine's, not the capture's: a binding can outlive its time there, and keep its port.
    assert but_ports(tmp_path / "out_wan.pcap") == but_ports(replayed / "wan.pcap")


@pytest.mark.parametrize("kind", ["af_packet", "tap"])
def test_a_subscriber_is_translated_and_answered_on_live_devices(
    isp: BuiltChain, tmp_path: Path, kind: str
) -> None:
    live = ("unshare", "--net", sys.executable, "-m", "tests.binary.live_isp")
    done = subprocess.run(
        [*live, str(isp.binary), str(tmp_path), kind],
        cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["exit"] == 0
    out = [read_frame(bytes.fromhex(data)) for data in result["out"]]
    assert len(out) == 10
    assert {(frame.src, frame.dst, frame.dport, frame.ttl) for frame in out if frame} == {
        (ip("203.0.113.1"), ip("198.18.59.130"), 1521, 63)
    }
    back = [read_frame(bytes.fromhex(data)) for data in result["back"]]
    assert {(frame.dst, frame.dport) for frame in back if frame} == {(ip("100.64.0.9"), 40_000)}
    assert len(back) == 10
    report = result["report"]
    left = sum(report["packets_out"].values()) + sum(report["drops"].values()) + report["held"]
    assert report["packets_in"] + report["generated"] == left
