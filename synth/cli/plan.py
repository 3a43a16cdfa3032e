"""`synth plan`: how a chain runs on several cores."""

import json

import click

from synth import driver
from synth.cli.options import cores_options, json_option, source_arguments
from synth.parallel.render import to_json, to_text


@click.command()
@source_arguments
@cores_options
@json_option
def plan(source: driver.Source, *, nic: str, cores: int, as_json: bool) -> None:
    """Say how a chain runs on several cores: what is split and by which fields, or why it needs locks.

    The keys are found by linear algebra and each is checked by Z3: no two packets that need the same
    state are sent to different cores.

    \b
    Examples:
      synth plan firewall.chain --nic e810 --cores 8
      synth plan isp_chain.chain --json > plan.json
    """
    found = driver.plan_cores(source, nic=nic, cores=cores)
    click.echo(json.dumps(to_json(found), indent=2) if as_json else to_text(found))
