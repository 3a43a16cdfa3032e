"""`synth explain`: what synthesis eliminated, and where it stood."""

import json
from collections.abc import Mapping
from pathlib import Path

import click

from synth import driver
from synth.cli.options import InterfaceFile, by_interface, json_option, source_arguments


@click.command()
@source_arguments
@click.option(
    "--packet", "captures", type=InterfaceFile(), multiple=True, callback=by_interface,
    metavar="INTERFACE=PCAP", help="Tell the story of each packet that a capture lets arrive. Repeatable.",
)  # fmt: skip
@json_option
def explain(source: driver.Source, *, captures: Mapping[str, Path], as_json: bool) -> None:
    """Say what synthesis makes of a chain: traffic classes, what went and where it stood, sizes.

    With --packet, each packet's story instead: what every NF sees of it, which rule or route on which
    line decides, and which block of the result does it. Captures are merged by time stamp.

    \b
    Examples:
      synth explain isp_chain.chain | less
      synth explain isp_chain.chain --packet lan=lan.pcap
    """
    explanation = driver.explain(source, captures)
    click.echo(json.dumps(explanation.as_dict(), indent=2) if as_json else explanation.text())
