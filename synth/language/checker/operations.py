"""Operations on state objects and on table data: `table.find(...)`, `rules.decide(pkt)` and so on."""

from collections.abc import Mapping

from synth.language import syntax, typed
from synth.language.checker import expressions
from synth.language.checker.given import take_named, take_positional
from synth.language.checker.header_fields import require_header
from synth.language.checker.names import STATE_WORDS, report_unknown, report_unknown_member, resolve_packet
from synth.language.checker.scope import ParameterName, Scope, StateName
from synth.language.checker.tables import columns, find_table
from synth.language.checker.words import quote, spell
from synth.language.errors.states import ChooseTwice
from synth.language.errors.types import NotCallable, NotStatic, TypeMismatch, WrongArgumentCount
from synth.language.types import (
    Bool,
    Entry,
    Ipv4,
    List,
    Record,
    Routes,
    Rules,
    Size,
    Type,
    UInt,
    scalars,
)

_OPERATIONS: dict[type, tuple[str, ...]] = {
    typed.TableState: ("find", "insert"), typed.VectorState: ("at",), typed.CounterState: (),
    typed.BucketState: ("take",), typed.SketchState: ("add", "estimate"), typed.RingState: ("pick",),
    Rules: ("decide",), Routes: ("lookup",), List: ("at", "find"),
}  # fmt: skip


def infer_operation(scope: Scope, written: syntax.Call, function: syntax.Member) -> typed.Expr | None:
    """Return what an operation gives; it may be absent."""
    operand = function.operand
    known = scope.find(operand.name.text) if isinstance(operand, syntax.Reference) else None
    match known:
        case StateName(state=None) | ParameterName(type=None):
            return None
        case StateName(state=state) if state is not None:
            if scope.place == "a static expression":
                scope.report(NotStatic(span=written.span, what=scope.what))
                return None
            return _on_state(scope, written, function.member, state)
        case ParameterName(type=(Rules() | Routes() | List()) as of):
            assert isinstance(operand, syntax.Reference)
            return _on_data(scope, written, function.member, operand.name.text, of)
        case None if isinstance(operand, syntax.Reference):
            report_unknown(scope, operand.name, "name")
            return None
        case _:
            return _on_value(scope, written, function)


def _on_state(
    scope: Scope, written: syntax.Call, member: syntax.Name, state: typed.State
) -> typed.Expr | None:
    match state, member.text:
        case typed.TableState(), "find":
            return _find(scope, written, state)
        case typed.TableState(), "insert":
            return _insert(scope, written, state)
        case typed.VectorState(), "at":
            index = _sole(scope, written, "index", UInt(64), is_any_width=True)
            if index is None:
                return None
            return typed.VectorAt(type=state.element, vector=state.name, index=index, span=written.span)
        case typed.BucketState(), "take":
            amount = _take_amount(scope, written)
            if amount is None:
                return None
            return typed.BucketTake(type=Bool(), bucket=state.name, amount=amount, span=written.span)
        case typed.SketchState(), "estimate":
            key = _sole(scope, written, "key", state.key)
            if key is None:
                return None
            return typed.SketchEstimate(type=UInt(32), sketch=state.name, key=key, span=written.span)
        case typed.SketchState(), "add":
            scope.report(
                TypeMismatch(
                    span=written.span, expected="a value", found="nothing",
                    advice=f"`{state.name}.add(...)` is a statement",
                )
            )  # fmt: skip
            return None
        case typed.RingState(), "pick":
            return _pick(scope, written, state)
        case _:
            owner = f"`{state.name}`, {STATE_WORDS[type(state)]},"
            report_unknown_member(scope, member, owner, "operation", _OPERATIONS[type(state)])
            return None


def _on_data(
    scope: Scope, written: syntax.Call, member: syntax.Name, name: str, of: Rules | Routes | List
) -> typed.Expr | None:
    if scope.place == "a static expression":
        scope.report(NotStatic(span=written.span, what=scope.what))
        return None
    match of, member.text:
        case Rules(), "decide":
            return _decide(scope, written, name)
        case Routes(result), "lookup":
            address = _sole(scope, written, "address", Ipv4())
            if address is None:
                return None
            return typed.Lookup(type=result, routes=name, address=address, span=written.span)
        case List(element), "at":
            index = _sole(scope, written, "index", UInt(64), is_any_width=True)
            if index is None:
                return None
            return typed.ListAt(type=element, list=name, index=index, span=written.span)
        case List(element), "find":
            return _find_in_list(scope, written, name, element)
        case _:
            report_unknown_member(scope, member, f"`{name}`", "operation", _OPERATIONS[type(of)])
            return None


def _on_value(scope: Scope, written: syntax.Call, function: syntax.Member) -> typed.Expr | None:
    """Return `entry.bucket.take(size)`; nothing else has operations."""
    inner = function.operand
    if function.member.text == "take" and isinstance(inner, syntax.Member):
        entry = expressions.infer(scope, inner.operand)
        if entry is None:
            return None
        if isinstance(entry.type, Entry):
            return _take_from_entry(scope, written, inner.member, entry, entry.type.table)
    value = expressions.infer(scope, inner, UInt(64))
    if value is not None:
        scope.report(NotCallable(span=function.span, what=f"`{function.member.text}` of {quote(value.type)}"))
    return None


def _take_from_entry(
    scope: Scope, written: syntax.Call, column: syntax.Name, entry: typed.Expr, table_name: str
) -> typed.Expr | None:
    table = find_table(scope, table_name)
    amount = _take_amount(scope, written)
    if table is None or amount is None:
        return None
    buckets = tuple(name for name, of in columns(table).items() if isinstance(of, typed.Bucket))
    if column.text not in buckets:
        report_unknown_member(scope, column, f"an entry of `{table_name}`", "token bucket", buckets)
        return None
    return typed.EntryBucketTake(
        type=Bool(), entry=entry, table=table_name, name=column.text, amount=amount, span=written.span
    )


# ---------------------------------------------------------------- arguments


def _sole(
    scope: Scope, written: syntax.Call, name: str, want: Type, *, is_any_width: bool = False
) -> typed.Expr | None:
    """Return the one argument, of the wanted type (or an integer of any width)."""
    given = take_positional(scope, written, (name,))
    if given is None:
        return None
    if not is_any_width:
        return expressions.check(scope, given[0], want)
    found = expressions.infer(scope, given[0], want)
    if found is None or isinstance(found.type, UInt):
        return found
    scope.report(TypeMismatch(span=given[0].span, expected="an integer", found=quote(found.type)))
    return None


def _take_amount(scope: Scope, written: syntax.Call) -> typed.Expr | None:
    """Return a number of bytes: a size, or an integer such as a packet's length."""
    given = take_positional(scope, written, ("size",))
    return None if given is None else infer_bytes(scope, given[0])


def infer_bytes(scope: Scope, written: syntax.Expr) -> typed.Expr | None:
    """Return a number of bytes as a size."""
    amount = expressions.infer(scope, written, Size())
    if amount is None or amount.type == Size():
        return amount
    if isinstance(amount, typed.PacketLength):
        return typed.Convert(type=Size(), operand=amount, span=amount.span)
    advice = f"say that it counts bytes: `size({spell(written)})`" if isinstance(amount.type, UInt) else ""
    scope.report(TypeMismatch(span=written.span, expected="`size`", found=quote(amount.type), advice=advice))
    return None


# ---------------------------------------------------------------- tables


def _find(scope: Scope, written: syntax.Call, table: typed.TableState) -> typed.Expr | None:
    keys = dict([table.key]) | (dict([table.unique]) if table.unique is not None else {})
    asked = _asked_by_name(scope, written, table.name, keys, "one key")
    if asked is None:
        return None
    name, key = asked
    is_unique = name != table.key[0]
    return typed.Find(
        type=Entry(table.name), table=table.name, is_unique=is_unique, key=key, span=written.span
    )


def _find_in_list(scope: Scope, written: syntax.Call, name: str, element: Record) -> typed.Expr | None:
    """Return `list.find(member: value)`; only a member that is one scalar can be looked for."""
    wanted = {member: of for member, of in element.members if len(scalars(of)) == 1}
    asked = _asked_by_name(scope, written, name, wanted, "one member")
    if asked is None:
        return None
    member, value = asked
    at = [other for other, _ in element.members].index(member)
    return typed.ListFind(type=element, list=name, member=at, value=value, span=written.span)


def _asked_by_name(
    scope: Scope, written: syntax.Call, owner: str, wanted: Mapping[str, Type], expected: str
) -> tuple[str, typed.Expr] | None:
    """Return the one named argument of a `find`, checked; what is wrong is reported."""
    if len(written.arguments) != 1:
        scope.report(
            WrongArgumentCount(
                span=written.span, function=spell(written.function), expected=expected,
                found=f"{len(written.arguments)} arguments",
            )
        )  # fmt: skip
        return None
    given = take_named(scope, written.arguments, f"{owner}.find", wanted, tuple(wanted), written.span)
    if not given:
        return None
    name, value = next(iter(given.items()))
    found = expressions.check(scope, value, wanted[name])
    return None if found is None else (name, found)


def _insert(scope: Scope, written: syntax.Call, table: typed.TableState) -> typed.Expr | None:
    name = f"{table.name}.insert"
    wanted = {column: of for column, of in columns(table).items() if not isinstance(of, typed.Bucket)}
    optional = tuple(value.name for value in table.values if value.default is not None)
    given = take_named(scope, written.arguments, name, wanted, optional, written.span)
    if given is None:
        return None
    found: dict[str, typed.Expr | None] = {}
    for column in sorted(given, key=list(wanted).index):
        scope.may_choose = table.unique is not None and column == table.unique[0]
        found[column] = expressions.check(scope, given[column], wanted[column])
        scope.may_choose = False
    for value in table.values:
        if not isinstance(value.type, typed.Bucket):
            found.setdefault(value.name, value.default)
    complete = {column: value for column, value in found.items() if value is not None}
    if len(complete) < len(wanted):
        return None
    unique = complete[table.unique[0]] if table.unique is not None else None
    if unique is not None and _count_choices(unique) > 1:
        scope.report(ChooseTwice(span=unique.span))
        return None
    return typed.Insert(
        type=Entry(table.name),
        table=table.name,
        key=complete[table.key[0]],
        unique=unique,
        values=tuple(complete[value.name] for value in table.values if value.name in wanted),
        span=written.span,
    )


def _count_choices(unique: typed.Expr) -> int:
    parts = unique.members if isinstance(unique, typed.Build) else (unique,)
    return sum(isinstance(part, typed.Choose) for part in parts)


# ---------------------------------------------------------------- rings, rules


def _pick(scope: Scope, written: syntax.Call, ring: typed.RingState) -> typed.Expr | None:
    picked = _sole(scope, written, "hash", UInt(32))
    known = scope.find(ring.list)
    if picked is None or not isinstance(known, ParameterName) or not isinstance(known.type, List):
        return None
    return typed.RingPick(type=known.type.element, ring=ring.name, hash=picked, span=written.span)


def _decide(scope: Scope, written: syntax.Call, rules: str) -> typed.Expr | None:
    given = take_positional(scope, written, ("packet",))
    packet = resolve_packet(scope, given[0]) if given else None
    if packet is None or given is None or not require_header(scope, given[0], packet, "ipv4"):
        return None
    return typed.Decide(type=Bool(), rules=rules, packet=packet, span=written.span)
