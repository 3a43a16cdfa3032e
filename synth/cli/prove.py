"""`synth prove`: is the synthesized chain the chain as written?"""

import json
from pathlib import Path

import click

from synth import driver
from synth.cli.exits import OK, SOLVER
from synth.cli.options import json_option, source_arguments
from synth.cli.progress import stage


@click.command()
@source_arguments
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), default=Path("counterexample"),
    show_default=True, help="Directory for the captures of a counterexample, if there is one.",
)  # fmt: skip
@json_option
def prove(source: driver.Source, *, output: Path, as_json: bool) -> int:
    """Prove with Z3 that the synthesized chain equals the chain as written, for every packet and state.

    Exit 3 when it could not be shown; `synth build` then builds the chain as written. If packets are
    found that tell the two apart, DIR/<interface>.pcap holds them, and DIR/counterexample.txt says what
    either side does.

    \b
    Example:
      synth prove isp_chain.chain
    """
    report, found = driver.prove_chain(source, output, stage=stage)
    if as_json:
        place = None if found is None else str(output)
        click.echo(json.dumps(report.as_dict() | {"counterexample": place}, indent=2))
    else:
        click.echo(report.text())
        if found is not None:
            click.echo(f"Packets that show it are in {output}:\n{found.text()}")
    return OK if report.is_proved else SOLVER
