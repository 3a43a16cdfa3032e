"""Operations that may come out empty, and what `or` says then."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from synth.graph import nodes
from synth.language import typed, types
from synth.lower.context import BrokenTypedChain, Context
from synth.lower.expressions import lower_binding, lower_row, lower_scalar
from synth.lower.folding import binary
from synth.lower.operations import row_types
from synth.lower.paths import Path
from synth.lower.scalars import BOOL, TRUE, Known, Row, Scalar, Static, width_of


@dataclass(frozen=True, slots=True)
class Attempt:
    """A fallible operation that was done.

    Attributes:
        is_present: whether it gave something.
        row: makes what it gave, on a path where it did.
        words: names of the blocks that follow when it did and when it did not.
    """

    is_present: Scalar
    row: Callable[[Path], Row]
    words: tuple[str, str]


def attempt(context: Context, path: Path, expr: typed.Fallible) -> Attempt:
    """Lower a fallible operation on a path."""
    match expr:
        case typed.Find():
            return _find(context, path, expr)
        case typed.Insert():
            return _insert(context, path, expr)
        case typed.Decide():
            return _decide(context, path, expr)
        case typed.Lookup():
            return _lookup(context, path, expr)
        case typed.ListAt():
            return _list_at(context, path, expr)
        case typed.ListFind():
            return _find_in_list(context, path, expr)
        case typed.VectorAt():
            return _vector_at(context, path, expr)
        case _:
            assert_never(expr)


def _given(is_present: Scalar, row: Row, words: tuple[str, str]) -> Attempt:
    return Attempt(is_present, lambda _: row, words)


def _find(context: Context, path: Path, expr: typed.Find) -> Attempt:
    key = lower_row(context, path, expr.key)
    table = context.object(expr.table)
    index = "unique" if expr.is_unique else "key"
    found, entry = path.append(
        nodes.Find, (BOOL, nodes.Entry(table)), expr.span, table=table, index=index, key=key
    )
    context.builder.name((found,), ("found",))
    return _given(found, (entry,), ("found", "missing"))


def _insert(context: Context, path: Path, expr: typed.Insert) -> Attempt:
    key = lower_row(context, path, expr.key)
    unique, choose = _unique(context, path, expr.unique)
    values = tuple(scalar for value in expr.values for scalar in lower_row(context, path, value))
    table = context.object(expr.table)
    done, entry = path.append(
        nodes.Insert,
        (BOOL, nodes.Entry(table)),
        expr.span,
        table=table,
        key=key,
        unique=unique,
        values=values,
        choose=choose,
    )
    context.builder.name((done,), ("inserted",))
    return _given(done, (entry,), ("inserted", "refused"))


Open = tuple[Scalar | None, ...]
Choice = tuple[int, int, int]


def _unique(context: Context, path: Path, expr: typed.Expr | None) -> tuple[Open, Choice | None]:
    """Return the scalars of a unique key, None where one is chosen, and from what it is chosen."""
    match expr:
        case None:
            return (), None
        case typed.Choose(range=container):
            bounds = lower_binding(context, path, container)
            if not isinstance(bounds, Static):
                raise BrokenTypedChain(f"{expr.span}: a choice from no static range")
            return (None,), (0, bounds.range().low, bounds.range().high)
        case typed.Build(members=members):
            row: Open = ()
            choice: Choice | None = None
            for member in members:
                scalars, inner = _unique(context, path, member)
                if inner is not None:
                    choice = (len(row) + inner[0], *inner[1:])
                row += scalars
            return row, choice
        case _:
            return lower_row(context, path, expr), None


def _decide(context: Context, path: Path, expr: typed.Decide) -> Attempt:
    packet = lower_scalar(context, path, expr.packet)
    results = (BOOL, BOOL, nodes.Bits(32))
    rules = context.object(expr.rules)
    row = path.append(nodes.RulesDecide, results, expr.span, rules=rules, packet=packet)
    context.builder.name(row, ("matched", "permits", "rule"))
    return _given(row[0], (row[1],), ("matched", "unmatched"))


def _lookup(context: Context, path: Path, expr: typed.Lookup) -> Attempt:
    address = lower_scalar(context, path, expr.address)
    results = (BOOL, *row_types(expr.type))
    routes = context.object(expr.routes)
    row = path.append(nodes.RoutesLookup, results, expr.span, routes=routes, address=address)
    return _row(context, expr, row, ("routed", "unrouted"))


def _list_at(context: Context, path: Path, expr: typed.ListAt) -> Attempt:
    index = lower_scalar(context, path, expr.index)
    results = (BOOL, *row_types(expr.type))
    name = context.object(expr.list)
    row = path.append(nodes.ListRead, results, expr.span, list=name, index=index)
    return _row(context, expr, row, ("in_list", "past_list"))


def _find_in_list(context: Context, path: Path, expr: typed.ListFind) -> Attempt:
    value = lower_scalar(context, path, expr.value)
    results = (BOOL, *row_types(expr.type))
    assert isinstance(expr.type, types.Record)
    column = sum(len(types.scalars(of)) for _, of in expr.type.members[: expr.member])
    name = context.object(expr.list)
    row = path.append(nodes.ListFind, results, expr.span, list=name, column=column, value=value)
    return _row(context, expr, row, ("in_list", "not_in_list"))


def _row(context: Context, expr: typed.Expr, row: Row, words: tuple[str, str]) -> Attempt:
    members = expr.type.members if isinstance(expr.type, types.Record) else ()
    if len(members) == len(row) - 1:
        context.builder.name(row, (words[0], *(name for name, _ in members)))
    return _given(row[0], row[1:], words)


def _vector_at(context: Context, path: Path, expr: typed.VectorAt) -> Attempt:
    """Lower a cell's reading: a comparison first, for the operation itself wants an index in range."""
    index = lower_scalar(context, path, expr.index)
    size = context.sizes[expr.vector]
    is_inside: Scalar = TRUE
    if size <= context.builder.most(index):
        limit = Known(nodes.Bits(width_of(index.type)), size)
        is_inside = binary(path, "lt", index, limit, expr.span)

    def read(inside: Path) -> Row:
        vector = context.object(expr.vector)
        results = row_types(expr.type)
        return inside.append(nodes.VectorRead, results, expr.span, expr.vector, vector=vector, index=index)

    return Attempt(is_inside, read, ("in_vector", "past_vector"))
