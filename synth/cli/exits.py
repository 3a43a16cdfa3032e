"""Exit codes, and what a person sees when something goes wrong. Never a traceback.

`SYNTH_DEBUG=1` lets faults of synth itself through with their traceback, for those who mend it.
"""

import os
import sys
from collections.abc import Callable

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
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return INTERRUPTED
    except UserError as error:
        show_diagnostics(error)
        return INPUT
    except (ToolchainError, GraphvizError) as error:
        click.echo(f"synth: {error}", err=True)
        return TOOLCHAIN
    except BrokenPipeError:
        return _leave_broken_pipe()
    except OSError as error:
        click.echo(f"synth: {_os_error_text(error)}", err=True)
        return INPUT
    except Exception as error:  # noqa: BLE001 - the last resort: everything else is our own fault
        return _internal(error)
    return result if isinstance(result, int) else OK


def show_diagnostics(error: UserError) -> None:
    """Print diagnostics to standard error, in colour only on a terminal."""
    text = render(error.diagnostics, load_sources(error.diagnostics), colour=is_coloured())
    click.echo(text, err=True, nl=False)


def is_coloured() -> bool:
    """Tell whether standard error is a terminal that wants colour (NO_COLOR is honoured)."""
    return sys.stderr.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def _os_error_text(error: OSError) -> str:
    name = f"{error.filename}: " if error.filename else ""
    return f"{name}{error.strerror or error}"


def _leave_broken_pipe() -> int:
    # The reader went away (`synth graph ... | head`): point stdout elsewhere so that exit stays silent.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return OK


def _internal(error: Exception) -> int:
    if os.environ.get("SYNTH_DEBUG") == "1":
        raise error
    click.echo(
        f"synth: internal error: {type(error).__name__}: {error}\n"
        "This is a fault of synth, not of your files. Please report it with the command and the files;\n"
        "SYNTH_DEBUG=1 in the environment prints where it happened.",
        err=True,
    )
    return INTERNAL
