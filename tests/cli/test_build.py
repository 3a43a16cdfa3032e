"""`synth build`: what it leaves, and that a failure leaves nothing."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.commands import below, environment, synth
from tests.conftest import REPOSITORY


def test_a_build_leaves_the_binary_its_source_and_a_report(work: Path) -> None:
    ended = synth("build", "edge.chain", "-o", "made", at=work)
    assert (ended.code, ended.err) == (0, "")
    made = work / "made"
    assert {path.name for path in made.iterdir()} == {"edge", "src", "report.json"}
    assert (made / "edge").read_bytes()[:4] == b"\x7fELF"
    assert os.access(made / "edge", os.X_OK)
    report = json.loads((made / "report.json").read_text())
    assert report["chain"] == "edge"
    assert report["network_functions"] == 2
    assert report["binary"] == "made/edge"
    assert all(seconds >= 0 for seconds in report["seconds"].values())
    run = [made / "edge", "--replay", "--in", "lan=lan.pcap", "--out-dir", "out", "--json"]
    done = subprocess.run(run, cwd=work, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["packets_in"] == 218

    again = synth(
        "build", "edge.chain", "-o", "made", "--json", "--as-written", "--march", "x86-64-v2", at=work
    )
    assert again.code == 0
    assert json.loads(again.out) == json.loads((made / "report.json").read_text())
    assert json.loads(again.out)["form"] != report["form"]
    assert {path.name for path in made.iterdir()} == {"edge", "src", "report.json"}
    subprocess.run(run, cwd=work, capture_output=True, check=True)


def test_only_the_source_is_written_without_a_compiler(work: Path) -> None:
    nothing = environment(PATH=str(work))
    ended = synth("build", "edge.chain", "-o", "made", "--source-only", at=work, environ=nothing)
    assert (ended.code, ended.err) == (0, "")
    assert {path.name for path in (work / "made").iterdir()} == {"src", "report.json"}
    assert json.loads((work / "made" / "report.json").read_text())["binary"] is None


def without(work: Path, *programs: str) -> dict[str, str]:
    """Return an environment in whose PATH these programs are not."""
    found = work / "programs"
    found.mkdir()
    for name in ("pkg-config", "gcc", "as", "ld", "cc1"):
        path = shutil.which(name)
        if path and name not in programs:
            (found / name).symlink_to(path)
    return environment(PATH=str(found))


@pytest.mark.parametrize("program", ["pkg-config", "gcc"])
def test_a_missing_program_is_exit_4_with_its_name_and_leaves_nothing(work: Path, program: str) -> None:
    environ = without(work, program)
    before = below(work)
    ended = synth("build", "edge.chain", "-o", "new/made", at=work, environ=environ)
    assert (ended.code, ended.out) == (4, "")
    assert f"`{program}` is not installed" in ended.err
    assert "apt-get install" in ended.err
    assert below(work) == before


def test_missing_dpdk_is_exit_4_with_what_to_install_and_the_interpreter_still_runs(work: Path) -> None:
    environ = environment(PKG_CONFIG_LIBDIR=str(work), PKG_CONFIG_PATH="")
    before = below(work)
    ended = synth("build", "edge.chain", "-o", "made", at=work, environ=environ)
    assert (ended.code, ended.out) == (4, "")
    assert "libdpdk" in ended.err
    assert "apt-get install pkg-config libdpdk-dev libpcap-dev" in ended.err
    assert below(work) == before
    run = ("run", "edge.chain", "--in", "lan=lan.pcap", "--out-dir", "out")
    assert synth(*run, "--engine", "native", at=work, environ=environ).code == 4
    assert below(work) == before
    assert synth(*run, at=work, environ=environ).code == 0


def test_what_the_compiler_does_not_know_is_exit_4_and_leaves_nothing(work: Path) -> None:
    before = below(work)
    ended = synth("build", "edge.chain", "-o", "made", "--march", "pentium99", at=work)
    assert (ended.code, ended.out) == (4, "")
    assert "pentium99" in ended.err
    assert below(work) == before


def test_a_failure_keeps_what_an_earlier_build_left(work: Path) -> None:
    assert synth("build", "edge.chain", "-o", "made", "--source-only", at=work).code == 0
    before = below(work)
    (work / "edge.chain").write_text("chain edge { }\n")
    assert synth("build", "edge.chain", "-o", "made", at=work).code == 1
    assert below(work) == before


def test_a_folder_that_synth_did_not_make_is_never_replaced(work: Path) -> None:
    (work / "src").mkdir()
    (work / "src" / "thesis.tex").write_text("years of work\n")
    before = below(work)
    ended = synth("build", "edge.chain", "-o", ".", at=work)
    assert (ended.code, ended.out) == (1, "")
    assert "error[E717]" in ended.err
    shutil.rmtree(work / "src")
    (work / "edge").mkdir()
    ended = synth("build", "edge.chain", "-o", ".", at=work)
    assert (ended.code, ended.out) == (1, "")
    assert "error[E718]" in ended.err
    assert below(work) == before - {"src", "src/thesis.tex"} | {"edge"}


def test_a_directory_that_cannot_be_written_is_told_by_its_name(work: Path) -> None:
    (work / "file").write_text("")
    before = below(work)
    ended = synth("build", "edge.chain", "-o", "file/made", at=work)
    assert (ended.code, ended.out) == (1, "")
    assert "file/made" in ended.err
    assert synth("build", "edge.chain", "-o", "file", at=work).code == 2
    assert below(work) == before


def test_network_functions_alone_are_no_chain_to_build(work: Path) -> None:
    napt = REPOSITORY / "chains" / "nf" / "napt.chain"
    assert "no chain to build" in synth("check", napt, at=work).out
    ended = synth("build", napt, "-o", "made", at=work)
    assert ended.code == 1
    assert "error[E710]" in ended.err
    assert not (work / "made").exists()


ISP = str(REPOSITORY / "chains" / "isp" / "isp_chain.chain")


def test_a_binary_for_several_cores_tells_its_plan_and_takes_captures(work: Path) -> None:
    ended = synth("build", "edge.chain", "-o", "made", "--cores", "2", at=work)
    assert (ended.code, ended.err) == (0, "")
    shown = subprocess.run([work / "made" / "edge", "--plan"], capture_output=True, text=True, check=True)
    assert "shared-nothing on 2 cores" in shown.stdout
    run = [work / "made" / "edge", "--replay", "--in", "lan=lan.pcap", "--out-dir", "out", "--json"]
    done = subprocess.run(run, cwd=work, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["packets_in"] == 218


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--cores", "4", "--strategy", "shared-nothing"), "E723", "cannot be shared-nothing on 4 cores"),
        (("--cores", "2", "--switch", "ovs"), "E724", "behind a switch, a binary runs on one core, not on 2"),
    ],
)
def test_what_cores_cannot_have_is_refused_and_nothing_is_left(
    work: Path, options: tuple[str, ...], code: str, words: str
) -> None:
    ended = synth("build", ISP, "-o", "made", *options, at=work)
    assert ended.code == 1
    assert f"error[{code}]" in ended.err
    assert words in ended.err
    assert not (work / "made").exists()
