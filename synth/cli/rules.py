"""`synth rules`: the flow tables of a switch in front of the server."""

import json

import click

from openflow.summary import rules_dict, rules_text
from synth import driver
from synth.cli.options import json_option, source_arguments, switch_option


@click.command()
@source_arguments
@switch_option
@json_option
def rules(source: driver.Source, *, switch: str, as_json: bool) -> None:
    """Print the flow entries with which a switch classifies packets for the server.

    The entries are in ovs-ofctl's notation; comments say how many each interface takes, which source
    lines cause most of them, and what is left to the server, and why.

    \b
    Examples:
      synth rules isp_chain.chain --switch ovs
      synth rules isp_chain.chain --switch ovs > isp.flows && ovs-ofctl add-flows br0 isp.flows
    """
    found = driver.split(source, switch)
    click.echo(json.dumps(rules_dict(found), indent=2) if as_json else rules_text(found))
