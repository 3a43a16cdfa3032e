"""Join blocks: chains of jumps, empty blocks, and blocks that do the same.

    block a(): ... jump b()                                   block a(): ... (b's operations and end)
    block b(): ...          (no other way in)       becomes

A block that only jumps on disappears; of two blocks that do the same, one stays. Left alone: fixed blocks and
blocks with a visit budget, whose entering is counted.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from synth.diagnostics.spans import NOWHERE
from synth.graph.nodes import Block, ChainGraph, Deliver, Edge, Jump, Value
from synth.graph.walk import definitions, edges
from synth.synthesis.remarks import Outcome, Remark
from synth.synthesis.ssa import (
    find_flow,
    map_edges,
    rebuild,
    substitute_block,
    substitute_edge,
    used_outside,
)


def join(graph: ChainGraph) -> Outcome:
    """Skip empty blocks, then append to each block that jumps the block that nothing else leads to."""
    skipped = _append(_skip(graph))
    return Outcome(skipped)


def join_equal(graph: ChainGraph) -> Outcome:
    """Leave the first of several blocks that do the same with the same values."""
    flow = find_flow(graph)
    outside = used_outside(flow)
    groups: dict[object, str] = {}
    group_of: dict[str, str] = {}
    firsts: dict[str, str] = {}
    # Backwards, so that blocks which lead to equal blocks are seen to be equal; acyclic parts need one pass.
    for name in reversed(flow.order):
        block = flow.blocks[name]
        if name in flow.fixed or name in flow.counted or outside & set(definitions(block)):
            continue
        group = groups.setdefault(_canonical(_redirected(block, group_of)), name)
        group_of[name] = group
        firsts[group] = name
    instead = {name: firsts[group] for name, group in group_of.items() if firsts[group] != name}
    if not instead:
        return Outcome(graph)
    remarks = tuple(
        Remark("join_equal", "the same is done elsewhere", flow.blocks[name].span, flow.blocks[other].span)
        for name, other in instead.items()
    )
    return Outcome(rebuild(graph, (_redirected(block, instead) for block in graph.blocks)), remarks)


def _redirected(block: Block, instead: Mapping[str, str]) -> Block:
    terminator = map_edges(
        block.terminator, lambda edge: Edge(instead.get(edge.block, edge.block), edge.arguments)
    )
    return replace(block, terminator=terminator)


def _canonical(block: Block) -> object:
    """Return what is equal for two blocks that do the same: own values numbered from the start."""
    own = {value: Value(-1 - number, value.type) for number, value in enumerate(definitions(block))}
    changed = substitute_block(block, lambda value: own.get(value, value))
    operations = tuple(
        replace(op, results=tuple(own[result] for result in op.results)) for op in changed.operations
    )
    parameters = tuple(own[parameter] for parameter in block.parameters)
    return parameters, operations, changed.terminator


def _skip(graph: ChainGraph) -> ChainGraph:
    """Lead around blocks that only jump on."""
    flow = find_flow(graph)
    outside = used_outside(flow)
    empty: dict[str, Block] = {}
    for name in flow.order:
        block = flow.blocks[name]
        if (
            isinstance(block.terminator, Jump)
            and not block.operations
            and name not in flow.fixed
            and name not in flow.counted
            and not outside & set(block.parameters)
        ):
            empty[name] = block
    if not empty:
        return graph
    blocks = (
        block
        if isinstance(block.terminator, Deliver)
        else replace(block, terminator=map_edges(block.terminator, lambda edge: _past(edge, empty)))
        for block in graph.blocks
    )
    return rebuild(graph, blocks)


def _past(edge: Edge, empty: dict[str, Block]) -> Edge:
    while edge.block in empty:
        block = empty[edge.block]
        given = dict(zip(block.parameters, edge.arguments, strict=True))
        (to,) = edges(block.terminator)
        edge = substitute_edge(to, lambda value, given=given: given.get(value, value))  # type: ignore[misc]
    return edge


def _append(graph: ChainGraph) -> ChainGraph:
    """Append blocks to the only block that leads to them, by a jump."""
    flow = find_flow(graph)
    ways = Counter(edge.block for name in flow.order for edge in edges(flow.blocks[name].terminator))
    values: dict[Value, Value] = {}
    done: dict[str, Block] = {}
    gone: set[str] = set()
    for name in flow.order:
        if name in gone:
            continue
        block = flow.blocks[name]
        while isinstance(block.terminator, Jump):
            to = block.terminator.to
            if ways[to.block] != 1 or to.block in flow.fixed or to.block in flow.counted or to.block == name:
                break
            follower = flow.blocks[to.block]
            values.update(zip(follower.parameters, to.arguments, strict=True))
            gone.add(to.block)
            block = replace(
                block,
                operations=block.operations + follower.operations,
                terminator=follower.terminator,
                span=follower.span if block.span == NOWHERE else block.span,
            )
        done[name] = block
    if not gone:
        return graph
    return rebuild(
        graph, (substitute_block(block, lambda value: _final(value, values)) for block in done.values())
    )


def _final(value: Value, values: dict[Value, Value]) -> Value:
    while value in values:
        value = values[value]
    return value
