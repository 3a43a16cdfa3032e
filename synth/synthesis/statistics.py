"""How large a graph is, in the terms in which synthesis is measured."""

from dataclasses import dataclass

from synth.graph.effects import effect
from synth.graph.nodes import Branch, ChainGraph, Constant, Read, Write


@dataclass(frozen=True, slots=True, kw_only=True)
class Statistics:
    """Counts over a whole graph; constants are no operations here."""

    blocks: int
    operations: int
    tests: int
    reads: int
    writes: int
    state_operations: int
    states: int


def measure(graph: ChainGraph) -> Statistics:
    """Count what a graph consists of."""
    operations = [op for block in graph.blocks for op in block.operations if not isinstance(op, Constant)]
    return Statistics(
        blocks=len(graph.blocks),
        operations=len(operations),
        tests=sum(isinstance(block.terminator, Branch) for block in graph.blocks),
        reads=sum(isinstance(op, Read) for op in operations),
        writes=sum(isinstance(op, Write) for op in operations),
        state_operations=sum(effect(op) is not None for op in operations),
        states=len(graph.states),
    )
