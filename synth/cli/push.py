"""`synth push`, `pull`, `stats` and `withdraw`: a live switch, through Ryu."""

import json

import click

from openflow import live
from openflow.report import flows_text, named, statistics, statistics_text
from synth import driver
from synth.cli.options import json_option, source_arguments, switch_option
from synth.pipeline.offload import load_switch


@click.command()
@source_arguments
@switch_option
@click.option("--dry-run", is_flag=True, help="Say what would change, and change nothing.")
@json_option
def push(source: driver.Source, *, switch: str, dry_run: bool, as_json: bool) -> None:
    """Bring a switch's table to just the entries of a chain, and return when it is so.

    All changes are made or none. Entries that stay keep their counters; entries of others are never
    touched. The switch listens for controllers at the `address` of its description.

    \b
    Examples:
      synth push isp_chain.chain --switch ovs --dry-run
      synth push isp_chain.chain --switch ovs
    """
    found = driver.split(source, switch)
    change = live.push(found.switch, found.entries, is_dry_run=dry_run)
    counts = {"added": len(change.add), "removed": len(change.remove), "kept": change.kept}
    click.echo(json.dumps(counts) if as_json else ("would be: " if dry_run else "") + change.text())


@click.command()
@source_arguments
@switch_option
@json_option
def pull(source: driver.Source, *, switch: str, as_json: bool) -> None:
    """Read our entries back from a switch, each with its traffic class and source line.

    \b
    Example:
      synth pull isp_chain.chain --switch ovs
    """
    found = driver.split(source, switch)
    flows = live.pull(found.switch)
    rows = [
        {"flow": flow.as_list(), "packets": packets, "class": what, "source": place or None}
        for flow, packets, what, place in named(found, flows)
    ]
    click.echo(json.dumps(rows, indent=2) if as_json else flows_text(found, flows))


@click.command()
@source_arguments
@switch_option
@json_option
def stats(source: driver.Source, *, switch: str, as_json: bool) -> None:
    """Show how many packets of each class, and of each rule, a switch has seen.

    \b
    Example:
      synth stats isp_chain.chain --switch ovs
    """
    found = driver.split(source, switch)
    counted = statistics(found, live.pull(found.switch))
    click.echo(json.dumps(counted, indent=2) if as_json else statistics_text(counted))


@click.command()
@switch_option
@json_option
def withdraw(*, switch: str, as_json: bool) -> None:
    """Remove our entries from a switch, and only ours. Without them it drops everything.

    \b
    Example:
      synth withdraw --switch ovs
    """
    change = live.withdraw(load_switch(switch))
    click.echo(json.dumps({"removed": len(change.remove)}) if as_json else change.text())
