"""Give each way into the chain blocks of its own.

    block lan.in(%1) ... jump c(%1)                  block lan.in(%1) ... jump c(%1)
    block wan.in(%2) ... jump c(%2)       becomes    block wan.in(%2) ... jump c~1(%2)

What comes from different interfaces has hardly anything in common: in shared blocks, each would have
to hand on as arguments what only the other has changed. Ways begin at fixed blocks and at blocks with a
visit budget. Left alone when it would take more blocks than the budget allows.
"""

from dataclasses import replace

from synth.graph.nodes import Block, ChainGraph, Deliver, Edge, Value
from synth.graph.walk import definitions, edges, uses
from synth.synthesis.remarks import Outcome
from synth.synthesis.ssa import (
    Flow,
    Fresh,
    clone_operations,
    find_flow,
    map_edges,
    rebuild,
    substitute_terminator,
)

Regions = dict[str, tuple[str, ...]]
"""For each block, the beginnings from which it is reached without another beginning between."""


def part(graph: ChainGraph, *, limit: int) -> Outcome:
    """Clone the blocks that several ways share, if the graph then has at most `limit` blocks."""
    flow = find_flow(graph)
    regions = _find_regions(flow)
    size = sum(len(roots) for roots in regions.values())
    if size == len(regions) or size > limit or _is_read_across(flow, regions):
        return Outcome(graph)
    fresh = Fresh(graph)
    names = {
        (name, root): name if number == 0 else fresh.block(name)
        for name in flow.order
        for number, root in enumerate(regions[name])
    }
    blocks: list[Block] = []
    for root in dict.fromkeys(root for roots in regions.values() for root in roots):
        renamed: dict[Value, Value] = {}
        own = (flow.blocks[name] for name in flow.order if root in regions[name])
        blocks.extend(_copy(block, root, names, renamed, fresh) for block in own)
    return Outcome(rebuild(graph, blocks))


def _find_regions(flow: Flow) -> Regions:
    found: dict[str, dict[str, None]] = {name: {} for name in flow.order}
    for root in flow.order:
        if root not in flow.fixed and root not in flow.counted:
            continue
        todo = [root]
        while todo:
            name = todo.pop()
            if root in found[name]:
                continue
            found[name][root] = None
            terminator = flow.blocks[name].terminator
            if not isinstance(terminator, Deliver):
                todo += [
                    edge.block
                    for edge in edges(terminator)
                    if edge.block not in flow.fixed and edge.block not in flow.counted
                ]
    return {name: tuple(roots) for name, roots in found.items()}


def _is_read_across(flow: Flow, regions: Regions) -> bool:
    """Tell whether a shared block's value is used behind another beginning: no single clone dominates it."""
    homes = {value: name for name in flow.order for value in definitions(flow.blocks[name])}
    return any(
        len(regions[homes[value]]) > 1 and regions[homes[value]] != regions[name]
        for name in flow.order
        for value in uses(flow.blocks[name])
    )


def _copy(
    block: Block, root: str, names: dict[tuple[str, str], str], renamed: dict[Value, Value], fresh: Fresh
) -> Block:
    """Return the block for one of the ways that share it; the first way keeps the block as it is."""

    def lead(edge: Edge) -> Edge:
        return Edge(names.get((edge.block, root), edge.block), edge.arguments)

    name = names[block.name, root]
    if name == block.name:
        operations, parameters = block.operations, block.parameters
    else:
        renamed.update((parameter, fresh.like(parameter)) for parameter in block.parameters)
        parameters = tuple(renamed[parameter] for parameter in block.parameters)
        operations = clone_operations(block, fresh, renamed)
    terminator = substitute_terminator(block.terminator, lambda value: renamed.get(value, value))
    return replace(
        block, name=name, parameters=parameters, operations=operations, terminator=map_edges(terminator, lead)
    )
