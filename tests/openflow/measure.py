"""Measure pushes to a real Open vSwitch: python -m tests.openflow.measure FOLDER.

As root under `unshare --net`. Prints how long it takes to fill an empty table, and to change some of it.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import click

from openflow import live
from synth.pipeline.offload import load_switch
from tests.openflow.live_push import entries
from tests.openflow.switch_live import open_vswitch

COUNT = 10_000
CHANGED = 100
TOP = 60_000


def main() -> None:
    """Push, then push again with some entries gone and as many new ones."""
    with open_vswitch(Path(sys.argv[1])) as vswitch:
        vswitch.add_bridge(protocols="OpenFlow14")
        switch = load_switch("ovs")
        changed = entries(COUNT, first=CHANGED // 2, top=TOP)
        _tell(f"{COUNT:,} entries to an empty table", lambda: live.push(switch, entries(COUNT, top=TOP)))
        _tell(f"{CHANGED} changes to them", lambda: live.push(switch, changed))


def _tell(what: str, push: Callable[[], live.Change]) -> None:
    start = perf_counter()
    change = push()
    click.echo(f"{what}: {perf_counter() - start:.1f} s ({change.text().splitlines()[0]})")


if __name__ == "__main__":
    main()
