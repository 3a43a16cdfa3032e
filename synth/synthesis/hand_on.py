"""Hand values on by arguments, so that their blocks can be cloned.

    block a(): %1 = ...  jump b()                             block a(): %1 = ...  jump b(%1)
    block b(): ... uses %1                          becomes   block b(%7): ... uses %7

Undone by `arguments` where it turned out to be needless.
"""

from dataclasses import replace

from synth.graph.nodes import Block, ChainGraph, Deliver, Edge, Value
from synth.graph.walk import definitions, edges, uses
from synth.synthesis.ssa import Flow, Fresh, find_flow, map_edges, rebuild, substitute_block


def hand_on(graph: ChainGraph, values: frozenset[Value]) -> ChainGraph:
    """Make every block that needs one of the values, and does not define it, take it as an argument."""
    flow = find_flow(graph)
    needed = _find_needed(flow, values)
    if not any(needed.values()):
        return graph
    fresh = Fresh(graph)
    renamed = {name: {value: fresh.like(value) for value in found} for name, found in needed.items()}
    blocks: list[Block] = []
    for name in flow.order:
        block, own = flow.blocks[name], renamed[name]

        def extend(edge: Edge) -> Edge:
            return Edge(edge.block, (*edge.arguments, *needed[edge.block]))

        if not isinstance(block.terminator, Deliver):
            block = replace(block, terminator=map_edges(block.terminator, extend))
        block = substitute_block(block, lambda value, own=own: own.get(value, value))  # type: ignore[misc]
        blocks.append(replace(block, parameters=(*block.parameters, *own.values())))
    return rebuild(graph, blocks)


def _find_needed(flow: Flow, values: frozenset[Value]) -> dict[str, tuple[Value, ...]]:
    """Return the values that each block needs from outside, in the order of their numbers."""
    own = {name: set(definitions(flow.blocks[name])) for name in flow.order}
    needed = {name: (set(uses(flow.blocks[name])) & values) - own[name] for name in flow.order}
    is_changing = True
    while is_changing:
        is_changing = False
        for name in reversed(flow.order):
            terminator = flow.blocks[name].terminator
            if isinstance(terminator, Deliver):
                continue
            for edge in edges(terminator):
                more = needed[edge.block] - own[name] - needed[name]
                if more:
                    needed[name] |= more
                    is_changing = True
    return {name: tuple(sorted(found, key=lambda value: value.id)) for name, found in needed.items()}
