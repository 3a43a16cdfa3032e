"""`synth new`: a first chain to start from."""

from pathlib import Path

import click

from synth.library.starter import new_chain


@click.command()
@click.argument("name")
@click.option(
    "-d", "--directory", type=click.Path(path_type=Path, file_okay=False), default=Path(), help="Where."
)
def new(name: str, directory: Path) -> None:
    """Write NAME.chain: a small chain that builds, to change from there.

    \b
    Example:
      synth new edge && synth check edge.chain
    """
    path = new_chain(name, directory)
    click.echo(f"Wrote {path}. Next: synth check {path}")
