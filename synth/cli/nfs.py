"""`synth nfs`: the library."""

import json

import click

from synth.cli.options import json_option
from synth.library.describe import library


@click.command()
@click.argument("name", required=False)
@json_option
def nfs(name: str | None, *, as_json: bool) -> None:
    """List the library's network functions, or show one with its parameters.

    \b
    Examples:
      synth nfs
      synth nfs napt
    """
    found = library(name)
    if as_json:
        click.echo(json.dumps([nf.as_dict() for nf in found], indent=2))
        return
    for nf in found:
        click.echo(nf.details() if name else nf.line())
