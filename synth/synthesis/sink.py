"""Compute late what only some ways need: early discard.

    block a(): %2 = read ...  branch %t -> b() | drop()       block a(): branch %t -> b() | drop()
    block b(): ... uses %2                          becomes   block b(): %2 = read ... uses %2

An operation without any effect moves down to the innermost block that dominates all its uses, so that
a packet which is dropped never computes what only the way out needs. It never moves into a block that a
packet may come to more often, and reads of mutable state stay where they are.
"""

from collections.abc import Mapping
from dataclasses import replace

from synth.graph.cycles import rings
from synth.graph.effects import is_pure
from synth.graph.nodes import (
    ChainGraph,
    Hash,
    ListFind,
    ListRead,
    Op,
    RingPick,
    RoutesLookup,
    RulesDecide,
    Value,
)
from synth.graph.walk import edges, operands, uses
from synth.synthesis.remarks import Outcome, Remark
from synth.synthesis.ssa import Flow, common_dominator, find_flow, rebuild

_STATIC = (RulesDecide, RoutesLookup, ListRead, ListFind, RingPick)


def sink(graph: ChainGraph) -> Outcome:
    """Move operations without effect down to where they are needed."""
    flow = find_flow(graph)
    successors = {
        name: tuple(edge.block for edge in edges(flow.blocks[name].terminator)) for name in flow.order
    }
    looping = rings(successors)
    used = _find_uses(flow)
    operations: dict[str, list[Op]] = {name: list(flow.blocks[name].operations) for name in flow.order}
    remarks: list[Remark] = []
    for name in reversed(flow.order):
        # From the last to the first: what an operation uses may follow it down.
        for op in reversed(flow.blocks[name].operations):
            target = _find_target(op, name, used, flow, looping)
            if target == name:
                continue
            operations[name].remove(op)
            operations[target].insert(0, op)
            for value in operands(op):
                used[value].remove(name)
                used[value].append(target)
            if isinstance(op, RulesDecide | RoutesLookup | Hash):
                text = "computed only where it is needed, behind tests that may drop the packet"
                remarks.append(Remark("sink", text, op.span))
    blocks = tuple(replace(flow.blocks[name], operations=tuple(operations[name])) for name in flow.order)
    return Outcome(graph) if blocks == graph.blocks else Outcome(rebuild(graph, blocks), tuple(remarks))


def _find_uses(flow: Flow) -> dict[Value, list[str]]:
    """Return the blocks that use each value, once for each use."""
    found: dict[Value, list[str]] = {}
    for name in flow.order:
        for value in uses(flow.blocks[name]):
            found.setdefault(value, []).append(name)
    return found


def _find_target(
    op: Op, name: str, used: Mapping[Value, list[str]], flow: Flow, looping: Mapping[str, str]
) -> str:
    """Return the innermost block that dominates all uses and is entered no more often, or else its own."""
    places = {place for result in op.results for place in used.get(result, ())}
    if name in places or not places or not (is_pure(op) or isinstance(op, _STATIC)):
        return name
    target = common_dominator(flow, sorted(places))
    while target is not None and target != name:
        if target not in looping or looping[target] == looping.get(name):
            return target
        target = flow.parents[target]
    return name
