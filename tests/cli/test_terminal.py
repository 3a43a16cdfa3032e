"""Terminals, pipes and signals."""

import os
import pty
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.commands import SYNTH, below, environment
from tests.conftest import REPOSITORY

ESCAPE = "\x1b["


def on_terminal(*words: str, at: Path, **changes: str) -> tuple[int, str]:
    """Run `synth` with a terminal as its three streams, and return the exit code and what it showed."""
    ours, theirs = pty.openpty()
    running = subprocess.Popen(
        [str(SYNTH), *words], cwd=at, env=environment(**changes), stdin=theirs, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    shown = bytearray()
    try:
        while piece := os.read(ours, 65536):
            shown += piece
    except OSError:
        pass  # how Linux tells that the other end was closed
    os.close(ours)
    return running.wait(60), shown.decode()


def in_shell(script: str, at: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    path = f"{SYNTH.parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-c", script], cwd=at, env=environment(PATH=path, **changes), capture_output=True, text=True,
        check=False, timeout=120,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "is_coloured"), [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)]
)
def test_diagnostics_are_coloured_on_a_terminal_that_wants_it(
    work: Path, changes: dict[str, str], is_coloured: bool
) -> None:
    code, shown = on_terminal("check", "none.chain", at=work, **changes)
    assert code == 1
    assert "E012" in shown
    assert (ESCAPE in shown) is is_coloured


def test_nothing_is_coloured_in_a_pipe(work: Path) -> None:
    done = in_shell("synth check none.chain 2>&1 | cat", work)
    assert "E012" in done.stdout
    assert ESCAPE not in done.stdout


def test_long_work_says_what_it_does_on_a_terminal_only(work: Path) -> None:
    isp = str(REPOSITORY / "chains" / "isp" / "isp_chain_8550.chain")
    code, shown = on_terminal("build", isp, "-o", "made", at=work, XDG_CACHE_HOME=str(work / "cache"))
    assert code == 0
    assert " ..." in shown
    assert below(work / "made") >= {"isp_chain_8550", "report.json"}


@pytest.mark.parametrize("command", ["synth nfs", "synth --help", "synth graph edge.chain --whole-tables"])
def test_a_reader_that_goes_away_ends_a_command_in_silence(work: Path, command: str) -> None:
    done = in_shell(f"{command} | true; echo ${{PIPESTATUS[0]}}", work)
    assert done.stdout == "0\n"
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("script", "code"),
    [
        ("synth check edge.chain <&- >&-", 0),
        ("synth check none.chain 2>&-", 1),
        ("synth check none.chain 2>/dev/full", 1),
        ("synth build edge.chain --cc nothing -o made 2>&-", 4),
        ("synth nfs >/dev/full", 1),
    ],
)
def test_closed_or_full_streams_keep_the_exit_code(work: Path, script: str, code: int) -> None:
    done = in_shell(script, work)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def wait_until(is_so: Callable[[], bool]) -> None:
    for _ in range(6000):
        if is_so():
            return
        time.sleep(0.01)
    raise TimeoutError


def interrupted(command: list[str], at: Path, moment: Callable[[int], bool]) -> tuple[int, str]:
    """Start a command, interrupt it when its process has come to a moment, and return what is left of it."""
    running = subprocess.Popen(
        [str(SYNTH), *command], cwd=at, env=environment(), stderr=subprocess.PIPE, text=True
    )
    wait_until(lambda: moment(running.pid))
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    return running.returncode, errors


@pytest.mark.parametrize(
    "words", [("build", "-o", "new/made"), ("run", "--in", "lan=lan.pcap", "--out-dir", "new/made")]
)
def test_interrupting_long_work_is_exit_130_and_leaves_nothing(work: Path, words: tuple[str, ...]) -> None:
    isp = str(REPOSITORY / "chains" / "isp" / "isp_chain_8550.chain")
    before = below(work)
    has_begun = (work / "new" / "made").exists
    code, errors = interrupted([words[0], isp, *words[1:]], work, lambda _: has_begun())
    assert (code, errors.strip()) == (130, "Interrupted.")
    assert below(work) == before


def test_interrupting_a_command_while_it_loads_is_exit_130_too(work: Path) -> None:
    def is_loading(process: int) -> bool:
        return "libz3" in Path(f"/proc/{process}/maps").read_text()

    code, errors = interrupted(["check", "edge.chain"], work, is_loading)
    assert (code, errors.strip()) == (130, "Interrupted.")
