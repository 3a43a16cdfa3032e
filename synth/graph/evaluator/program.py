"""A graph, prepared for a domain: blocks of steps, with every name resolved."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, assert_never

from synth.graph.evaluator.domain import C, Domain, P, V
from synth.graph.evaluator.operations import SlotOf, Step, prepare_step
from synth.graph.nodes import (
    Block,
    Branch,
    ChainGraph,
    Constant,
    Deliver,
    Edge,
    Exit,
    Handler,
    Jump,
    Terminator,
    Value,
)
from synth.graph.walk import definitions


@dataclass(frozen=True, slots=True)
class Way:
    """An edge: the block's number, and from which slots to which its arguments go."""

    block: int
    arguments: tuple[int, ...]
    parameters: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Leave:
    interface: str
    packet: int


@dataclass(frozen=True, slots=True)
class Fork:
    condition: int
    then: Way
    otherwise: Way


@dataclass(frozen=True, slots=True)
class HandOver:
    emissions: tuple[Leave | Way, ...]
    drop: str | None


@dataclass(frozen=True, slots=True)
class ReadyBlock:
    """`budget`: how often one packet may enter, and the drop that counts the next time."""

    name: str
    steps: tuple[Step, ...]
    end: Way | Fork | HandOver
    budget: tuple[int, str] | None


@dataclass(frozen=True, slots=True)
class Program(Generic[V, P, C]):
    """A graph over a domain.

    Attributes:
        blank: the slots before a run, constants in place.
        entries: the way into the graph for each interface that has one; its argument is the packet.
        slots: where each value stands.
    """

    domain: Domain[V, P, C]
    blocks: tuple[ReadyBlock, ...]
    blank: list[Any]
    entries: Mapping[str, Way]
    slots: Mapping[Value, int]


def prepare(graph: ChainGraph, domain: Domain[V, P, C]) -> Program[V, P, C]:
    """Prepare a well-formed graph for runs over a domain."""
    slots: dict[Value, int] = {}
    for block in graph.blocks:
        for value in definitions(block):
            slots[value] = len(slots)
    blank: list[Any] = [None] * len(slots)
    for block in graph.blocks:
        for op in block.operations:
            if isinstance(op, Constant):
                blank[slots[op.results[0]]] = domain.constant(op.value, op.results[0].type)
    layout = _Layout(
        numbers={block.name: number for number, block in enumerate(graph.blocks)},
        parameters={block.name: tuple(slots[value] for value in block.parameters) for block in graph.blocks},
        slot_of=slots.__getitem__,
    )
    budgets = {handler.block: _budget(handler) for handler in graph.handlers}
    blocks = (_prepare_block(block, domain, layout, budgets.get(block.name)) for block in graph.blocks)
    return Program(
        domain=domain,
        blocks=tuple(blocks),
        blank=blank,
        entries={
            interface.name: Way(layout.numbers[interface.entry], (), layout.parameters[interface.entry])
            for interface in graph.interfaces
            if interface.entry is not None
        },
        slots=slots,
    )


@dataclass(frozen=True, slots=True)
class _Layout:
    numbers: Mapping[str, int]
    parameters: Mapping[str, tuple[int, ...]]
    slot_of: SlotOf


def _budget(handler: Handler) -> tuple[int, str] | None:
    return None if handler.budget is None else (handler.budget, f"{handler.nf}.chain_loop")


def _prepare_block(
    block: Block, domain: Domain[V, P, C], layout: _Layout, budget: tuple[int, str] | None
) -> ReadyBlock:
    steps = tuple(
        prepare_step(op, domain, layout.slot_of) for op in block.operations if not isinstance(op, Constant)
    )
    return ReadyBlock(block.name, steps, _prepare_end(block.terminator, layout), budget)


def _prepare_end(end: Terminator, layout: _Layout) -> Way | Fork | HandOver:
    match end:
        case Jump():
            return _way(end.to, layout)
        case Branch():
            return Fork(layout.slot_of(end.condition), _way(end.then, layout), _way(end.otherwise, layout))
        case Deliver():
            return HandOver(tuple(_emission(emission, layout) for emission in end.emissions), end.drop)
        case _:
            assert_never(end)


def _emission(emission: Exit | Edge, layout: _Layout) -> Leave | Way:
    if isinstance(emission, Exit):
        return Leave(emission.interface, layout.slot_of(emission.packet))
    return _way(emission, layout)


def _way(edge: Edge, layout: _Layout) -> Way:
    arguments = tuple(layout.slot_of(value) for value in edge.arguments)
    return Way(layout.numbers[edge.block], arguments, layout.parameters[edge.block])
