"""Which values are still needed at a place in a graph."""

from collections.abc import Mapping
from dataclasses import dataclass

from synth.graph.nodes import ChainGraph, Value
from synth.graph.walk import definitions, edges, terminator_operands, uses

Values = frozenset[Value]


@dataclass(frozen=True, slots=True)
class Liveness:
    """For each block, what it or a block behind it uses: of values from before it, and once it has run.

    `end` is the latter; it includes what the terminator itself uses.
    """

    start: Mapping[str, Values]
    end: Mapping[str, Values]


def find_liveness(graph: ChainGraph) -> Liveness:
    """Return what is needed where; a block's parameters are not from before it."""
    own = {block.name: frozenset(definitions(block)) for block in graph.blocks}
    start = {block.name: frozenset(uses(block)) - own[block.name] for block in graph.blocks}
    after = {block.name: [edge.block for edge in edges(block.terminator)] for block in graph.blocks}
    changed = True
    while changed:
        changed = False
        for name in reversed(start):
            needed = start[name].union(*(start[to] for to in after[name])) - own[name]
            changed |= needed != start[name]
            start[name] = needed
    end = {
        block.name: frozenset(terminator_operands(block.terminator)).union(
            *(start[to] for to in after[block.name])
        )
        for block in graph.blocks
    }
    return Liveness(start, end)
