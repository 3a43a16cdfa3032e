"""The commands of `synth`: arguments and exit codes, no logic."""

import click

from synth.cli.bench import bench
from synth.cli.build import build
from synth.cli.check import check
from synth.cli.completion import completion
from synth.cli.explain import explain
from synth.cli.fmt import fmt
from synth.cli.graph import graph
from synth.cli.new import new
from synth.cli.nfs import nfs
from synth.cli.plan import plan
from synth.cli.prove import prove
from synth.cli.push import pull, push, stats, withdraw
from synth.cli.rules import rules
from synth.cli.run import run

EPILOG = """\b
Examples:
  synth new edge                         write a first chain, edge.chain
  synth check edge.chain                 report everything that is wrong with it
  synth run edge.chain --in lan=a.pcap --out-dir out
  synth build edge.chain -o build        one DPDK binary: build/edge
\b
Exit codes: 0 fine, 1 the input is wrong, 2 wrong usage, 3 a solver gave up,
4 the toolchain failed, 70 a fault of synth itself.
"""


@click.group(
    epilog=EPILOG, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.version_option(package_name="chain-synth", prog_name="synth")
def cli() -> None:
    """Synthesize a chain of network functions into one DPDK binary."""


for command in (
    new,
    check,
    fmt,
    graph,
    explain,
    prove,
    plan,
    run,
    rules,
    push,
    pull,
    stats,
    withdraw,
    build,
    bench,
    nfs,
    completion,
):
    cli.add_command(command)
