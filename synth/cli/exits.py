"""Exit codes, and what a person sees when something goes wrong. Never a traceback.

`SYNTH_DEBUG=1` lets faults of synth itself through with their traceback, for those who mend it.
"""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TextIO

import click

from synth.codegen import ToolchainError
from synth.diagnostics.diagnostic import UserError
from synth.diagnostics.render import render
from synth.diagnostics.sources import load_sources
from synth.graph.errors import GraphvizError

OK = 0
INPUT = 1
USAGE = 2
SOLVER = 3
TOOLCHAIN = 4
INTERNAL = 70
INTERRUPTED = 130


def guarded(action: Callable[[], object]) -> int:
    """Run a command and turn what it raises into a message and an exit code."""
    try:
        result = action()
    except SystemExit as left:
        # click leaves so when the reader of its output is gone, and after a shell asked for completions.
        return int(left.code or OK) if "_SYNTH_COMPLETE" in os.environ else OK
    except BaseException as error:  # noqa: BLE001 - the last resort: everything else is our own fault
        # Whoever closed or filled up standard error still gets the exit code.
        with suppress(OSError):
            return _explain(error)
        return _code(error)
    return result if isinstance(result, int) else OK


def _explain(error: BaseException) -> int:
    """Say on standard error what happened, and return the exit code."""
    match error:
        case click.ClickException():
            error.show()
        case click.Abort() | KeyboardInterrupt():
            click.echo("Interrupted.", err=True)
        case UserError():
            show_diagnostics(error)
        case ToolchainError() | GraphvizError():
            click.echo(f"synth: {error}", err=True)
        case BrokenPipeError():
            _leave_broken_pipe()
        case OSError():
            click.echo(f"synth: {_os_error_text(error)}", err=True)
        case _:
            _admit(error)
    return _code(error)


def _code(error: BaseException) -> int:
    match error:
        case click.ClickException():
            return error.exit_code
        case click.Abort() | KeyboardInterrupt():
            return INTERRUPTED
        case BrokenPipeError():
            return OK
        case UserError() | OSError():
            return INPUT
        case ToolchainError() | GraphvizError():
            return TOOLCHAIN
        case _:
            return INTERNAL


def show_diagnostics(error: UserError) -> None:
    """Print diagnostics to standard error, in colour only on a terminal."""
    text = render(error.diagnostics, load_sources(error.diagnostics), colour=is_coloured())
    click.echo(text, err=True, nl=False)


def is_coloured() -> bool:
    """Tell whether standard error is a terminal that wants colour (NO_COLOR is honoured)."""
    return is_terminal(sys.stderr) and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def is_terminal(stream: TextIO | None) -> bool:
    """Tell whether a standard stream is a terminal; Python has None for one that was closed."""
    return stream is not None and stream.isatty()


def _os_error_text(error: OSError) -> str:
    name = f"{error.filename}: " if error.filename else ""
    return f"{name}{error.strerror or error}"


def _leave_broken_pipe() -> None:
    # The reader went away (`synth graph ... | head`): point stdout elsewhere so that exit stays silent.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _admit(error: BaseException) -> None:
    if os.environ.get("SYNTH_DEBUG") == "1":
        raise error
    click.echo(
        f"synth: internal error: {type(error).__name__}: {error}\n"
        "This is a fault of synth, not of your files. Please report it with the command and the files;\n"
        "SYNTH_DEBUG=1 in the environment prints where it happened.",
        err=True,
    )
