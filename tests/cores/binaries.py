"""Binaries of a chain for several cores."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from synth import codegen
from synth.diagnostics.spans import NOWHERE
from synth.driver import Source, load
from synth.graph.nodes import ChainGraph
from synth.parallel import Plan
from synth.pipeline.cores import StrategyWish, plan_build
from synth.synthesis import synthesize

Change = Callable[[Plan], Plan]


def graph_of(path: Path, *overrides: str) -> ChainGraph:
    """Return a chain's graph, synthesized."""
    return synthesize(load(Source(path=path, overrides=overrides)).graph).graph


def plan_of(graph: ChainGraph, cores: int, strategy: StrategyWish) -> Plan:
    """Return the plan of a build for several cores."""
    found = plan_build(graph, cores=cores, nic="software", strategy=strategy, span=NOWHERE)
    assert found is not None
    return found


def build_cores(graph: ChainGraph, plan: Plan | None, folder: Path, *, cc: str = "gcc") -> Path:
    """Return the binary of a synthesized graph for a plan; None: one core."""
    tree = codegen.emit(graph, is_synthesized=True, plan=plan)
    return codegen.build(tree, folder, name=graph.name, cc=cc).path


def with_wrong_key(plan: Plan) -> Plan:
    """Return a plan whose last interface hashes with a key that was not asked for."""
    *rest, last = plan.interfaces
    wrong = replace(last, key=bytes(byte ^ 0x5A for byte in last.key))
    return replace(plan, interfaces=(*rest, wrong))
