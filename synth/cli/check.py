"""`synth check`: report everything that is wrong with a chain."""

import json

import click

from synth import driver
from synth.cli.exits import INPUT, OK, show_diagnostics
from synth.cli.options import json_option, source_arguments
from synth.diagnostics.diagnostic import UserError
from synth.diagnostics.render import to_json


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
    if as_json:
        click.echo(json.dumps(to_json(found.diagnostics), indent=2))
    elif found.diagnostics:
        show_diagnostics(UserError(found.diagnostics))
    if found.has_errors:
        return INPUT
    if not as_json:
        click.echo(f"{source.path}: {found.summary}")
    return OK
