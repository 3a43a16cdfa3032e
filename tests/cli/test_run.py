"""`synth run`: captures in, captures and a report out, with either engine."""

import json
import shutil
import struct
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from synth.captures import CapturedPacket, read_capture, write_capture
from tests.chains.frames_of import udp
from tests.cli.commands import SYNTH, below, environment, synth
from tests.conftest import REPOSITORY
from tests.frames import ip, read_frame


def sources(path: Path) -> set[int]:
    return {frame.src for packet in read_capture(path) if (frame := read_frame(packet.data))}


def test_both_engines_print_the_same_object_and_leave_the_same_captures(work: Path) -> None:
    router = REPOSITORY / "chains" / "routers" / "router_1.chain"
    captures = ("--in", "lan=lan.pcap", "--in", "wan=wan.pcap", "--json")
    oracle = synth("run", router, *captures, "--out-dir", "a", at=work)
    native = synth("run", router, *captures, "--out-dir", "b", "--engine", "native", at=work)
    assert (oracle.code, oracle.err) == (native.code, native.err) == (0, "")
    report = json.loads(oracle.out)
    assert report == json.loads(native.out)
    assert {"packets_in", "generated", "packets_out", "drops", "held"} <= report.keys()
    left = sum(report["packets_out"].values()) + sum(report["drops"].values()) + report["held"]
    assert report["packets_in"] + report["generated"] == left > 0
    assert set(report["packets_out"]) == {"lan", "wan"}
    for name, count in report["packets_out"].items():
        frames = [packet.data for packet in read_capture(work / "a" / f"{name}.pcap")]
        assert len(frames) == count
        assert [packet.data for packet in read_capture(work / "b" / f"{name}.pcap")] == frames
    assert below(work / "a") == below(work / "b") == {"lan.pcap", "wan.pcap"}


def test_a_person_reads_where_every_packet_went(work: Path) -> None:
    ended = synth("run", "edge.chain", "--in", "lan=lan.pcap", "--out-dir", "out", at=work)
    assert ended.code == 0
    rows = dict(line.rsplit(maxsplit=1) for line in ended.out.splitlines())
    counts = {name.strip(): int(count.replace(",", "")) for name, count in rows.items()}
    dropped = sum(count for name, count in counts.items() if name.startswith("dropped "))
    assert counts["in"] == counts["out lan"] + counts["out wan"] + dropped


def test_parameters_from_outside_change_what_the_chain_does(work: Path) -> None:
    write_capture(work / "one.pcap", [CapturedPacket(0, udp().encode())])
    (work / "edge.yaml").write_text("nat: {public: 198.51.100.7}\n")
    run = ("run", "edge.chain", "--in", "lan=one.pcap", "--out-dir", "out", "--config", "edge.yaml")
    assert synth(*run, at=work).code == 0
    assert sources(work / "out" / "wan.pcap") == {ip("198.51.100.7")}
    assert synth(*run, "--set", "nat.public=198.51.100.8", at=work).code == 0
    assert sources(work / "out" / "wan.pcap") == {ip("198.51.100.8")}


def test_paths_may_hold_spaces_and_letters_of_any_language(work: Path) -> None:
    folder = work / "Köln = cöln, 東京"
    folder.mkdir()
    shutil.move(work / "edge.chain", folder)
    shutil.move(work / "lan.pcap", folder)
    into = f"{folder.name}/öut put"
    run = ("run", f"{folder.name}/edge.chain", "--in", f"lan={folder.name}/lan.pcap", "--out-dir", into)
    assert synth(*run, at=work).code == 0
    assert below(work / into) == {"lan.pcap", "wan.pcap"}


def test_a_capture_can_come_through_a_pipe(work: Path) -> None:
    done = subprocess.run(
        [str(SYNTH), "run", "edge.chain", "--in", "lan=/dev/stdin", "--out-dir", "out", "--json"],
        cwd=work, env=environment(), input=(work / "lan.pcap").read_bytes(), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["packets_in"] == 218


def raw_ip(folder: Path) -> None:
    header = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101)
    (folder / "in.pcap").write_bytes(header + struct.pack("<IIII", 1, 0, 20, 20) + bytes(20))


def text(folder: Path) -> None:
    (folder / "in.pcap").write_text("no capture\n")


def missing(folder: Path) -> None:
    """Leave in.pcap away."""


@pytest.mark.parametrize("engine", ["interpreter", "native"])
@pytest.mark.parametrize(
    ("make", "code"), [(missing, "E800"), (text, "E801"), (raw_ip, "E804")], ids=["missing", "text", "raw"]
)
def test_what_is_no_capture_of_ethernet_is_refused_and_leaves_nothing(
    work: Path, make: object, code: str, engine: str
) -> None:
    assert callable(make)
    make(work)
    before = below(work)
    run = ("run", "edge.chain", "--in", "lan=in.pcap", "--out-dir", "new/out", "--engine", engine)
    ended = synth(*run, at=work)
    assert (ended.code, ended.out) == (1, "")
    assert f"error[{code}]" in ended.err
    assert "in.pcap:1:1" in ended.err
    assert below(work) == before


@pytest.mark.parametrize("engine", ["interpreter", "native"])
def test_a_capture_that_is_damaged_behind_its_first_packet_leaves_nothing(work: Path, engine: str) -> None:
    data = (work / "lan.pcap").read_bytes()
    (work / "cut.pcap").write_bytes(data[: len(data) // 2 + 1])
    before = below(work)
    run = ("run", "edge.chain", "--in", "lan=cut.pcap", "--out-dir", "out", "--engine", engine)
    ended = synth(*run, at=work)
    assert (ended.code, ended.out) == (1, "")
    assert "cut.pcap:1:1" in ended.err
    assert below(work) == before


def test_an_interface_that_the_chain_does_not_have_is_refused_with_a_suggestion(work: Path) -> None:
    before = below(work)
    ended = synth("run", "edge.chain", "--in", "lam=lan.pcap", "--out-dir", "out", at=work)
    assert (ended.code, ended.out) == (1, "")
    assert "the chain has no interface `lam` (did you mean `lan`?)" in ended.err
    assert "its interfaces are lan, wan" in ended.err
    assert below(work) == before


def test_two_captures_for_one_interface_are_wrong_usage(work: Path) -> None:
    before = below(work)
    inputs = ("--in", "lan=lan.pcap", "--in", "lan=wan.pcap")
    ended = synth("run", "edge.chain", *inputs, "--out-dir", "out", at=work)
    assert (ended.code, ended.out) == (2, "")
    assert "interface lan has two captures, lan.pcap and wan.pcap" in ended.err
    assert below(work) == before


def test_a_capture_is_never_overwritten_by_what_leaves(work: Path) -> None:
    (work / "link").symlink_to(".")
    held = (work / "wan.pcap").read_bytes()
    run = ("run", "edge.chain", "--in", "lan=wan.pcap", "--out-dir", "link")
    ended = synth(*run, at=work)
    assert ended.code == 1
    assert "error[E716]" in ended.err
    assert "wan.pcap:1:1" in ended.err
    assert (work / "wan.pcap").read_bytes() == held


def test_a_directory_that_cannot_be_made_is_told_by_its_name(work: Path) -> None:
    (work / "file").write_text("")
    before = below(work)
    ended = synth("run", "edge.chain", "--in", "lan=lan.pcap", "--out-dir", "file/out", at=work)
    assert (ended.code, ended.out) == (1, "")
    assert "file/out" in ended.err
    ended = synth("run", "edge.chain", "--in", "lan=lan.pcap", "--out-dir", "file", at=work)
    assert ended.code == 2
    assert below(work) == before


def test_a_later_run_replaces_what_an_earlier_one_left(work: Path) -> None:
    run = ("run", "edge.chain", "--out-dir", "out", "--in")
    write_capture(work / "one.pcap", [CapturedPacket(0, replace(udp(), src=ip("10.0.0.9")).encode())])
    assert synth(*run, "lan=lan.pcap", at=work).code == 0
    assert synth(*run, "lan=one.pcap", at=work).code == 0
    assert len(list(read_capture(work / "out" / "wan.pcap"))) == 1
    assert below(work / "out") == {"lan.pcap", "wan.pcap"}
