"""Frames that the chain makes leave on DPDK's ports as they do in a replay: ICMP errors of a router."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

from synth.captures import CapturedPacket, read_capture, write_capture
from synth.traffic.frames import Frame, ip
from tests.binary.conftest import build
from tests.conftest import REPOSITORY

DYING = Frame(ip("100.64.0.9"), ip("198.18.59.130"), 6, 40_000, 1521, flags=0x18, ttl=1)
"""What a rule of isp_251.rules permits, at the end of its way."""


def test_errors_leave_on_ports_as_they_do_in_a_replay(tmp_path: Path) -> None:
    """Short and long ones, among packets that pass, in one burst."""
    chain = REPOSITORY / "chains" / "isp" / "isp_chain.chain"
    built = build(chain, tmp_path / "built", "--set", "router.address=100.64.0.1")
    assert built.report["form"] == "synthesized and proved"
    living = replace(DYING, ttl=9)
    frames = [
        DYING,
        living,
        replace(DYING, payload=bytes(range(256)) * 4),
        living,
        replace(DYING, vlans=(7,)),
    ]
    lan, wan = tmp_path / "in_lan.pcap", tmp_path / "in_wan.pcap"
    write_capture(lan, [CapturedPacket(n, frame.encode()) for n, frame in enumerate(frames)])
    write_capture(wan, [])
    replayed = tmp_path / "replayed"
    subprocess.run(
        [str(built.binary), "--replay", "--in", f"lan={lan}", "--out-dir", str(replayed)],
        check=True, capture_output=True, timeout=60,
    )  # fmt: skip
    outs = {name: tmp_path / f"out_{name}.pcap" for name in ("lan", "wan")}
    vdevs = [
        f"--vdev=net_pcap{n},rx_pcap={rx},tx_pcap={outs[name]}"
        for n, (name, rx) in enumerate({"lan": lan, "wan": wan}.items())
    ]
    done = subprocess.run(
        [
            str(built.binary), "--json", "--duration", "2",
            "--interface=lan=net_pcap0", "--interface=wan=net_pcap1",
            "--", "--no-huge", "--no-pci", "-m", "512", "--file-prefix=isp_made", *vdevs,
        ],
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["packets_out"] == {"lan": 3, "wan": 2}
    assert report["drops"] == {"router.ttl_expired": 3}
    assert report["generated"] == 3
    for name, path in outs.items():
        sent = [packet.data for packet in read_capture(path)]
        assert sent == [packet.data for packet in read_capture(replayed / f"{name}.pcap")]
