"""Which values a block needs from before it."""

from collections.abc import Mapping

from synth.graph.nodes import ChainGraph, Value
from synth.graph.walk import definitions, edges, uses


def live_values(graph: ChainGraph) -> Mapping[str, frozenset[Value]]:
    """Return for each block the values that it or a block behind it uses and that are defined before it."""
    own = {block.name: frozenset(definitions(block)) for block in graph.blocks}
    live = {block.name: frozenset(uses(block)) - own[block.name] for block in graph.blocks}
    after = {block.name: [edge.block for edge in edges(block.terminator)] for block in graph.blocks}
    changed = True
    while changed:
        changed = False
        for name in reversed(live):
            needed = live[name].union(*(live[to] for to in after[name])) - own[name]
            changed |= needed != live[name]
            live[name] = needed
    return live
