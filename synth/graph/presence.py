"""What a packet can be, block by block: the kinds that the tests on the way leave possible.

A forward dataflow over the finite set of packet kinds. A packet that was written is still of its
kind, so facts belong to *roots*: the packets that came in, and those that were made on the way. A branch
on a boolean combination of `has` tests splits the kinds exactly; any other condition says nothing. Facts
cross from NF to NF.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush

from synth.graph.dominance import reverse_postorder
from synth.graph.nodes import (
    Binary,
    Block,
    Bool,
    Branch,
    ChainGraph,
    Constant,
    Deliver,
    Edge,
    Has,
    IcmpError,
    Op,
    Packet,
    Unary,
    Value,
    Write,
)
from synth.graph.walk import edges, entries
from synth.net.icmp import error_kind
from synth.net.kinds import UNIVERSE, Kind

Kinds = frozenset[Kind]
Facts = dict[Value, Kinds]
Truth = bool | None


@dataclass(frozen=True, slots=True)
class Presence:
    """The kinds of each packet root on entry of each block that can be reached, or where it is made there."""

    roots: Mapping[Value, Value]
    facts: Mapping[str, Mapping[Value, Kinds]]

    def kinds(self, block: str, packet: Value) -> Kinds:
        """Return what a packet can be in a block; nothing where control never comes."""
        return self.facts.get(block, {}).get(self.roots[packet], frozenset())


def find_presence(graph: ChainGraph) -> Presence:
    """Return what packets can be. The graph's edges must fit their blocks' parameters."""
    blocks = {block.name: block for block in graph.blocks}
    producers = {result: op for block in graph.blocks for op in block.operations for result in op.results}
    roots = _find_roots(graph, blocks)
    facts: dict[str, Facts] = {name: {blocks[name].parameters[0]: UNIVERSE} for name in entries(graph)}
    ways = {block.name: tuple(edge.block for edge in edges(block.terminator)) for block in graph.blocks}
    order = reverse_postorder(entries(graph), ways)
    rank = {name: number for number, name in enumerate(order)}
    # What comes first is done first: a block is then seldom met before all that leads to it.
    todo = sorted({rank[name] for name in facts})
    while todo:
        block = blocks[order[heappop(todo)]]
        _add_made(block, facts[block.name], roots)
        for edge, known in _outgoing(block, facts[block.name], producers, roots):
            arriving = _arriving(
                edge, blocks[edge.block], known, roots, is_delivery=isinstance(block.terminator, Deliver)
            )
            is_first = edge.block not in facts
            is_new = _merge(facts.setdefault(edge.block, {}), arriving) or is_first
            if is_new and rank[edge.block] not in todo:
                heappush(todo, rank[edge.block])
    return Presence(roots, facts)


def _find_roots(graph: ChainGraph, blocks: Mapping[str, Block]) -> dict[Value, Value]:
    """Return each packet's root. A parameter that always gets packets of one root has that root."""
    incoming: dict[Value, list[Value]] = {}
    own = {blocks[name].parameters[0] for name in entries(graph)}
    for block in graph.blocks:
        for edge in edges(block.terminator):
            for parameter, argument in zip(blocks[edge.block].parameters, edge.arguments, strict=True):
                incoming.setdefault(parameter, []).append(argument)
                if isinstance(block.terminator, Deliver):
                    own.add(parameter)
    own |= {op.results[0] for block in graph.blocks for op in block.operations if isinstance(op, IcmpError)}
    roots: dict[Value, Value] = {root: root for root in own}
    while not _refine_roots(graph, incoming, roots, own):
        pass
    return roots


def _refine_roots(
    graph: ChainGraph, incoming: Mapping[Value, list[Value]], roots: dict[Value, Value], own: set[Value]
) -> bool:
    """Derive roots from those known so far; tell whether nothing changed."""
    before = dict(roots)
    for block in graph.blocks:
        for parameter in block.parameters:
            if not isinstance(parameter.type, Packet) or parameter in own:
                continue
            found = {roots[argument] for argument in incoming.get(parameter, ()) if argument in roots}
            if len(found) > 1 or found == {parameter}:
                own.add(parameter)
                found = {parameter}
            for root in found:
                roots[parameter] = root
        for op in block.operations:
            if isinstance(op, Write) and op.packet in roots:
                roots[op.results[0]] = roots[op.packet]
    return roots == before


def _add_made(block: Block, facts: Facts, roots: Mapping[Value, Value]) -> None:
    """Add what the packets are that a block makes."""
    for op in block.operations:
        if isinstance(op, IcmpError):
            facts[op.results[0]] = frozenset(map(error_kind, facts[roots[op.packet]]))


def _outgoing(
    block: Block, facts: Facts, producers: Mapping[Value, Op], roots: Mapping[Value, Value]
) -> Iterator[tuple[Edge, Facts]]:
    """Yield the ways out that can be taken, with what is known on them."""
    terminator = block.terminator
    if not isinstance(terminator, Branch):
        for edge in edges(terminator):
            yield edge, facts
        return
    for edge, outcome in ((terminator.then, True), (terminator.otherwise, False)):
        known = dict(facts)
        for root in _tested(terminator.condition, producers, roots) & set(facts):
            known[root] = frozenset(
                kind
                for kind in facts[root]
                if _decide(terminator.condition, root, kind, producers, roots) in (outcome, None)
            )
        if all(known.values()):
            yield edge, known


def _tested(condition: Value, producers: Mapping[Value, Op], roots: Mapping[Value, Value]) -> set[Value]:
    """Return the roots whose headers a condition tests."""
    match producers.get(condition):
        case Has(packet=packet):
            return {roots[packet]}
        case Unary(operand=operand):
            return _tested(operand, producers, roots)
        case Binary(left=left, right=right) if isinstance(left.type, Bool):
            return _tested(left, producers, roots) | _tested(right, producers, roots)
        case _:
            return set()


def _decide(
    condition: Value, root: Value, kind: Kind, producers: Mapping[Value, Op], roots: Mapping[Value, Value]
) -> bool | None:
    """Return what a condition is for a root of a kind, or None when that does not say."""
    match producers.get(condition):
        case Constant(value=value):
            return value != 0
        case Has(packet=packet, header=header) if roots[packet] == root:
            return kind.has(header)
        case Unary(op="not", operand=operand):
            inner = _decide(operand, root, kind, producers, roots)
            return None if inner is None else not inner
        case Binary(op="and" | "or" as word, left=left, right=right):
            return _combine(
                word,
                _decide(left, root, kind, producers, roots),
                _decide(right, root, kind, producers, roots),
            )
        case _:
            return None


def _combine(word: str, left: Truth, right: Truth) -> Truth:
    """Return `and` or `or` of two truth values; None is unknown."""
    decisive = word == "or"
    if decisive in (left, right):
        return decisive
    return None if None in (left, right) else not decisive


def _arriving(
    edge: Edge, block: Block, known: Facts, roots: Mapping[Value, Value], *, is_delivery: bool
) -> Facts:
    """Return what is known in a block after an edge: of its arguments, and of what stays in scope."""
    arriving = {} if is_delivery else dict(known)
    for parameter, argument in zip(block.parameters, edge.arguments, strict=True):
        if isinstance(parameter.type, Packet) and roots[parameter] == parameter:
            arriving[parameter] = known[roots[argument]]
    return arriving


def _merge(into: Facts, arriving: Facts) -> bool:
    """Add what an edge brings, and tell whether that was anything new."""
    grown = {root: into.get(root, frozenset()) | kinds for root, kinds in arriving.items()}
    is_new = any(into.get(root) != kinds for root, kinds in grown.items())
    into.update(grown)
    return is_new
