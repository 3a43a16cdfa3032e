"""Questions about single nodes that every reader of graphs asks: what is used, where it leads."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, TypeVar, assert_never, cast

from synth.graph.nodes import (
    Binary,
    Block,
    Branch,
    BucketTake,
    ChainGraph,
    Constant,
    Count,
    Deliver,
    Edge,
    EntryRead,
    EntryWrite,
    Exit,
    Find,
    Handler,
    Has,
    Hash,
    IcmpError,
    Insert,
    Jump,
    Length,
    ListFind,
    ListRead,
    Op,
    Operation,
    Read,
    Remove,
    Resize,
    RingPick,
    RoutesLookup,
    RulesDecide,
    Select,
    SketchAdd,
    SketchEstimate,
    Terminator,
    Touch,
    Unary,
    Value,
    VectorRead,
    VectorWrite,
    Write,
)

Node = TypeVar("Node", bound=Operation | Terminator | Edge | Exit)

Successors = Mapping[str, tuple[str, ...]]
"""Where one can go from each name, in order."""


def operands(op: Op) -> tuple[Value, ...]:
    """Return the values that an operation uses, in the order of its fields."""
    match op:
        case Constant():
            return ()
        case Unary() | Resize():
            return (op.operand,)
        case Binary():
            return (op.left, op.right)
        case Select():
            return (op.condition, op.then, op.otherwise)
        case Hash():
            return op.operands
        case Has() | Read() | Length() | RulesDecide():
            return (op.packet,)
        case Write():
            return (op.packet, op.value)
        case IcmpError():
            return (op.packet, op.source, op.mtu)
        case Find() | SketchEstimate():
            return op.key
        case Insert():
            return op.key + tuple(scalar for scalar in op.unique if scalar is not None) + op.values
        case EntryRead() | Touch() | Remove():
            return (op.entry,)
        case EntryWrite():
            return (op.entry, op.value)
        case VectorRead() | ListRead():
            return (op.index,)
        case VectorWrite():
            return (op.index, *op.values)
        case Count():
            return (op.amount,)
        case BucketTake():
            return (op.amount,) if op.entry is None else (op.amount, op.entry)
        case SketchAdd():
            return (*op.key, op.amount)
        case RoutesLookup():
            return (op.address,)
        case ListFind():
            return (op.value,)
        case RingPick():
            return (op.hash,)
        case _:
            assert_never(op)


def edges(terminator: Terminator) -> tuple[Edge, ...]:
    """Return the edges to other blocks, in order. A delivery's edges lead into handlers."""
    match terminator:
        case Jump(to=to):
            return (to,)
        case Branch(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Deliver(emissions=emissions):
            return tuple(emission for emission in emissions if isinstance(emission, Edge))
        case _:
            assert_never(terminator)


def terminator_operands(terminator: Terminator) -> tuple[Value, ...]:
    """Return the values that a terminator uses, edge arguments included."""
    match terminator:
        case Jump(to=to):
            return to.arguments
        case Branch(condition=condition, then=then, otherwise=otherwise):
            return (condition, *then.arguments, *otherwise.arguments)
        case Deliver(emissions=emissions):
            return tuple(value for emission in emissions for value in _emitted(emission))
        case _:
            assert_never(terminator)


def _emitted(emission: Exit | Edge) -> tuple[Value, ...]:
    return (emission.packet,) if isinstance(emission, Exit) else emission.arguments


def definitions(block: Block) -> Iterator[Value]:
    """Yield the values that a block defines: its parameters, then its operations' results."""
    yield from block.parameters
    for op in block.operations:
        yield from op.results


def uses(block: Block) -> Iterator[Value]:
    """Yield the values that a block uses, in order."""
    for op in block.operations:
        yield from operands(op)
    yield from terminator_operands(block.terminator)


def entries(graph: ChainGraph) -> tuple[str, ...]:
    """Return the blocks that interfaces lead into, each once."""
    return tuple(
        dict.fromkeys(interface.entry for interface in graph.interfaces if interface.entry is not None)
    )


def closure(roots: Iterable[str], successors: Successors) -> frozenset[str]:
    """Return all names that can be reached from the roots, the roots included."""
    found: set[str] = set()
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(successors.get(name, ()))
    return frozenset(found)


def reachable(blocks: Iterable[Block], roots: Iterable[str]) -> frozenset[str]:
    """Return the names of the blocks that can be reached from the roots, through deliveries too."""
    return closure(
        roots, {block.name: tuple(edge.block for edge in edges(block.terminator)) for block in blocks}
    )


def drop_names(handlers: Iterable[Handler], blocks: Iterable[Block]) -> tuple[str, ...]:
    """Return all drop counters of a graph in order of first use: deliveries, and exhausted budgets."""
    loops = {handler.block: f"{handler.nf}.chain_loop" for handler in handlers if handler.budget is not None}
    names: dict[str, None] = {}
    for block in blocks:
        if block.name in loops:
            names.setdefault(loops[block.name])
        if isinstance(block.terminator, Deliver) and block.terminator.drop is not None:
            names.setdefault(block.terminator.drop)
    return tuple(names)


def map_values(node: Node, change: Callable[[Value], Value]) -> Node:
    """Return an operation, a terminator, or a part of one, with all its values changed."""
    return cast(Node, _map(node, change))


def _map(node: object, change: Callable[[Value], Value]) -> object:
    if isinstance(node, Value):
        return change(node)
    if isinstance(node, tuple):
        return tuple(_map(item, change) for item in node)
    if isinstance(node, Operation | Jump | Branch | Deliver | Edge | Exit):
        changed = {part.name: _map(getattr(node, part.name), change) for part in fields(node)}
        return replace(node, **cast(dict[str, Any], changed))
    return node
