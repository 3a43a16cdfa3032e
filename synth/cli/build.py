"""`synth build`: one DPDK binary from a chain."""

import json
from pathlib import Path

import click

from synth import driver
from synth.cli.exits import show_diagnostics
from synth.cli.options import json_option, source_arguments
from synth.cli.progress import stage
from synth.diagnostics.diagnostic import UserError
from synth.pipeline.cores import WISHES, StrategyWish


@click.command()
@source_arguments
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), default=Path("build"),
    show_default=True, help="Directory for the binary, src/ and report.json.",
)  # fmt: skip
@click.option(
    "--as-written",
    is_flag=True,
    help="Each NF on its own, as in the chain: the form that speed is measured against.",
)
@click.option("--no-proof", is_flag=True, help="Build the synthesized chain without proving it equal.")
@click.option(
    "--march", default="native", show_default=True, help="The machine to compile for, as gcc's -march."
)
@click.option("--cc", default="gcc", show_default=True, help="The C compiler.")
@click.option(
    "--cores",
    type=click.IntRange(1, 256),
    default=1,
    show_default=True,
    help="How many cores; more than one for captures (--replay) only.",
)
@click.option(
    "--strategy",
    type=click.Choice(WISHES),
    default="auto",
    show_default=True,
    help="How cores share state: not at all, or behind a lock; auto: not at all where that can be had.",
)
@click.option(
    "--nic",
    metavar="NAME|FILE",
    default="software",
    show_default=True,
    help="The NICs, as of `synth plan`.",
)
@click.option("--sanitize", is_flag=True, help="With address and undefined-behaviour sanitizers.")
@click.option("--source-only", is_flag=True, help="Write src/ and stop before the C compiler.")
@click.option(
    "--switch", metavar="NAME|FILE",
    help="Leave to a switch what it can do (see `synth rules`): ovs, or a YAML file that describes one.",
)  # fmt: skip
@json_option
def build(
    source: driver.Source,
    *,
    output: Path,
    as_written: bool,
    no_proof: bool,
    march: str,
    cc: str,
    cores: int,
    strategy: StrategyWish,
    nic: str,
    sanitize: bool,
    source_only: bool,
    switch: str | None,
    as_json: bool,
) -> None:
    """Build a chain: DIR/<chain> is the binary, DIR/src its source, DIR/report.json what was done.

    The chain is synthesized into one graph, which is proved equal to the chain as written; what
    cannot be proved is built as written, and the report says why.

    \b
    Examples:
      synth build isp_chain.chain -o build
      build/isp_chain --replay --in lan=lan.pcap --out-dir out
      build/isp_chain --interface lan=0000:03:00.0 --interface wan=0000:03:00.1 -- -l 1
    """
    options = driver.BuildOptions(
        march=march,
        cc=cc,
        sanitize=sanitize,
        source_only=source_only,
        as_written=as_written,
        is_proof_wanted=not no_proof,
        switch=switch,
        cores=cores,
        nic=nic,
        strategy=strategy,
    )
    report = driver.build(source, output, options, stage=stage)
    if report.warnings and not as_json:
        show_diagnostics(UserError(report.warnings))
    click.echo(json.dumps(report.as_dict(), indent=2) if as_json else report.text())
