"""Run a built binary's replay host on captures."""

import json
import os
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from synth.diagnostics.diagnostic import Diagnostic, UserError
from synth.diagnostics.spans import Span
from synth.reports import RunReport

_SANITIZER_FOUND = 86


@dataclass(frozen=True, kw_only=True)
class ReplayRefused(Diagnostic):
    """The binary would not take its input: a capture that is none, an interface that is unknown."""

    code = "E700"
    title = "{reason}"

    reason: str


class ReplayCrashed(Exception):
    """The binary ended by a signal or a sanitizer report: a fault of synth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """What a replay left: its report, and the choices (table, value) in order."""

    report: RunReport
    choices: tuple[tuple[str, int], ...] = field(default=())


def replay(
    binary: Path,
    inputs: Mapping[str, Path],
    out_dir: Path,
    *,
    log_choices: bool = False,
    timeout: float | None = 600,
) -> Replay:
    """Replay captures through a binary; `out_dir/<interface>.pcap` is what left.

    `timeout` is in seconds.

    Raises:
        UserError: the binary refused its input.
        ReplayCrashed: it crashed, or its report is not what it should be.
    """
    choices = out_dir / "choices.txt"
    command = [str(binary), "--replay", "--json", "--out-dir", str(out_dir), *_input_arguments(inputs)]
    command += ["--choices", str(choices)] if log_choices else []
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=timeout, env=_environment()
    )
    if done.returncode == 1:
        reason = done.stderr.strip()
        raise UserError((ReplayRefused(span=_blamed(reason, inputs, out_dir), reason=reason),))
    if done.returncode != 0:
        raise ReplayCrashed(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return Replay(
        report=_report(json.loads(done.stdout)),
        choices=tuple(_choices(choices.read_text().splitlines())) if log_choices else (),
    )


def _environment() -> dict[str, str]:
    """Return this process's environment, and let sanitizers end a program otherwise than bad input does."""
    ends = {
        name: f"{os.environ.get(name, '')}:exitcode={_SANITIZER_FOUND}".lstrip(":")
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS")
    }
    return {**os.environ, **ends}


def _blamed(reason: str, inputs: Mapping[str, Path], out_dir: Path) -> Span:
    """Return the file that a refusal speaks of."""
    path = next((path for path in inputs.values() if str(path) in reason), out_dir)
    return Span(str(path), 1, 1, 1, 1)


def _input_arguments(inputs: Mapping[str, Path]) -> list[str]:
    return [part for name, path in inputs.items() for part in ("--in", f"{name}={path}")]


def _choices(lines: Iterable[str]) -> Iterable[tuple[str, int]]:
    for line in lines:
        table, value = line.split()
        yield table, int(value)


def _report(printed: Mapping[str, Any]) -> RunReport:
    return RunReport(
        packets_in=printed["packets_in"],
        generated=printed["generated"],
        packets_out=printed["packets_out"],
        drops={name: count for name, count in printed["drops"].items() if count},
        counters=printed["counters"],
        held=printed["held"],
    )
