"""The example chains, lowered and synthesized once in a test run."""

from functools import cache
from pathlib import Path

from synth.graph.nodes import ChainGraph
from synth.language.checker import check_file
from synth.lower import lower
from synth.synthesis import synthesize

CHAINS = Path(__file__).resolve().parents[2] / "chains"


@cache
def as_written(name: str) -> ChainGraph:
    typed = check_file(CHAINS / f"{name}.chain").chain
    assert typed is not None
    return lower(typed)


@cache
def synthesized(name: str) -> ChainGraph:
    return synthesize(as_written(name)).graph
