"""Measure the gate's chains, and print docs/gate.md's table of sizes and times.

python -m tests.gate.measure
"""

from collections.abc import Callable, Iterable
from time import process_time
from typing import TypeVar

import click

from synth.driver import Source, load
from synth.proof.validate import prove
from synth.synthesis import synthesize
from tests.conftest import REPOSITORY

CHAINS = (
    "motivating/napt_firewall_lb",
    *(f"napts/napt_{count}" for count in (1, 2, 5, 10)),
    *(f"routers/router_{count}" for count in (1, 2, 5, 10)),
    "isp/isp_chain",
    "isp/isp_chain_713",
    "isp/isp_chain_8550",
)
COLUMNS = (
    "chain",
    "blocks as written",
    "synthesized",
    "operations as written",
    "synthesized",
    "synthesis, s",
    "proof, s",
    "questions to Z3",
    "left open",
    "proved",
)
Result = TypeVar("Result")


def main() -> None:
    """Print a row for each chain as soon as it is measured. Times are CPU seconds of this process."""
    click.echo(_joined(COLUMNS))
    click.echo("|---" * len(COLUMNS) + "|")
    for chain in CHAINS:
        click.echo(_row(chain))


def _row(chain: str) -> str:
    written = load(Source(path=REPOSITORY / "chains" / f"{chain}.chain")).graph
    synthesized, synthesis = _timed(lambda: synthesize(written))
    proof, proving = _timed(lambda: prove(written, synthesized.graph))
    before, after = synthesized.before, synthesized.after
    columns = (
        f"`{written.name}`",
        before.blocks,
        after.blocks,
        before.operations,
        after.operations,
        f"{synthesis:.1f}",
        f"{proving:.1f}",
        f"{proof.questions:,}",
        proof.unknown,
        "yes" if proof.is_proved else "no",
    )
    return _joined(columns)


def _joined(columns: Iterable[object]) -> str:
    return f"| {' | '.join(map(str, columns))} |"


def _timed(work: Callable[[], Result]) -> tuple[Result, float]:
    start = process_time()
    return work(), process_time() - start


if __name__ == "__main__":
    main()
