"""`synth fmt`: the one canonical layout."""

from pathlib import Path

import click

from synth import driver
from synth.cli.exits import INPUT, OK
from synth.files import replace_file


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@click.option("-w", "--write", is_flag=True, help="Rewrite the files in place.")
@click.option(
    "--check", "only_check", is_flag=True, help="Print names of files that are not in the layout; exit 1."
)
def fmt(files: tuple[Path, ...], *, write: bool, only_check: bool) -> int:
    """Print files in the canonical layout; comments are kept.

    \b
    Examples:
      synth fmt edge.chain            print it
      synth fmt -w *.chain            rewrite in place
      synth fmt --check *.chain       for CI
    """
    differing = 0
    for path in files:
        before, after = driver.format_file(path)
        if only_check or write:
            differing += before != after
        if only_check and before != after:
            click.echo(str(path))
        elif write and before != after:
            replace_file(path, after)
        elif not write and not only_check:
            click.echo(after, nl=False)
    return INPUT if only_check and differing else OK
