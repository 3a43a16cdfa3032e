"""`synth run`: execute a chain on captures."""

import json
from collections.abc import Mapping
from pathlib import Path

import click

from synth import driver
from synth.cli.options import InterfaceFile, by_interface, json_option, source_arguments
from synth.cli.progress import stage


@click.command()
@source_arguments
@click.option(
    "--in", "captures", type=InterfaceFile(), multiple=True, required=True, callback=by_interface,
    metavar="INTERFACE=PCAP", help="What arrives on an interface. Once for each interface that receives.",
)  # fmt: skip
@click.option(
    "--out-dir", type=click.Path(path_type=Path, file_okay=False), required=True, help="Where outputs go."
)
@click.option(
    "--engine", type=click.Choice(["interpreter", "native"]), default="interpreter", show_default=True
)
@json_option
def run(
    source: driver.Source, *, captures: Mapping[str, Path], out_dir: Path, engine: str, as_json: bool
) -> None:
    """Run a chain on captures; what leaves is written to DIR/<interface>.pcap.

    Packets of all interfaces are merged by time stamp, and the stamps are the chain's clock. The
    interpreter needs nothing but Python; the native engine builds the binary and replays through it.

    \b
    Example:
      synth run isp_chain.chain --in lan=lan.pcap --in wan=wan.pcap --out-dir out
    """
    report = driver.run(source, captures, out_dir, engine=engine, stage=stage)
    click.echo(json.dumps(report.as_dict(), indent=2) if as_json else report.text())
