"""Lead a way past a test that it decides already.

    block a(): ... jump c(%true)                              block a(): ... jump c~1(%true)
    block c(%1: bool):                                        block c~1(%1: bool):
      ...                                           becomes     ...           (the same operations)
      branch %1 -> d() | e()                                    jump d()

The way brings a constant, a value that is known on it, or packets of kinds that decide. What is defined
in the block is handed on by arguments from then on. Bounded: at most as many blocks as the budget
allows. Left alone: fixed blocks, blocks with a visit budget, and ways round.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from synth.graph.nodes import Binary, Block, Bool, Branch, ChainGraph, Edge, Has, Jump, Unary, Value
from synth.graph.walk import definitions, edges
from synth.synthesis.hand_on import hand_on
from synth.synthesis.known import Knowledge
from synth.synthesis.remarks import Outcome, Remark
from synth.synthesis.ssa import (
    Flow,
    Fresh,
    clone_operations,
    find_flow,
    map_edges,
    rebuild,
    substitute_edge,
    used_outside,
)

MOST_OPERATIONS = 40
"""Blocks with more operations are not cloned for one test."""


@dataclass(frozen=True, slots=True)
class _Thread:
    """A way (from `source`, by a jump, into `block`) on which the branch there goes only one way."""

    source: str
    block: str
    outcome: bool


def thread(graph: ChainGraph, *, limit: int) -> Outcome:
    """Clone blocks for the ways that decide their branches, up to `limit` blocks in all.

    A block is cloned once for each outcome, for all ways that decide so.
    """
    split = _split_branches(graph)
    threads = _find_threads(split)
    wanted = _within(threads, limit - len(graph.blocks))
    if not wanted:
        return Outcome(graph)
    cloned = {found.block for found in wanted}
    closed = hand_on(split, _defined_in(split, cloned))
    return _clone(closed, wanted)


def _within(threads: Iterable[_Thread], room: int) -> tuple[_Thread, ...]:
    """Return the threads that fit: the first ones, whole clones only."""
    clones: dict[tuple[str, bool], None] = {}
    for found in threads:
        if (found.block, found.outcome) not in clones and len(clones) < room:
            clones[found.block, found.outcome] = None
    return tuple(found for found in threads if (found.block, found.outcome) in clones)


def _defined_in(graph: ChainGraph, names: set[str]) -> frozenset[Value]:
    return frozenset(value for block in graph.blocks if block.name in names for value in definitions(block))


def _split_branches(graph: ChainGraph) -> ChainGraph:
    """Put an empty block on each edge of a branch that leads to a block with several ways in."""
    flow = find_flow(graph)
    fresh = Fresh(graph)
    blocks: list[Block] = []
    for name in flow.order:
        block = flow.blocks[name]
        splits: list[Block] = []
        if isinstance(block.terminator, Branch):
            split = partial(_split, flow, fresh, name, splits)
            block = replace(block, terminator=map_edges(block.terminator, split))
        blocks += [block, *splits]
    return rebuild(graph, blocks)


def _split(flow: Flow, fresh: Fresh, origin: str, splits: list[Block], edge: Edge) -> Edge:
    if len(flow.incoming[edge.block]) == 1:
        return edge
    name = fresh.block(origin)
    span = flow.blocks[origin].terminator.span
    splits.append(
        Block(name=name, parameters=(), operations=(), terminator=Jump(to=edge, span=span), span=span)
    )
    return Edge(name)


def _find_threads(graph: ChainGraph) -> tuple[_Thread, ...]:
    known = Knowledge(graph)
    flow = known.flow
    outside = used_outside(flow)
    handed = _Handed(known)
    found: list[_Thread] = []
    for name in flow.order:
        block = flow.blocks[name]
        if not isinstance(block.terminator, Branch) or name in flow.fixed or name in flow.counted:
            continue
        if len(flow.incoming[name]) < 2 or len(block.operations) > MOST_OPERATIONS:
            continue
        own = tuple(value for value in definitions(block) if value in outside)
        if handed.would_hide_kinds(block, own):
            continue
        threads = _find_ways(block, block.terminator.condition, known)
        if threads:
            handed.add(block, own)
        found += threads
    return tuple(found)


def _find_ways(block: Block, condition: Value, known: Knowledge) -> list[_Thread]:
    """Return the ways into a block that decide its condition, but for ways round."""
    found: list[_Thread] = []
    for way in known.flow.incoming[block.name]:
        if block.name in known.flow.dominators(way.source):
            continue
        alias = dict(zip(block.parameters, way.edge.arguments, strict=True))
        answer = known.scope(way.source, alias).constant(condition)
        if answer is not None:
            found.append(_Thread(way.source, block.name, bool(answer)))
    return found


class _Handed:
    """The packets that blocks cloned in this round will hand on by arguments, by what they came in as.

    Behind an argument nobody sees that a truth value is a test of headers, nor that two packets came
    in as one: a block for which that would matter must wait for another round.
    """

    def __init__(self, known: Knowledge) -> None:
        self._known = known
        parameters = (value for name in known.flow.order for value in known.flow.blocks[name].parameters)
        self._merged = {root for value in parameters if (root := known.roots.get(value, value)) != value}
        self._roots: list[Value] = []
        self._parameters: set[Value] = set()

    def would_hide_kinds(self, block: Block, own: tuple[Value, ...]) -> bool:
        """Tell whether handing on a block's own values would hide what a packet is."""
        if any(_is_header_test(value, self._known) for value in own):
            return True
        if not self._merged.isdisjoint(block.parameters):
            return True
        roots = self._roots + self._roots_of(own)
        return any(roots.count(parameter) > 1 for parameter in self._parameters.union(block.parameters))

    def add(self, block: Block, own: tuple[Value, ...]) -> None:
        """Take note of a block that will be cloned."""
        self._roots += self._roots_of(own)
        self._parameters.update(block.parameters)

    def _roots_of(self, values: tuple[Value, ...]) -> list[Value]:
        return [self._known.roots[value] for value in values if value in self._known.roots]


def _is_header_test(value: Value, known: Knowledge) -> bool:
    match known.producers.get(value):
        case Has():
            return True
        case Unary(operand=operand):
            return _is_header_test(operand, known)
        case Binary(left=Value(type=Bool()) as left, right=right):
            return _is_header_test(left, known) or _is_header_test(right, known)
        case _:
            return False


def _clone(graph: ChainGraph, threads: tuple[_Thread, ...]) -> Outcome:
    flow = find_flow(graph)
    fresh = Fresh(graph)
    names: dict[tuple[str, bool], str] = {}
    targets: dict[tuple[str, str], str] = {}
    blocks: list[Block] = []
    remarks: list[Remark] = []
    for found in threads:
        key = found.block, found.outcome
        if key not in names:
            names[key] = fresh.block(found.block)
            blocks.append(_clone_block(flow.blocks[found.block], names[key], fresh, outcome=found.outcome))
        targets[found.source, found.block] = names[key]
        branch = flow.blocks[found.block].terminator
        cause = flow.blocks[found.source].terminator.span
        remarks.append(Remark("thread", "test removed on one way that decides it", branch.span, cause))
    for name in flow.order:
        block = flow.blocks[name]
        if isinstance(block.terminator, Jump):
            block = _retarget(block, targets)
        blocks.append(block)
    return Outcome(rebuild(graph, blocks), tuple(remarks))


def _retarget(block: Block, targets: Mapping[tuple[str, str], str]) -> Block:
    (edge,) = edges(block.terminator)
    new = targets.get((block.name, edge.block))
    return (
        block
        if new is None
        else replace(block, terminator=Jump(to=Edge(new, edge.arguments), span=block.terminator.span))
    )


def _clone_block(block: Block, name: str, fresh: Fresh, *, outcome: bool) -> Block:
    renamed = {parameter: fresh.like(parameter) for parameter in block.parameters}
    parameters = tuple(renamed.values())
    operations = clone_operations(block, fresh, renamed)
    ways = edges(block.terminator)
    to = substitute_edge(ways[0 if outcome else 1], lambda value: renamed.get(value, value))
    return replace(
        block,
        name=name,
        parameters=parameters,
        operations=operations,
        terminator=Jump(to=to, span=block.terminator.span),
    )
