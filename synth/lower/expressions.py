"""Expressions: each becomes a row of scalars on one path, whatever branches it takes."""

from collections.abc import Sequence
from typing import assert_never

from synth.graph import nodes
from synth.language import typed, types
from synth.language.typed import Expr
from synth.language.values import ListValue, RangeValue
from synth.language.values import Value as StaticData
from synth.lower.arithmetic import convert, lower_operation
from synth.lower.context import BrokenTypedChain, Context
from synth.lower.folding import binary, is_in_range, unary
from synth.lower.operations import lower_of_packet, lower_of_state, read_entry
from synth.lower.paths import Arrival, Path, fork, join, join_one
from synth.lower.scalars import FALSE, TRUE, Binding, Known, Row, Scalar, Static, bind, known_row, width_of

Leaf = (
    typed.Constant | typed.Parameter | typed.Local | typed.SideName | typed.ArrivalSide
    | typed.StaticSize | typed.RangeBound
)  # fmt: skip
Computation = typed.Binary | typed.Unary | typed.Convert | typed.Contains | typed.HashOf


def lower_row(context: Context, path: Path, expr: Expr) -> Row:
    """Return an expression's scalars; the path goes on where the expression ends."""
    binding = lower_binding(context, path, expr)
    if isinstance(binding, Static):
        raise BrokenTypedChain(f"{expr.span}: {expr.type} is no run-time value")
    return binding


def lower_scalar(context: Context, path: Path, expr: Expr) -> Scalar:
    """Return the one scalar (packet, entry) of an expression."""
    (scalar,) = lower_row(context, path, expr)
    return scalar


def lower_binding(context: Context, path: Path, expr: Expr) -> Binding:
    """Return what an expression stands for: scalars, or data."""
    if isinstance(expr, Leaf):
        return _leaf(context, path, expr)
    if isinstance(expr, Computation):
        return (_compute(context, path, expr),)
    match expr:
        case typed.Logic() | typed.Conditional():
            return _branching(context, path, expr)
        case typed.Build(members=members):
            return tuple(scalar for member in members for scalar in lower_row(context, path, member))
        case typed.Member():
            return _member(context, path, expr)
        case typed.Reverse(operand=operand):
            src, dst, sport, dport, protocol = lower_row(context, path, operand)
            return (dst, src, dport, sport, protocol)
        case typed.Call():
            return _call(context, path, expr)
        case typed.FieldRead() | typed.PacketLength() | typed.IsKind() | typed.FlowOf() | typed.IcmpError():
            return lower_of_packet(context, path, expr)
        case typed.Choose() | typed.Find() | typed.Insert() | typed.Decide() | typed.Lookup():
            raise BrokenTypedChain(f"{expr.span}: {type(expr).__name__} where nothing says what else")
        case typed.ListAt() | typed.ListFind() | typed.VectorAt():
            raise BrokenTypedChain(f"{expr.span}: {type(expr).__name__} where nothing says what else")
        case _:
            return lower_of_state(context, path, expr)


def _leaf(context: Context, path: Path, expr: Leaf) -> Binding:
    match expr:
        case typed.Constant(value=value):
            return bind(expr.type, value)
        case typed.Parameter(name=name):
            return bind(expr.type, context.parameters[name])
        case typed.Local(name=name):
            return path.names[name]
        case typed.SideName(side=side):
            return known_row(expr.type, (context.instance.sides.index(side),))
        case typed.ArrivalSide():
            return known_row(expr.type, (context.instance.sides.index(context.side),))
        case typed.StaticSize() | typed.RangeBound():
            return known_row(expr.type, (_static_number(context.parameters[expr.parameter], expr),))
        case _:
            assert_never(expr)


def _static_number(value: StaticData, expr: typed.StaticSize | typed.RangeBound) -> int:
    match expr, value:
        case typed.StaticSize(), RangeValue():
            return value.size
        case typed.StaticSize(), ListValue(rows):
            return len(rows)
        case typed.RangeBound(bound=bound), RangeValue():
            return value.low if bound == "low" else value.high
        case _:
            raise BrokenTypedChain(f"{expr.span}: {value} has no such number")


def _compute(context: Context, path: Path, expr: Computation) -> Scalar:
    span = expr.span
    match expr:
        case typed.Binary(left=left, right=right):
            rows = lower_row(context, path, left), lower_row(context, path, right)
            return lower_operation(context, path, expr, *rows)
        case typed.Unary(op=op, operand=operand):
            inner = lower_scalar(context, path, operand)
            return unary(path, "not" if op == "!" else "complement", inner, span)
        case typed.Convert(operand=operand):
            (to,) = types.scalars(expr.type)
            return convert(context, path, lower_scalar(context, path, operand), to.width, span)
        case typed.Contains():
            return _contains(context, path, expr)
        case typed.HashOf(operand=operand):
            row = lower_row(context, path, operand)
            (value,) = path.append(nodes.Hash, (nodes.Bits(32),), span, "hash", operands=row)
            return value
        case _:
            assert_never(expr)


def _contains(context: Context, path: Path, expr: typed.Contains) -> Scalar:
    span = expr.span
    item = lower_scalar(context, path, expr.item)
    container = lower_binding(context, path, expr.container)
    if not isinstance(container, Static):
        raise BrokenTypedChain(f"{span}: a container that is not known when the chain is built")
    if isinstance(container.value, RangeValue):
        return is_in_range(path, item, container.value.low, container.value.high, span)
    prefix = container.prefix()
    if prefix.length == 0:
        return TRUE
    of = nodes.Bits(width_of(item.type))
    is_host = prefix.length == of.width
    network = item if is_host else binary(path, "and", item, Known(of, prefix.mask), span)
    return binary(path, "eq", network, Known(of, prefix.address), span)


def _member(context: Context, path: Path, expr: typed.Member) -> Row:
    """Return a member's scalars. Of an entry, only those columns are read that the member has."""
    start, size = 0, len(types.scalars(expr.type))
    base: Expr = expr
    while isinstance(base, typed.Member):
        start += _offset(base.operand.type, base.index)
        base = base.operand
    part = slice(start, start + size)
    if isinstance(base, typed.EntryRead):
        return read_entry(context, path, base, part)
    return lower_row(context, path, base)[part]


def _offset(of: types.Type, index: int) -> int:
    """Return how many scalars stand before a member."""
    match of:
        case types.Record(_, members):
            parts: Sequence[types.Type] = [part for _, part in members]
        case types.Tuple(items):
            parts = items
        case _:
            raise BrokenTypedChain(f"{of} has no members")
    return sum(len(types.scalars(part)) for part in parts[:index])


def _call(context: Context, path: Path, expr: typed.Call) -> Row:
    """Lower a function's body in place. What the caller's names stand for is the same afterwards."""
    arguments = [lower_binding(context, path, argument) for argument in expr.arguments]
    outside = path.names
    path.names = {name: value for (name, _), value in zip(expr.function.parameters, arguments, strict=True)}
    for let in expr.function.lets:
        if isinstance(let.value, typed.Fallback):
            raise BrokenTypedChain(f"{let.span}: a function is pure")
        path.names[let.name] = lower_binding(context, path, let.value)
        name_row(path, let.name, path.names[let.name])
    row = lower_row(context, path, expr.function.value)
    path.names = outside
    return row


def name_row(path: Path, name: str, binding: Binding) -> None:
    """Name the scalars of a value after the name that the source gives it."""
    if isinstance(binding, Static) or not name:
        return
    is_single = len(binding) == 1
    path.builder.name(binding, [name if is_single else f"{name}_{at}" for at in range(len(binding))])


def _branching(context: Context, path: Path, expr: typed.Logic | typed.Conditional) -> Row:
    """Lower what takes one of two ways, and let the ways meet."""
    match expr:
        case typed.Conditional(condition=condition, then=then, otherwise=otherwise):
            yes, no = lower_condition(context, path, condition, ("then", "else"))
            arrivals = [*_arrive(context, yes, then), *_arrive(context, no, otherwise)]
        case typed.Logic(op="&&", left=left, right=right):
            yes, no = lower_condition(context, path, left, ("and", "false"))
            arrivals = [*_arrive(context, yes, right), *((way, (FALSE,)) for way in no)]
        case typed.Logic(left=left, right=right):
            yes, no = lower_condition(context, path, left, ("true", "or"))
            arrivals = [*((way, (TRUE,)) for way in yes), *_arrive(context, no, right)]
        case _:
            assert_never(expr)
    met, row = join_one(arrivals, context.block("value"), expr.span)
    path.become(met)
    return row


def _arrive(context: Context, ways: Sequence[Path], expr: Expr) -> list[Arrival]:
    return [(way, lower_row(context, way, expr)) for way in ways]


def lower_condition(
    context: Context, path: Path, expr: Expr, names: tuple[str, str]
) -> tuple[list[Path], list[Path]]:
    """Part a path by a condition: the ways on which it holds, and those on which it does not.

    `&&`, `||` and `!` become branches, so that what a test has shown holds where the packet is read.
    Each list has one way or, where constants decide, none.
    """
    match expr:
        case typed.Unary(op="!", operand=operand):
            no, yes = lower_condition(context, path, operand, (names[1], names[0]))
            return yes, no
        case typed.Logic():
            return _logic(context, path, expr, names)
        case _:
            condition = lower_scalar(context, path, expr)
            labels = (context.block(names[0]), context.block(names[1]))
            ways = fork(path, condition, labels, expr.span)
            yes, no = ([] if way is None else [way] for way in ways)
            return yes, no


def _logic(
    context: Context, path: Path, expr: typed.Logic, names: tuple[str, str]
) -> tuple[list[Path], list[Path]]:
    is_and = expr.op == "&&"
    yes, no = lower_condition(context, path, expr.left, ("and", names[1]) if is_and else (names[0], "or"))
    for way in yes if is_and else no:
        then, otherwise = lower_condition(context, way, expr.right, names)
        yes = then if is_and else yes + then
        no = no + otherwise if is_and else otherwise
    return _meet(context, yes, names[0], expr), _meet(context, no, names[1], expr)


def _meet(context: Context, ways: list[Path], name: str, expr: Expr) -> list[Path]:
    arrivals: list[Arrival] = [(way, ()) for way in ways]
    return [path for path, _ in join(arrivals, context.block(name), expr.span)]
