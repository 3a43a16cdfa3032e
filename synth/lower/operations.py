"""Expressions that become one operation of the graph each, on the path's block."""

from typing import Any, assert_never

from synth.graph import nodes
from synth.language import typed, types
from synth.language.typed import Expr
from synth.lower import expressions
from synth.lower.context import Context
from synth.lower.folding import resize
from synth.lower.packets import flow_of, read_field
from synth.lower.paths import Path
from synth.lower.patterns import lower_pattern
from synth.lower.scalars import BOOL, PACKET, Known, Row, Scalar, graph_type

U16 = nodes.Bits(16)
U32 = nodes.Bits(32)
AMOUNT_WIDTH = 64

OfPacket = typed.FieldRead | typed.PacketLength | typed.IsKind | typed.FlowOf | typed.IcmpError
OfState = (
    typed.EntryRead | typed.VectorRead | typed.BucketTake | typed.EntryBucketTake
    | typed.SketchEstimate | typed.RingPick
)  # fmt: skip


def row_types(of: types.Type) -> tuple[nodes.Type, ...]:
    """Return the graph's types of a value's scalars."""
    if isinstance(of, types.Packet):
        return (PACKET,)
    return tuple(graph_type(scalar) for scalar in types.scalars(of))


def lower_of_packet(context: Context, path: Path, expr: OfPacket) -> Row:
    """Return what a packet is or holds."""
    packet, span = expressions.lower_scalar(context, path, expr.packet), expr.span
    match expr:
        case typed.FieldRead(path=field):
            return (read_field(path, packet, field, span),)
        case typed.PacketLength():
            return path.append(nodes.Length, (U32,), span, "length", packet=packet)
        case typed.IsKind(pattern=pattern):
            return (lower_pattern(path, packet, pattern, span),)
        case typed.FlowOf():
            return flow_of(context, path, expr.packet.type, packet, span)
        case typed.IcmpError(error=error):
            source = expressions.lower_scalar(context, path, expr.source)
            mtu = Known(U16, 0) if expr.mtu is None else expressions.lower_scalar(context, path, expr.mtu)
            made = {"packet": packet, "error": error, "source": source, "mtu": mtu}
            return path.append(nodes.IcmpError, (PACKET,), span, error, **made)
        case _:
            assert_never(expr)


def lower_of_state(context: Context, path: Path, expr: OfState) -> Row:
    """Return what a state object gives."""
    span = expr.span
    match expr:
        case typed.EntryRead():
            return read_entry(context, path, expr, slice(None))
        case typed.VectorRead(vector=vector, index=index):
            at = expressions.lower_scalar(context, path, index)
            name, results = context.object(vector), row_types(expr.type)
            return path.append(nodes.VectorRead, results, span, vector, vector=name, index=at)
        case typed.BucketTake(bucket=bucket, amount=amount):
            wanted, name = _amount(context, path, amount), context.object(bucket)
            return path.append(nodes.BucketTake, (BOOL,), span, bucket=name, amount=wanted)
        case typed.EntryBucketTake():
            return _take_of_entry(context, path, expr)
        case typed.SketchEstimate(sketch=sketch, key=key):
            row, name = expressions.lower_row(context, path, key), context.object(sketch)
            return path.append(nodes.SketchEstimate, (U32,), span, sketch=name, key=row)
        case typed.RingPick(ring=ring, hash=hashed):
            by, name = expressions.lower_scalar(context, path, hashed), context.object(ring)
            return path.append(nodes.RingPick, row_types(expr.type), span, ring=name, hash=by)
        case _:
            assert_never(expr)


def _amount(context: Context, path: Path, expr: Expr) -> Scalar:
    return resize(path, expressions.lower_scalar(context, path, expr), AMOUNT_WIDTH, expr.span)


def _take_of_entry(context: Context, path: Path, expr: typed.EntryBucketTake) -> Row:
    where: dict[str, Any] = {
        "table": context.object(expr.table),
        "entry": expressions.lower_scalar(context, path, expr.entry),
        "bucket": context.columns[expr.table, expr.name][0].name,
    }
    return path.append(
        nodes.BucketTake, (BOOL,), expr.span, amount=_amount(context, path, expr.amount), **where
    )


def read_entry(context: Context, path: Path, expr: typed.EntryRead, part: slice) -> Row:
    """Return scalars of one of an entry's members."""
    entry = expressions.lower_scalar(context, path, expr.entry)
    row: Row = ()
    for column in context.columns[expr.table, expr.name][part]:
        result = BOOL if column.is_bool else nodes.Bits(column.width)
        where: dict[str, Any] = {"table": context.object(expr.table), "column": column.name}
        row += path.append(nodes.EntryRead, (result,), expr.span, column.name, entry=entry, **where)
    return row
