"""What stands behind a dot or in brackets: fields, members, entries' values, sizes and cells."""

from typing import Literal

from synth.language import syntax, typed
from synth.language.checker import expressions
from synth.language.checker.header_fields import fields_of, header_names, resolve_field
from synth.language.checker.indices import prove_index
from synth.language.checker.names import STATE_WORDS, report_unknown_member, resolve_packet
from synth.language.checker.scope import LocalName, Scope, StateName
from synth.language.checker.tables import columns, find_table
from synth.language.checker.words import backticks, quote, show, spell
from synth.language.errors.packets import HeaderIsNoValue
from synth.language.errors.states import UnfitValue
from synth.language.errors.types import (
    NotAllowedHere,
    NotAValue,
    NotIndexable,
    NotStatic,
    TypeMismatch,
    UnknownWidth,
)
from synth.language.types import (
    Entry,
    List,
    Packet,
    Range,
    Record,
    Side,
    Tuple,
    Type,
    UInt,
)


def infer_member(scope: Scope, written: syntax.Member, want: Type | None) -> typed.Expr | None:
    """Return what `operand.member` stands for."""
    packet = _packet_name(scope, written)
    if packet is not None:
        return _infer_packet_member(scope, written, packet)
    operand = expressions.infer(scope, written.operand)
    if operand is None:
        return None
    match operand.type:
        case Record(name, members):
            names = tuple(member for member, _ in members)
            if written.member.text not in names:
                report_unknown_member(scope, written.member, f"record `{name}`", "member", names)
                return None
            index = names.index(written.member.text)
            return typed.Member(type=members[index][1], operand=operand, index=index, span=written.span)
        case Tuple(items):
            return _infer_position(scope, written, operand, items)
        case Entry(table):
            return _infer_entry(scope, written, operand, table)
        case Range() | List():
            return _infer_static(scope, written, operand, want)
        case _:
            scope.report(
                TypeMismatch(
                    span=written.operand.span,
                    expected=f"something with a member `{written.member.text}`",
                    found=quote(operand.type),
                )
            )
            return None


def _infer_position(
    scope: Scope, written: syntax.Member, operand: typed.Expr, items: tuple[Type, ...]
) -> typed.Expr | None:
    known = tuple(str(position) for position in range(len(items)))
    if written.member.text not in known:
        report_unknown_member(scope, written.member, quote(operand.type), "part", known)
        return None
    index = int(written.member.text)
    return typed.Member(type=items[index], operand=operand, index=index, span=written.span)


def _infer_static(
    scope: Scope, written: syntax.Member, operand: typed.Expr, want: Type | None
) -> typed.Expr | None:
    known = ("size",) if isinstance(operand.type, List) else ("low", "high", "size")
    member = written.member.text
    if member not in known:
        report_unknown_member(scope, written.member, quote(operand.type), "member", known)
        return None
    if not isinstance(operand, typed.Parameter):
        scope.report(
            TypeMismatch(
                span=written.operand.span, expected="the name of a parameter", found=quote(operand.type)
            )
        )
        return None
    if isinstance(operand.type, Range) and member != "size":
        bound: Literal["low", "high"] = "low" if member == "low" else "high"
        return typed.RangeBound(
            type=operand.type.element, parameter=operand.name, bound=bound, span=written.span
        )
    if want is None:
        scope.report(UnknownWidth(span=written.span, text=spell(written)))
        return None
    of = want if isinstance(want, UInt) else UInt(64)
    return typed.StaticSize(type=of, parameter=operand.name, span=written.span)


# ---------------------------------------------------------------- packets


def _packet_name(scope: Scope, written: syntax.Member) -> syntax.Reference | None:
    """Return the packet that `pkt.x` or `pkt.x.y` begins with, if it does."""
    base = written.operand
    if isinstance(base, syntax.Member):
        base = base.operand
    if not isinstance(base, syntax.Reference):
        return None
    known = scope.find(base.name.text)
    is_packet = isinstance(known, LocalName) and isinstance(known.type, Packet)
    return base if is_packet else None


def _infer_packet_member(
    scope: Scope, written: syntax.Member, reference: syntax.Reference
) -> typed.Expr | None:
    if isinstance(written.operand, syntax.Member):
        field = resolve_field(scope, written, reference)
        if field is None:
            return None
        of, path, packet = field
        return typed.FieldRead(type=of, packet=packet, path=path, span=written.span)
    packet_value = resolve_packet(scope, reference)
    if packet_value is None:
        return None
    if written.member.text == "length":
        return typed.PacketLength(type=UInt(32), packet=packet_value, span=written.span)
    if written.member.text == "side":
        return _infer_arrival(scope, written)
    fields = fields_of(written.member.text)
    if fields:
        scope.report(HeaderIsNoValue(span=written.span, fields=backticks(fields)))
    else:
        report_unknown_member(scope, written.member, "a packet", "header", header_names())
    return None


def _infer_arrival(scope: Scope, written: syntax.Member) -> typed.Expr | None:
    """Return `pkt.side`. A function may be used by many NFs, each with sides of its own."""
    if scope.place != "a handler":
        scope.report(
            NotAllowedHere(
                span=written.span, what=f"`{spell(written)}`", place=scope.place, expected="it in a handler",
            )
        )  # fmt: skip
        return None
    return typed.ArrivalSide(type=Side(), span=written.span)


# ---------------------------------------------------------------- entries


def _infer_entry(
    scope: Scope, written: syntax.Member, entry: typed.Expr, table_name: str
) -> typed.Expr | None:
    table = find_table(scope, table_name)
    if table is None:
        return None
    known = columns(table)
    name = written.member.text
    if name not in known:
        timers = tuple(timer for timer, _ in table.timers)
        if name in timers:
            scope.report(
                NotAValue(
                    span=written.span, found=f"timer `{name}`", use="read", expected="a key or a value",
                    advice=f"start it anew with `touch {spell(written)}`",
                )
            )  # fmt: skip
            return None
        report_unknown_member(scope, written.member, f"an entry of `{table_name}`", "member", tuple(known))
        return None
    of = known[name]
    if isinstance(of, typed.Bucket):
        scope.report(UnfitValue(span=written.span, name=spell(written)))
        return None
    return typed.EntryRead(type=of, entry=entry, table=table_name, name=name, span=written.span)


# ---------------------------------------------------------------- cells


def infer_index(scope: Scope, written: syntax.Index) -> typed.Expr | None:
    """Return the cell that `vector[index]` reads."""
    found = resolve_cell(scope, written)
    if found is None:
        return None
    vector, index = found
    return typed.VectorRead(type=vector.element, vector=vector.name, index=index, span=written.span)


def resolve_cell(scope: Scope, written: syntax.Index) -> tuple[typed.VectorState, typed.Expr] | None:
    """Return vector and index of `vector[index]`; the index must surely be in range."""
    operand = written.operand
    known = scope.find(operand.name.text) if isinstance(operand, syntax.Reference) else None
    if not isinstance(known, StateName) or (
        known.state is not None and not isinstance(known.state, typed.VectorState)
    ):
        _report_index(scope, written, known)
        return None
    if scope.place == "a static expression":
        scope.report(NotStatic(span=written.span, what=scope.what))
        return None
    index = expressions.infer(scope, written.index, UInt(64))
    if index is None or not isinstance(known.state, typed.VectorState):
        return None
    if not isinstance(index.type, UInt):
        scope.report(TypeMismatch(span=written.index.span, expected="an integer", found=quote(index.type)))
        return None
    return (known.state, index) if prove_index(scope, written, known.state, index) else None


def _report_index(scope: Scope, written: syntax.Index, known: object) -> None:
    if isinstance(known, StateName) and known.state is not None:
        advice = "a table has `.find(...)`" if isinstance(known.state, typed.TableState) else ""
        what = f"`{spell(written.operand)}`, {STATE_WORDS[type(known.state)]},"
        scope.report(NotIndexable(span=written.operand.span, what=what, advice=advice))
        return
    operand = expressions.infer(scope, written.operand, UInt(64))
    if operand is not None:
        advice = ""
        if isinstance(operand.type, List):
            advice = f"a list has `{spell(written.operand)}.at(index)`"
        if isinstance(operand.type, Tuple):
            advice = f"a part of a tuple is `{spell(written.operand)}.0`"
        scope.report(NotIndexable(span=written.operand.span, what=f"`{show(operand.type)}`", advice=advice))
