"""Lower a whole chain."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from synth.graph import nodes
from synth.graph.cycles import handler_successors, on_cycles
from synth.graph.effects import effect
from synth.graph.nodes import Block, ChainGraph, Handler, StateObject
from synth.graph.walk import drop_names, reachable
from synth.language import typed
from synth.language.typed import Endpoint, Instance, TypedChain
from synth.lower.builder import Builder
from synth.lower.context import BrokenTypedChain, Context
from synth.lower.handlers import lower_side
from synth.lower.states import lower_states, table_columns, vector_sizes
from synth.lower.tidy import tidy


def lower(chain: TypedChain) -> ChainGraph:
    """Return the chain as a graph: one entry block for each side on which an NF receives packets.

    Each NF stands as written: it tests what a packet is by itself and hands over to the next. Sides that no
    packet can come to are left out, and so is state that no operation touches.
    """
    arrivals = _arrivals(chain)
    handlers = tuple(
        Handler(f"{instance.name}.{side}", instance.name, side)
        for instance in chain.instances
        for side in instance.sides
        if Endpoint(instance.name, side) in arrivals.values()
    )
    blocks = _lower_blocks(chain, arrivals, handlers)
    interfaces = tuple(_interface(interface, arrivals) for interface in chain.interfaces)
    entries = [interface.entry for interface in interfaces if interface.entry is not None]
    found = reachable(blocks, entries)
    blocks = tuple(block for block in blocks if block.name in found)
    handlers = _with_budgets(
        [handler for handler in handlers if handler.block in found], blocks, chain.budget
    )
    states = (state for instance in chain.instances for state in lower_states(instance))
    return ChainGraph(
        name=chain.name,
        interfaces=interfaces,
        states=_used(tuple(states), blocks),
        handlers=handlers,
        blocks=blocks,
        drops=drop_names(handlers, blocks),
        span=chain.span,
    )


def _arrivals(chain: TypedChain) -> dict[Endpoint, Endpoint]:
    """Return where what leaves at each endpoint arrives."""
    return {wire.source: wire.target for wire in chain.wires}


def _interface(interface: typed.Interface, arrivals: Mapping[Endpoint, Endpoint]) -> nodes.Interface:
    target = arrivals.get(Endpoint(interface.name))
    if target is not None and not target.side:
        raise BrokenTypedChain(f"{interface.span}: a wire from interface to interface")
    entry = None if target is None else f"{target.owner}.{target.side}"
    return nodes.Interface(interface.name, interface.mac, interface.addresses, entry)


def _lower_blocks(
    chain: TypedChain, arrivals: Mapping[Endpoint, Endpoint], handlers: Iterable[Handler]
) -> tuple[Block, ...]:
    """Return the blocks of all handlers, tidied."""
    builder = Builder()
    entries = [handler.block for handler in handlers]
    for instance in chain.instances:
        for side in instance.sides:
            if f"{instance.name}.{side}" in entries:
                lower_side(_context(builder, instance, side, arrivals))
    return tidy(builder.close(), entries, builder.wanted, builder.hint)


def _context(
    builder: Builder, instance: Instance, side: str, arrivals: Mapping[Endpoint, Endpoint]
) -> Context:
    ends = {name: Endpoint(instance.name, name) for name in instance.sides}
    return Context(
        builder=builder,
        instance=instance,
        parameters=dict(instance.arguments),
        outputs={name: arrivals[end] for name, end in ends.items() if end in arrivals},
        columns=table_columns(instance),
        sizes=vector_sizes(instance),
        side=side,
    )


def _with_budgets(
    handlers: Sequence[Handler], blocks: Sequence[Block], budget: int | None
) -> tuple[Handler, ...]:
    """Return the handlers with the chain's budget for those to which a packet may come back."""
    cyclic = on_cycles(handler_successors(handlers, blocks))
    return tuple(
        replace(handler, budget=budget) if handler.block in cyclic else handler for handler in handlers
    )


def _used(states: Sequence[StateObject], blocks: Sequence[Block]) -> tuple[StateObject, ...]:
    """Return the states that some operation touches, directly or through a ring; and all counters."""
    touched = {
        found.object for block in blocks for op in block.operations if (found := effect(op)) is not None
    }
    rings = [state for state in states if isinstance(state, nodes.Ring) and state.name in touched]
    touched |= {ring.list for ring in rings}
    return tuple(state for state in states if isinstance(state, nodes.Counter) or state.name in touched)
