"""Check control flow: edges, definitions before uses, ways round, reachability, header tests."""

from collections import Counter
from collections.abc import Iterator, Mapping

from synth.graph.cycles import local_successors, looping_handlers, on_cycles
from synth.graph.dominance import find_dominators
from synth.graph.nodes import (
    Block,
    Bool,
    Branch,
    ChainGraph,
    Deliver,
    Exit,
    IcmpError,
    Op,
    Packet,
    Read,
    RulesDecide,
    Value,
    Write,
)
from synth.graph.presence import Presence, find_presence
from synth.graph.walk import definitions, edges, entries, operands, reachable, terminator_operands
from synth.net.fields import FIELDS
from synth.net.icmp import can_be_reported

Blocks = Mapping[str, Block]


def check_edges(graph: ChainGraph, blocks: Blocks) -> Iterator[str]:
    """Yield edges that do not fit their blocks, and terminators that break their own rules."""
    handlers = {handler.block for handler in graph.handlers}
    interfaces = {interface.name for interface in graph.interfaces}
    for block in graph.blocks:
        for edge in edges(block.terminator):
            target = blocks.get(edge.block)
            if target is None:
                yield f"{block.name}: an edge to `{edge.block}`, which does not exist"
                continue
            given = tuple(value.type for value in edge.arguments)
            wanted = tuple(value.type for value in target.parameters)
            if given != wanted:
                yield f"{block.name}: arguments {given} for `{edge.block}`, which takes {wanted}"
            if isinstance(block.terminator, Deliver) and edge.block not in handlers:
                yield f"{block.name}: delivers to `{edge.block}`, which is no handler"
        yield from _check_terminator(block, interfaces)


def _check_terminator(block: Block, interfaces: set[str]) -> Iterator[str]:
    match block.terminator:
        case Branch(condition=condition) if condition.type != Bool():
            yield f"{block.name}: branches on {condition.type}"
        case Deliver(emissions=emissions, drop=drop):
            if not emissions and drop is None:
                yield f"{block.name}: delivers nothing and drops nothing"
            for emission in emissions:
                if isinstance(emission, Exit) and emission.interface not in interfaces:
                    yield f"{block.name}: leaves on `{emission.interface}`, which does not exist"
                if isinstance(emission, Exit) and emission.packet.type != Packet():
                    yield f"{block.name}: {emission.packet.type} leaves on `{emission.interface}`"


def check_entries(graph: ChainGraph, blocks: Blocks) -> Iterator[str]:
    """Yield interfaces and handlers whose blocks are missing or do not take one packet.

    A handler that only jumps lead into (as synthesis makes them) takes what it likes.
    """
    handlers = {handler.block for handler in graph.handlers}
    given = _given_blocks(graph)
    for interface in graph.interfaces:
        if interface.entry is not None and interface.entry not in handlers:
            yield f"interface {interface.name}: `{interface.entry}` is no handler"
    for handler in graph.handlers:
        block = blocks.get(handler.block)
        if block is None:
            yield f"handler {handler.block}: no such block"
        elif handler.block in given and tuple(value.type for value in block.parameters) != (Packet(),):
            yield f"handler {handler.block}: takes something else than one packet"


def _given_blocks(graph: ChainGraph) -> frozenset[str]:
    """Return the handlers' blocks whose packet comes from an interface or a delivery, or from nowhere."""
    local = local_successors(graph.blocks)
    jumped = {to for successors in local.values() for to in successors}
    delivered = (
        edge.block
        for block in graph.blocks
        if isinstance(block.terminator, Deliver)
        for edge in edges(block.terminator)
    )
    free = (handler.block for handler in graph.handlers if handler.block not in jumped)
    return frozenset((*entries(graph), *delivered, *free))


def check_definitions(graph: ChainGraph) -> Iterator[str]:
    """Yield values that are defined twice, or used where their definition need not have come."""
    counts = Counter(value.id for block in graph.blocks for value in definitions(block))
    yield from (f"value %{number} is defined {count} times" for number, count in counts.items() if count > 1)
    home = {value: block.name for block in graph.blocks for value in definitions(block)}
    dominators = find_dominators(sorted(_given_blocks(graph)), local_successors(graph.blocks))
    for block in graph.blocks:
        above = dominators.get(block.name, frozenset()) - {block.name}
        here = set(block.parameters)
        for op in block.operations:
            yield from _undefined(block, operands(op), here, home, above)
            here.update(op.results)
        yield from _undefined(block, terminator_operands(block.terminator), here, home, above)


def _undefined(
    block: Block, used: tuple[Value, ...], here: set[Value], home: Mapping[Value, str], above: frozenset[str]
) -> Iterator[str]:
    for value in used:
        if value not in here and home.get(value) not in above:
            yield f"{block.name}: uses %{value.id} ({value.type}), which is not defined on every way there"


def check_ways_round(graph: ChainGraph) -> Iterator[str]:
    """Yield loops inside handlers, and cycles of handlers on which no visit is counted."""
    counted = {handler.block for handler in graph.handlers if handler.budget is not None}
    loops = on_cycles(local_successors(block for block in graph.blocks if block.name not in counted))
    yield from (f"{block.name}: lies on a loop" for block in graph.blocks if block.name in loops)
    looping = looping_handlers(graph)
    for handler in graph.handlers:
        if handler.block in looping:
            yield f"handler {handler.block}: lies on a cycle without a visit budget"
        if handler.budget is not None and handler.budget < 1:
            yield f"handler {handler.block}: a budget of {handler.budget}"


def check_reachability(graph: ChainGraph) -> Iterator[str]:
    """Yield blocks that no packet can come to."""
    found = reachable(graph.blocks, entries(graph))
    yield from (f"{block.name}: cannot be reached" for block in graph.blocks if block.name not in found)


def check_headers(graph: ChainGraph) -> Iterator[str]:
    """Yield accesses to fields of headers that no test before has shown to be there."""
    presence = find_presence(graph)
    for block in graph.blocks:
        for op in block.operations:
            yield from _absent(block, op, presence)


def _absent(block: Block, op: Op, presence: Presence) -> Iterator[str]:
    match op:
        case Read(packet=packet, path=path) | Write(packet=packet, path=path):
            header = FIELDS[path].header
        case RulesDecide(packet=packet):
            path, header = "ipv4", "ipv4"
        case IcmpError(packet=packet, error=error):
            if not all(map(can_be_reported, presence.kinds(block.name, packet))):
                yield f"{block.name}: makes `{error}` about a packet that there may be no error about"
            return
        case _:
            return
    if not all(kind.has(header) for kind in presence.kinds(block.name, packet)):
        yield f"{block.name}: accesses `{path}` of a packet that may have no {header}"
