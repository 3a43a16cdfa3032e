"""Statements: each goes on from all open paths; drops and ends close them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never, get_args

from synth.diagnostics.spans import Span
from synth.graph import nodes
from synth.language import typed
from synth.language.typed import Block, Expr, Fallback, Statement
from synth.lower.context import BrokenTypedChain, Context
from synth.lower.delivery import deliver, emit_to, emit_to_others
from synth.lower.expressions import lower_condition, lower_row, lower_scalar, name_row
from synth.lower.fallible import attempt
from synth.lower.folding import resize
from synth.lower.paths import Arrival, Path, fork, join
from synth.lower.scalars import PACKET, Row, Scalar, Static

AMOUNT_WIDTH = 64
SKETCH_AMOUNT_WIDTH = 32


@dataclass(frozen=True, slots=True)
class Scope:
    """The block that is being lowered: where its `give` statements bring their values."""

    context: Context
    gifts: list[Arrival] = field(default_factory=list)


def lower_handler(context: Context, path: Path, body: Block, span: Span) -> None:
    """Lower a handler's body, and deliver at its end on every path that is still open."""
    for end in lower_block(Scope(context), [path], body):
        deliver(context, end, span)


def lower_block(scope: Scope, paths: Sequence[Path], block: Block) -> list[Path]:
    """Lower statements one after the other, on each path, and return the paths that are open at the end."""
    open_paths = list(paths)
    for statement in block:
        open_paths = [after for path in open_paths for after in _statement(scope, path, statement)]
    return open_paths


def _statement(scope: Scope, path: Path, statement: Statement) -> list[Path]:
    context = scope.context
    match statement:
        case typed.Let(name=name, value=value):
            return [_bind(after, name, row) for after, row in _value(context, path, value, name)]
        case typed.Perform(value=value):
            ends: list[Arrival] = [(end, ()) for end, _ in _attempts(context, path, value, is_value=False)]
            return [met for met, _ in join(ends, context.block("done"), statement.span)]
        case (
            typed.AssignField(value=value) | typed.AssignEntry(value=value) | typed.AssignVector(value=value)
        ):
            return [
                _assign(context, after, statement, row) for after, row in _value(context, path, value, "")
            ]
        case typed.If():
            return _if(scope, path, statement)
        case typed.Drop(reason=reason):
            deliver(context, path, statement.span, reason)
            return []
        case typed.Give(value=value):
            scope.gifts.append((path, lower_row(context, path, value)))
            return []
        case _:
            _simple(context, path, statement)
            return [path]


_Simple = typed.Touch | typed.Remove | typed.Count | typed.SketchAdd | typed.Emit


def _simple(context: Context, path: Path, statement: _Simple) -> None:
    """Lower a statement that neither branches nor ends the path."""
    span = statement.span
    match statement:
        case typed.Touch(entry=entry, table=table, timer=timer):
            value, name = lower_scalar(context, path, entry), context.object(table)
            path.append(nodes.Touch, (), span, table=name, entry=value, timer=timer)
        case typed.Remove(entry=entry, table=table):
            value, name = lower_scalar(context, path, entry), context.object(table)
            path.append(nodes.Remove, (), span, table=name, entry=value)
        case typed.Count(counter=counter, amount=amount):
            added = lower_scalar(context, path, amount)
            wide = resize(path, added, AMOUNT_WIDTH, span)
            path.append(nodes.Count, (), span, counter=context.object(counter), amount=wide)
        case typed.SketchAdd(sketch=sketch, key=key, amount=amount):
            row = lower_row(context, path, key)
            wide = resize(path, lower_scalar(context, path, amount), SKETCH_AMOUNT_WIDTH, span)
            name = context.object(sketch)
            path.append(nodes.SketchAdd, (), span, sketch=name, key=row, amount=wide)
        case typed.Emit(side=side, packet=packet):
            index = None if side is None else lower_scalar(context, path, side)
            emitted = lower_scalar(context, path, packet)
            if index is None:
                emit_to_others(context, path, emitted)
            else:
                emit_to(context, path, index, emitted)
        case _:
            assert_never(statement)


def _bind(path: Path, name: str, row: Row) -> Path:
    path.names[name] = row
    name_row(path, name, row)
    return path


def _assign(
    context: Context,
    path: Path,
    statement: typed.AssignField | typed.AssignEntry | typed.AssignVector,
    row: Row,
) -> Path:
    span = statement.span
    match statement:
        case typed.AssignField(packet=name, path=field_path):
            (value,) = row
            path.names[name] = path.append(
                nodes.Write,
                (PACKET,),
                span,
                name,
                packet=_packet(path, name),
                path=field_path,
                value=value,
            )
        case typed.AssignEntry(entry=entry, table=table, name=name):
            holder = lower_scalar(context, path, entry)
            for column, value in zip(context.columns[table, name], row, strict=True):
                where: dict[str, Any] = {"table": context.object(table), "entry": holder}
                path.append(nodes.EntryWrite, (), span, column=column.name, value=value, **where)
        case typed.AssignVector(vector=vector, index=index):
            at, name = lower_scalar(context, path, index), context.object(vector)
            path.append(nodes.VectorWrite, (), span, vector=name, index=at, values=row)
        case _:
            assert_never(statement)
    return path


def _packet(path: Path, name: str) -> Scalar:
    binding = path.names[name]
    if isinstance(binding, Static) or len(binding) != 1:
        raise BrokenTypedChain(f"`{name}` is no packet")
    return binding[0]


def _if(scope: Scope, path: Path, statement: typed.If) -> list[Path]:
    """Lower both ways, and let those meet that have emitted to the same sides."""
    context = scope.context
    yes, no = lower_condition(context, path, statement.condition, ("then", "else"))
    ends = [*lower_block(scope, yes, statement.then), *lower_block(scope, no, statement.otherwise)]
    arrivals: list[Arrival] = [(end, ()) for end in ends]
    return [met for met, _ in join(arrivals, context.block("after"), statement.span)]


def _value(context: Context, path: Path, value: Expr | Fallback, name: str) -> list[Arrival]:
    """Return a value that is wanted by a name (or by none), on each path that has it."""
    if not isinstance(value, Fallback):
        return [(path, lower_row(context, path, value))]
    arrivals = _attempts(context, path, value, is_value=True)
    for arrived, row in arrivals:
        name_row(arrived, name, row)
    word = f"with_{name}" if name else "with_value"
    return join(arrivals, context.block(word), value.span)


def _attempts(context: Context, path: Path, value: Fallback, *, is_value: bool) -> list[Arrival]:
    """Try the options in turn; then do what stands after the last `or`.

    A block there that ends without giving a value ends the handler; where no value is wanted
    (`is_value` false), the handler goes on after it.
    """
    arrivals: list[Arrival] = []
    empty: Path | None = path
    for option in value.options:
        if empty is None:
            break
        empty = _option(context, empty, option, arrivals)
    if empty is not None:
        arrivals += _otherwise(context, empty, value, is_value=is_value)
    return arrivals


def _option(context: Context, path: Path, option: Expr, arrivals: list[Arrival]) -> Path | None:
    """Lower one option; add where it gives a value to the arrivals, and return where it does not."""
    if not isinstance(option, get_args(typed.Fallible)):
        arrivals.append((path, lower_row(context, path, option)))
        return None
    tried = attempt(context, path, option)
    names = context.block(tried.words[0]), context.block(tried.words[1])
    present, empty = fork(path, tried.is_present, names, option.span)
    if present is not None:
        arrivals.append((present, tried.row(present)))
    return empty


def _otherwise(context: Context, path: Path, value: Fallback, *, is_value: bool) -> list[Arrival]:
    match value.otherwise:
        case None:
            raise BrokenTypedChain(f"{value.span}: nothing says what else")
        case typed.Drop(reason=reason):
            deliver(context, path, value.otherwise.span, reason)
            return []
        case body:
            inner = Scope(context)
            ends = lower_block(inner, [path], body)
            if not is_value:
                return [*inner.gifts, *((end, ()) for end in ends)]
            for end in ends:
                deliver(context, end, value.span)
            return inner.gifts
