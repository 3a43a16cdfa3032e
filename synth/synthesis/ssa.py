"""Bookkeeping for graphs in SSA form: substitution, new values, order of blocks, dominators.

*Fixed* blocks are those whose parameters are given from outside: where interfaces enter, and where
deliveries lead. They take one packet, and no value of another block is seen in them.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar, assert_never, get_args

from synth.graph.nodes import (
    Block,
    Branch,
    ChainGraph,
    Deliver,
    Edge,
    Exit,
    Jump,
    Op,
    Terminator,
    Type,
    Value,
)
from synth.graph.walk import definitions, edges, entries, uses

Substitution = Callable[[Value], Value]
AnyOp = TypeVar("AnyOp", bound=Op)


# ---------------------------------------------------------------- values


class Fresh:
    """Makes values and block names that a graph does not have yet."""

    def __init__(self, graph: ChainGraph) -> None:
        self._next = 1 + max((value.id for block in graph.blocks for value in definitions(block)), default=-1)
        self._names = {block.name for block in graph.blocks}

    def value(self, of: Type, hint: str = "") -> Value:
        """Return a new value."""
        self._next += 1
        return Value(self._next - 1, of, hint)

    def like(self, value: Value) -> Value:
        """Return a new value of the same type and hint."""
        return self.value(value.type, value.hint)

    def forget(self, name: str) -> None:
        """Make a block's name free again: it was not used."""
        self._names.discard(name)

    def block(self, origin: str) -> str:
        """Return a new name for a clone or a part of a block: `<name>~<n>`."""
        base, number = origin.split("~", maxsplit=1)[0], 1
        while f"{base}~{number}" in self._names:
            number += 1
        name = f"{base}~{number}"
        self._names.add(name)
        return name


_OPERAND_FIELDS = {
    of: tuple(field.name for field in fields(of) if field.name not in ("results", "span"))
    for of in get_args(Op)
}


def substitute(op: AnyOp, of: Substitution) -> AnyOp:
    """Return the operation with each operand replaced; the same object when none changes."""
    changes: dict[str, Any] = {}
    for name in _OPERAND_FIELDS[type(op)]:
        part = getattr(op, name)
        if isinstance(part, Value):
            if (new := of(part)) is not part:
                changes[name] = new
        elif isinstance(part, tuple):
            items = tuple(of(item) if isinstance(item, Value) else item for item in part)
            if items != part:
                changes[name] = items
    return replace(op, **changes) if changes else op


def substitute_edge(edge: Edge, of: Substitution) -> Edge:
    """Return the edge with its arguments replaced."""
    return Edge(edge.block, tuple(of(value) for value in edge.arguments)) if edge.arguments else edge


def substitute_terminator(terminator: Terminator, of: Substitution) -> Terminator:
    """Return the terminator with each value that it uses replaced."""
    mapped = map_edges(terminator, lambda edge: substitute_edge(edge, of))
    match mapped:
        case Jump():
            return mapped
        case Branch():
            return replace(mapped, condition=of(mapped.condition))
        case Deliver():
            emissions = tuple(
                replace(emission, packet=of(emission.packet)) if isinstance(emission, Exit) else emission
                for emission in mapped.emissions
            )
            return replace(mapped, emissions=emissions)
        case _:
            assert_never(mapped)


def map_edges(terminator: Terminator, change: Callable[[Edge], Edge]) -> Terminator:
    """Return the terminator with its edges changed, each by itself, in order."""
    match terminator:
        case Jump(to=to):
            return replace(terminator, to=change(to))
        case Branch(then=then, otherwise=otherwise):
            return replace(terminator, then=change(then), otherwise=change(otherwise))
        case Deliver(emissions=emissions):
            return replace(
                terminator,
                emissions=tuple(
                    change(emission) if isinstance(emission, Edge) else emission for emission in emissions
                ),
            )
        case _:
            assert_never(terminator)


def substitute_block(block: Block, of: Substitution) -> Block:
    """Return the block with all that it uses replaced; its parameters and results stay."""
    return replace(
        block,
        operations=tuple(substitute(op, of) for op in block.operations),
        terminator=substitute_terminator(block.terminator, of),
    )


def clone_operations(block: Block, fresh: Fresh, renamed: dict[Value, Value]) -> tuple[Op, ...]:
    """Return the block's operations with new results, and record these in `renamed`."""
    cloned: list[Op] = []
    for op in block.operations:
        moved = substitute(op, lambda value: renamed.get(value, value))
        results = tuple(fresh.like(result) for result in op.results)
        renamed.update(zip(op.results, results, strict=True))
        cloned.append(replace(moved, results=results))
    return tuple(cloned)


def producers_of(graph: ChainGraph) -> dict[Value, Op]:
    """Return the operation that defines each value which is no parameter."""
    return {result: op for block in graph.blocks for op in block.operations for result in op.results}


# ---------------------------------------------------------------- control flow


@dataclass(frozen=True, slots=True)
class Incoming:
    """A way into a block."""

    source: str
    edge: Edge
    is_delivery: bool


@dataclass(frozen=True, slots=True)
class Flow:
    """The control flow of a graph.

    Attributes:
        blocks: by name.
        order: reverse postorder from the interfaces through deliveries too; dominators come first.
        incoming: all ways into each block.
        parents: each block's immediate dominator within its part; None for those that have none.
        fixed: see the module.
        counted: blocks with a visit budget.
    """

    blocks: Mapping[str, Block]
    order: tuple[str, ...]
    incoming: Mapping[str, tuple[Incoming, ...]]
    parents: Mapping[str, str | None]
    fixed: frozenset[str]
    counted: frozenset[str]

    def dominators(self, name: str) -> Iterator[str]:
        """Yield a block and what dominates it, from the inside outwards."""
        at: str | None = name
        while at is not None:
            yield at
            at = self.parents[at]


def find_flow(graph: ChainGraph) -> Flow:
    """Analyse the control flow of a graph; blocks that cannot be reached are not in it."""
    blocks = {block.name: block for block in graph.blocks}
    order = _order(entries(graph), blocks)
    incoming: dict[str, list[Incoming]] = {name: [] for name in order}
    for name in order:
        terminator = blocks[name].terminator
        for edge in edges(terminator):
            incoming[edge.block].append(Incoming(name, edge, isinstance(terminator, Deliver)))
    delivered = (name for name, ways in incoming.items() if any(way.is_delivery for way in ways))
    fixed = frozenset((*entries(graph), *delivered))
    return Flow(
        blocks=blocks,
        order=order,
        incoming={name: tuple(ways) for name, ways in incoming.items()},
        parents=_find_parents(order, incoming, fixed),
        fixed=fixed,
        counted=frozenset(handler.block for handler in graph.handlers if handler.budget is not None),
    )


def _order(roots: Iterable[str], blocks: Mapping[str, Block]) -> tuple[str, ...]:
    seen: set[str] = set()
    finished: list[str] = []
    todo = [(root, False) for root in roots]
    while todo:
        name, is_done = todo.pop()
        if is_done:
            finished.append(name)
        elif name not in seen:
            seen.add(name)
            todo.append((name, True))
            todo.extend((edge.block, False) for edge in edges(blocks[name].terminator))
    return tuple(reversed(finished))


def _find_parents(
    order: Sequence[str], incoming: Mapping[str, Sequence[Incoming]], fixed: frozenset[str]
) -> dict[str, str | None]:
    """Return immediate dominators (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm, 2001)."""
    rank = {name: number for number, name in enumerate(order)}
    parents: dict[str, str | None] = dict.fromkeys(fixed)
    is_changing = True
    while is_changing:
        is_changing = False
        for name in order:
            if name in fixed:
                continue
            known = [way.source for way in incoming[name] if way.source in parents]
            found: str | None = known[0]
            for other in known[1:]:
                found = _common(found, other, parents, rank)
            if name not in parents or parents[name] != found:
                parents[name] = found
                is_changing = True
    return parents


def _common(
    one: str | None, other: str | None, parents: Mapping[str, str | None], rank: Mapping[str, int]
) -> str | None:
    while one != other:
        if one is None or other is None:
            return None
        if rank[one] > rank[other]:
            one = parents[one]
        else:
            other = parents[other]
    return one


def common_dominator(flow: Flow, names: Iterable[str]) -> str | None:
    """Return the innermost block that dominates all of them."""
    rank = {name: number for number, name in enumerate(flow.order)}
    found: str | None = None
    for number, name in enumerate(names):
        found = name if number == 0 else _common(found, name, flow.parents, rank)
    return found


def used_outside(flow: Flow) -> set[Value]:
    """Return the values that are used in another block than their own."""
    found: set[Value] = set()
    for name in flow.order:
        block = flow.blocks[name]
        found |= set(uses(block)) - set(definitions(block))
    return found


def rebuild(graph: ChainGraph, blocks: Iterable[Block]) -> ChainGraph:
    """Return the graph with those of these blocks that can be reached, in their order.

    Handlers that remain are those of fixed blocks and those with a budget; drop counters stay declared.
    """
    changed = replace(graph, blocks=tuple(blocks))
    flow = find_flow(changed)
    return replace(
        changed,
        blocks=tuple(flow.blocks[name] for name in flow.order),
        handlers=tuple(
            handler
            for handler in graph.handlers
            if handler.block in flow.parents and (handler.block in flow.fixed or handler.budget is not None)
        ),
    )
