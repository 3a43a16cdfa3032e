"""The server's graph: the chain, and beside each interface one for each class that the switch names.

Packets of a class arrive with the rule set's answer known. The handlers on the way to the rule set are copied
for them, with the answer in place of the question; the synthesizer takes away what then has no use. What
kind of packet it is, is still tested: a wrong tag can make no code read a header that is not there.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import count

from synth.graph.cycles import local_successors
from synth.graph.nodes import (
    Block,
    Branch,
    ChainGraph,
    Constant,
    Deliver,
    Edge,
    Exit,
    Handler,
    Interface,
    Jump,
    Op,
    Packet,
    RulesDecide,
    Terminator,
    Value,
)
from synth.graph.walk import closure, definitions, map_values
from synth.offload.classification import Classification, Dropped
from synth.offload.split import Split, TrafficClass
from synth.proof.premises import Premise


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitGraphs:
    """A split as graphs.

    Attributes:
        server: what the server runs, not yet synthesized.
        drops: what the switch drops, by an interface that stands for it.
        specification: the chain with the same interfaces; each leads to where its packets came from.
        premises: what the switch sees to, by interface.
    """

    server: ChainGraph
    drops: Mapping[str, str]
    specification: ChainGraph
    premises: Mapping[str, Premise]


def graphs_of(split: Split) -> SplitGraphs:
    """Return a split's graphs."""
    graph = split.graph
    premises = {one.name: _premise(one) for one in split.classes}
    dropped = dict(_dropped(split))
    origins = {one.name: one.interface for one in split.classes}
    origins |= {name: found[0] for name, found in dropped.items()}
    return SplitGraphs(
        server=_server(graph, split.classes),
        drops={name: found[2] for name, found in dropped.items()},
        specification=replace(
            graph, interfaces=(*graph.interfaces, *_beside(graph.interfaces, origins, None))
        ),
        premises=premises | {name: found[1] for name, found in dropped.items()},
    )


def with_drops(server: ChainGraph, graphs: SplitGraphs, written: ChainGraph) -> ChainGraph:
    """Return the server's graph with what the switch drops, as one graph to prove."""
    fresh = _fresh(server)
    blocks, handlers, entries = [], [], {}
    by_counter: dict[str, str] = {}
    for name, counter in graphs.drops.items():
        if counter not in by_counter:
            block = f"{counter}~switch"
            by_counter[counter] = block
            packet = Value(next(fresh), Packet(), "pkt")
            blocks.append(
                Block(
                    name=block,
                    parameters=(packet,),
                    operations=(),
                    terminator=Deliver(emissions=(), drop=counter),
                )
            )
            handlers.append(Handler(block, counter.partition(".")[0], "switch"))
        entries[name] = by_counter[counter]
    origins = {one.name: one for one in graphs.specification.interfaces}
    return replace(
        server,
        interfaces=(
            *server.interfaces,
            *(replace(origins[name], entry=entry) for name, entry in entries.items()),
        ),
        handlers=(*server.handlers, *handlers),
        blocks=(*server.blocks, *blocks),
        drops=written.drops,
    )


def _premise(of: TrafficClass) -> Premise:
    return Premise(
        headers={"ipv4": True, "vlan": False}, rules=of.classification.rules.name, answer=of.verdict
    )


def _dropped(split: Split) -> Iterator[tuple[str, tuple[str, Premise, str]]]:
    """Yield what the switch drops: a name for it, the interface, which packets, the counter."""
    for one in split.interfaces:
        if not isinstance(one.found, Classification):
            continue
        numbers = count(1)
        for verdict, outcome in one.found.verdicts.items():
            if isinstance(outcome, Dropped):
                premise = Premise(
                    headers={"ipv4": True, "vlan": False}, rules=one.found.rules.name, answer=verdict
                )
                yield f"{one.name}~drop{next(numbers)}", (one.name, premise, outcome.counter)
        for l3, outcome in one.found.others.items():
            if isinstance(outcome, Dropped):
                headers = {"ipv4": False, "vlan": False, "arp": l3 == "arp"}
                yield f"{one.name}~drop{next(numbers)}", (one.name, Premise(headers=headers), outcome.counter)


def _beside(
    interfaces: tuple[Interface, ...], origins: Mapping[str, str], entries: Mapping[str, str] | None
) -> Iterator[Interface]:
    known = {one.name: one for one in interfaces}
    for name, origin in origins.items():
        entry = known[origin].entry if entries is None else entries[name]
        yield replace(known[origin], name=name, entry=entry)


def _server(graph: ChainGraph, classes: tuple[TrafficClass, ...]) -> ChainGraph:
    fresh = _fresh(graph)
    blocks, handlers, entries = list(graph.blocks), list(graph.handlers), {}
    for one in classes:
        copies = {name: f"{name}~{one.name}" for name in one.classification.place.handlers}
        known = {handler.block: handler for handler in graph.handlers}
        handlers += [replace(known[name], block=copy) for name, copy in copies.items()]
        blocks += _copied(graph, one, copies, fresh)
        entries[one.name] = copies[one.classification.place.handlers[0]]
    origins = {one.name: one.interface for one in classes}
    return replace(
        graph,
        interfaces=(*graph.interfaces, *_beside(graph.interfaces, origins, entries)),
        handlers=tuple(handlers),
        blocks=tuple(blocks),
    )


def _fresh(graph: ChainGraph) -> Iterator[int]:
    return count(1 + max((value.id for block in graph.blocks for value in definitions(block)), default=0))


def _copied(
    graph: ChainGraph, of: TrafficClass, copies: Mapping[str, str], fresh: Iterator[int]
) -> Iterator[Block]:
    """Yield copies of the handlers that lead to a class's rule set, which is not asked any more."""
    successors = local_successors(graph.blocks)
    inside = closure(copies, successors)
    values: dict[Value, Value] = {}

    def copy(value: Value) -> Value:
        if value not in values:
            values[value] = replace(value, id=next(fresh))
        return values[value]

    place = of.classification.place
    for block in graph.blocks:
        if block.name not in inside:
            continue
        operations: list[Op] = []
        for number, op in enumerate(block.operations):
            if (block.name, number) == (place.block, place.operation):
                assert isinstance(op, RulesDecide)
                operations += [
                    Constant(results=(copy(result),), value=known or 0, span=op.span)
                    for result, known in zip(op.results, of.verdict, strict=True)
                ]
            else:
                operations.append(map_values(op, copy))
        yield Block(
            name=f"{block.name}~{of.name}",
            parameters=tuple(copy(value) for value in block.parameters),
            operations=tuple(operations),
            terminator=_redirected(map_values(block.terminator, copy), inside, copies, of.name),
            span=block.span,
        )


def _redirected(
    terminator: Terminator, inside: frozenset[str], copies: Mapping[str, str], suffix: str
) -> Terminator:
    def within(edge: Edge) -> Edge:
        return replace(edge, block=f"{edge.block}~{suffix}") if edge.block in inside else edge

    match terminator:
        case Jump(to=to):
            return replace(terminator, to=within(to))
        case Branch(then=then, otherwise=otherwise):
            return replace(terminator, then=within(then), otherwise=within(otherwise))
        case Deliver(emissions=emissions):
            led = (
                one if isinstance(one, Exit) else replace(one, block=copies.get(one.block, one.block))
                for one in emissions
            )
            return replace(terminator, emissions=tuple(led))
