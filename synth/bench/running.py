"""Run one program for a while: its rate by the CPU time of its busiest thread, or its instructions."""

import re
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from synth.bench.programs import Program
from synth.codegen.errors import ToolchainError

_PATIENCE_SECONDS = 120
_INSTRUCTION_RUNS = (3, 7)
"""How many counts (a second apart) the two runs under callgrind print before they are stopped."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Packets received so far, and each thread's time on a CPU so far in ns."""

    packets: int
    cpu_ns: dict[int, int]


def measure_rate(program: Program, seconds: int) -> float:
    """Return packets for each second that the forwarding thread was on a CPU.

    The first second is left out: there the program starts and its state is made.

    Raises:
        ToolchainError: the program is missing or ended early.
    """
    with _running(program.command) as process:
        samples = [_sample(process, packets) for packets in _counts(process, program, seconds + 1)]
    first, last = samples[0], samples[-1]
    busiest = max(last.cpu_ns[thread] - first.cpu_ns.get(thread, 0) for thread in last.cpu_ns)
    return (last.packets - first.packets) * 1e9 / busiest


def measure_instructions(program: Program, folder: Path) -> float:
    """Return instructions a packet by callgrind: the difference of two runs, so without start and end.

    Raises:
        ToolchainError: valgrind or the program is missing or failed.
    """
    runs = [_count_instructions(program, folder, counts) for counts in _INSTRUCTION_RUNS]
    (few, few_packets), (many, many_packets) = runs
    return (many - few) / (many_packets - few_packets)


def _count_instructions(program: Program, folder: Path, counts: int) -> tuple[int, int]:
    """Return the instructions and the packets of one run."""
    out = folder / f"{program.name}.{counts}.callgrind"
    command = ("valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", *program.command)
    with _running(command) as process:
        for _ in _counts(process, program, counts):
            pass
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate(timeout=_PATIENCE_SECONDS)
    packets = program.total.findall(printed)
    instructions = re.search(r"^(?:totals|summary): (\d+)", out.read_text(encoding="utf-8"), re.MULTILINE)
    if not packets or instructions is None:
        raise ToolchainError(command, f"it left no counts:\n{printed[-2000:]}")
    return int(instructions[1]), int(packets[-1])


@contextmanager
def _running(command: Sequence[str]) -> Iterator[subprocess.Popen[str]]:
    """Run a command with its standard input held open; it is gone at the end, whatever happened."""
    if shutil.which(command[0]) is None:
        raise ToolchainError(command, f"{command[0]} is not installed; synth bench needs it")
    process = subprocess.Popen(  # noqa: S603  the commands are those of `programs.py`
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            try:
                process.communicate(timeout=_PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()


def _counts(process: subprocess.Popen[str], program: Program, wanted: int) -> Iterator[int]:
    """Yield so many counts as the program prints them."""
    stream, printed = process.stdout, ""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while wanted > 0 and stream is not None:
        line = _read_line(stream, deadline)
        if not line:
            process.kill()
            raise ToolchainError(program.command, f"it stopped counting:\n{printed[-2000:]}")
        printed += line
        found = program.counts.search(line)
        if found is not None:
            wanted -= 1
            yield int(found[1])


def _read_line(stream: IO[str], deadline: float) -> str:
    """Return the next line, or nothing when the stream ends or time is up."""
    with selectors.DefaultSelector() as selector:
        selector.register(stream, selectors.EVENT_READ)
        while time.monotonic() < deadline:
            if selector.select(timeout=1):
                return stream.readline()
    return ""


def _sample(process: subprocess.Popen[str], packets: int) -> Sample:
    """Read the time on a CPU of all threads (proc(5): the first number of `schedstat`)."""
    times: dict[int, int] = {}
    for task in Path(f"/proc/{process.pid}/task").iterdir():
        try:
            times[int(task.name)] = int((task / "schedstat").read_text(encoding="ascii").split()[0])
        except OSError:
            continue  # the thread ended meanwhile
    return Sample(packets, times)
