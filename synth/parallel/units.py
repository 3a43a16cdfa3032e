"""Units of analysis: an interface, kinds of packets, and the part of the graph that these can reach.

A kind settles every header test, so within a unit each block argument, path condition and key is that of one
shape of packet. Kinds that differ in nothing but VLAN tags, and take the same edges, are one unit.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from synth.graph.dominance import reverse_postorder
from synth.graph.nodes import (
    Binary,
    Block,
    Branch,
    ChainGraph,
    Constant,
    Edge,
    Has,
    Interface,
    Op,
    Unary,
    Value,
)
from synth.graph.walk import edges
from synth.net.kinds import UNIVERSE, Kind

PROTOCOLS = {"tcp": 6, "udp": 17, "icmp_echo": 1, "icmp_other": 1}
ETHER_TYPES = {"ipv4": 0x0800, "ipv6": 0x86DD, "arp": 0x0806}


@dataclass(frozen=True, slots=True)
class Way:
    """A way into a block: from which block, with which arguments, and the branch that it takes there."""

    source: str
    edge: Edge
    condition: Value | None
    holds: bool


@dataclass(frozen=True, slots=True)
class Index:
    """A graph's blocks by name, and what defines each value where."""

    graph: ChainGraph
    blocks: Mapping[str, Block]
    producers: Mapping[Value, Op]
    places: Mapping[Value, str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Unit:
    """Packets of some kinds on an interface. `order` are the reachable blocks, `incoming` the ways into each.

    A unit is only equal to itself.
    """

    interface: str
    kinds: frozenset[Kind]
    root: Value
    entry: str
    order: tuple[str, ...]
    incoming: Mapping[str, tuple[Way, ...]]

    @property
    def kind(self) -> Kind:
        """One of the kinds: they differ in VLAN tags only."""
        return min(self.kinds, key=lambda kind: kind.vlan_tags)

    @property
    def constants(self) -> Mapping[str, int]:
        """The header fields that the kind settles."""
        kind, known = self.kind, {}
        if kind.l3 == "ipv4" and kind.l4 != "none":
            known["ipv4.protocol"] = PROTOCOLS[kind.l4]
        if kind.l3 != "none":
            known["eth.type"] = ETHER_TYPES[kind.l3]
        return known


def index_graph(graph: ChainGraph) -> Index:
    """Return a graph's index."""
    producers = {result: op for block in graph.blocks for op in block.operations for result in op.results}
    places = {
        value: block.name
        for block in graph.blocks
        for value in (*block.parameters, *(result for op in block.operations for result in op.results))
    }
    return Index(graph, {block.name: block for block in graph.blocks}, producers, places)


def find_units(index: Index) -> tuple[Unit, ...]:
    """Return the units of every interface, in the interfaces' order, and by kind."""
    return tuple(unit for interface in index.graph.interfaces for unit in _units_of(interface, index))


def _units_of(interface: Interface, index: Index) -> Iterator[Unit]:
    if interface.entry is None:
        return
    groups: dict[object, list[Kind]] = {}
    same: object
    ways: dict[object, Mapping[str, tuple[Way, ...]]] = {}
    for kind in sorted(UNIVERSE, key=_sort_key):
        incoming = _walk(interface.entry, kind, index)
        taken = tuple(
            (name, tuple((way.source, way.edge) for way in into)) for name, into in incoming.items()
        )
        same = (kind.l3, kind.l4, kind.fragment, taken)
        groups.setdefault(same, []).append(kind)
        ways[same] = incoming
    for same, kinds in groups.items():
        yield _make_unit(interface.name, interface.entry, frozenset(kinds), ways[same], index)


def _sort_key(kind: Kind) -> tuple[str, str, str, int]:
    return kind.l3, kind.l4, kind.fragment, kind.vlan_tags


def _make_unit(
    interface: str,
    entry: str,
    kinds: frozenset[Kind],
    incoming: Mapping[str, tuple[Way, ...]],
    index: Index,
) -> Unit:
    successors: dict[str, list[str]] = {}
    for name, into in incoming.items():
        for way in into:
            successors.setdefault(way.source, []).append(name)
    order = reverse_postorder((entry,), {name: tuple(found) for name, found in successors.items()})
    return Unit(
        interface=interface,
        kinds=kinds,
        root=index.blocks[entry].parameters[0],
        entry=entry,
        order=tuple(order),
        incoming=incoming,
    )


def _walk(entry: str, kind: Kind, index: Index) -> dict[str, tuple[Way, ...]]:
    """Return the ways into every block that packets of a kind can reach."""
    found: dict[str, list[Way]] = {entry: []}
    todo = [entry]
    while todo:
        name = todo.pop()
        for way in _ways_out(index.blocks[name], kind, index):
            if way.edge.block not in found:
                found[way.edge.block] = []
                todo.append(way.edge.block)
            found[way.edge.block].append(way)
    return {name: tuple(into) for name, into in found.items()}


def _ways_out(block: Block, kind: Kind, index: Index) -> Iterator[Way]:
    terminator = block.terminator
    if not isinstance(terminator, Branch):
        for edge in edges(terminator):
            yield Way(block.name, edge, None, holds=True)
        return
    decided = _decide(terminator.condition, kind, index)
    for edge, holds in ((terminator.then, True), (terminator.otherwise, False)):
        if decided in (holds, None):
            yield Way(block.name, edge, terminator.condition, holds)


def _decide(condition: Value, kind: Kind, index: Index) -> bool | None:
    """Return what a truth value is for packets of a kind, or None when that does not say."""
    match index.producers.get(condition):
        case Constant(value=value):
            return value != 0
        case Has(header=header):
            return kind.has(header)
        case Unary(op="not", operand=operand):
            inner = _decide(operand, kind, index)
            return None if inner is None else not inner
        case Binary(op="and" | "or" as word, left=left, right=right):
            answers = (_decide(left, kind, index), _decide(right, kind, index))
            if (word == "or") in answers:
                return word == "or"
            return None if None in answers else word == "and"
        case _:
            return None
