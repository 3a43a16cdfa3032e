"""The `synth` command as a person runs it: a process of its own."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SYNTH = Path(sys.executable).with_name("synth")


@dataclass(frozen=True, slots=True)
class Ended:
    """What a command left: its exit code and what it printed."""

    code: int
    out: str
    err: str


def environment(**changes: str) -> dict[str, str]:
    """Return this process's environment with changes, and nothing in it that colours."""
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "SYNTH_DEBUG")}
    return {**kept, "TERM": "xterm", **changes}


def synth(*words: str | Path, at: Path, environ: Mapping[str, str] | None = None) -> Ended:
    """Run `synth` in a directory; whatever happens, a person never sees a traceback or an internal error."""
    done = subprocess.run(
        [str(SYNTH), *map(str, words)],
        cwd=at,
        env=environment() if environ is None else environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert "Traceback" not in done.stdout + done.stderr, done.stderr
    assert done.returncode != 70, done.stderr
    return Ended(done.returncode, done.stdout, done.stderr)


def below(folder: Path) -> set[str]:
    """Return every file and folder below a folder, hidden ones too."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*")}
