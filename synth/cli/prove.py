"""`synth prove`: is the synthesized chain the chain as written?"""

import json

import click

from synth import driver
from synth.cli.exits import OK, SOLVER
from synth.cli.options import json_option, source_arguments
from synth.cli.progress import stage


@click.command()
@source_arguments
@json_option
def prove(source: driver.Source, *, as_json: bool) -> int:
    """Prove with Z3 that the synthesized chain equals the chain as written, for every packet and state.

    Exit 3 when it could not be shown; `synth build` then builds the chain as written.

    \b
    Example:
      synth prove isp_chain.chain
    """
    report = driver.prove_chain(source, stage=stage)
    click.echo(json.dumps(report.as_dict(), indent=2) if as_json else report.text())
    return OK if report.is_proved else SOLVER
