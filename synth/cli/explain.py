"""`synth explain`: what synthesis eliminated, and where it stood."""

import json

import click

from synth import driver
from synth.cli.options import json_option, source_arguments


@click.command()
@source_arguments
@json_option
def explain(source: driver.Source, *, as_json: bool) -> None:
    """List what synthesis eliminated from a chain, with source lines, and the sizes before and after.

    \b
    Example:
      synth explain isp_chain.chain | less
    """
    explanation = driver.explain(source)
    click.echo(json.dumps(explanation.as_dict(), indent=2) if as_json else explanation.text())
