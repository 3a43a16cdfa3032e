"""Progress of long work: a stage that takes over a second says so, on standard error."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import click

from synth.cli.exits import is_terminal

PATIENCE_SECONDS = 1.0


@contextmanager
def stage(name: str) -> Iterator[None]:
    """Announce a stage once it has taken a second; silent when standard error is not a terminal."""
    if not is_terminal(sys.stderr):
        yield
        return
    timer = threading.Timer(PATIENCE_SECONDS, lambda: click.echo(f"  {name} ...", err=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def announce(step: str) -> None:
    """Say what comes next; silent when standard error is not a terminal."""
    if is_terminal(sys.stderr):
        click.echo(f"  {step} ...", err=True)
