"""`synth check`: report everything that is wrong with a chain."""

import json

import click

from synth import driver
from synth.cli.exits import INPUT, OK, is_coloured, read_sources
from synth.cli.options import json_option, source_arguments
from synth.diagnostics.diagnostic import UserError
from synth.diagnostics.render import render, to_json


@click.command()
@source_arguments
@json_option
def check(source: driver.Source, *, as_json: bool) -> int:
    """Check a chain, or a file of network functions, without building it.

    \b
    Examples:
      synth check isp_chain.chain
      synth check isp_chain.chain --set nat.public=203.0.113.7 --json
    """
    found = driver.check(source)
    outcome = UserError(found.diagnostics)
    if as_json:
        click.echo(json.dumps(to_json(found.diagnostics), indent=2))
    elif found.diagnostics:
        click.echo(render(found.diagnostics, read_sources(outcome), colour=is_coloured()), err=True, nl=False)
    if found.has_errors:
        return INPUT
    if not as_json:
        click.echo(f"{source.path}: {found.summary}")
    return OK
