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
    """Print files in the canonical layout; comments are kept. Nothing is written when one file is wrong.

    \b
    Examples:
      synth fmt edge.chain            print it
      synth fmt -w *.chain            rewrite in place
      synth fmt --check *.chain       for CI
    """
    if write and only_check:
        raise click.UsageError("--check only looks, --write writes: give one of them")
    found = driver.format_files(files)
    differing = [path for path, (before, after) in found.items() if before != after]
    if only_check:
        for path in differing:
            click.echo(str(path))
        return INPUT if differing else OK
    if write:
        for path in differing:
            replace_file(path, found[path][1])
        return OK
    for _, after in found.values():
        click.echo(after, nl=False)
    return OK
