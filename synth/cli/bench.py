"""`synth bench`: what a chain's binaries cost."""

import json

import click

from synth import driver
from synth.bench import bench as measure
from synth.cli.options import json_option, source_arguments
from synth.cli.progress import announce
from synth.synthesis import synthesize


@click.command()
@source_arguments
@click.option(
    "--rounds", type=click.IntRange(min=1), default=5, show_default=True, help="Rounds of alternating runs."
)
@json_option
def bench(source: driver.Source, *, rounds: int, as_json: bool) -> None:
    """Measure the synthesized chain and the chain as written beside testpmd's macswap.

    Instructions a packet by callgrind, and the rate by CPU time, with the same preloaded frames and the
    same sink for all three. The frames are flows that the chain forwards. Needs dpdk-testpmd and valgrind,
    and takes a few minutes; hugepages are used when there are some.

    \b
    Example:
      synth bench isp_chain.chain --rounds 3
    """
    graph = driver.load(source).graph
    found = measure(graph, synthesize(graph).graph, rounds=rounds, progress=announce)
    click.echo(json.dumps(found.as_dict(), indent=2) if as_json else found.text())
