"""State declarations: from syntax to typed state objects."""

from collections.abc import Callable
from typing import assert_never

from synth.diagnostics.diagnostic import Note
from synth.language import syntax, typed
from synth.language.checker import expressions, operators
from synth.language.checker.given import take_named
from synth.language.checker.names import report_unknown, report_unknown_member
from synth.language.checker.scope import ParameterName, Scope
from synth.language.checker.type_names import resolve_value_type
from synth.language.checker.words import quote, spell
from synth.language.errors.names import DuplicateName
from synth.language.errors.states import TableLacks, TimerWithoutLifetime
from synth.language.errors.types import TypeMismatch
from synth.language.types import Duration, List, Rate, Record, Size, Type, UInt

DROPS_OF_ALL = ("arithmetic", "chain_loop")
"""The drops that every NF has besides its own; no counter can be called so."""


def check_state(scope: Scope, state: syntax.State) -> typed.State | None:
    """Return a state object; its sizes, rates and lifetimes are static expressions."""
    match state:
        case syntax.Table():
            return _check_table(scope, state)
        case syntax.Vector():
            return _check_vector(scope, state)
        case syntax.Counter(name=name, span=span):
            if name.text in DROPS_OF_ALL:
                scope.report(DuplicateName(span=name.span, what="drop", name=name.text))
            return typed.CounterState(name=name.text, span=span)
        case syntax.Bucket():
            found = _check_bucket(scope, state.rate, state.burst)
            if found is None:
                return None
            return typed.BucketState(
                name=state.name.text, rate=found.rate, burst=found.burst, span=state.span
            )
        case syntax.Sketch():
            return _check_sketch(scope, state)
        case syntax.Ring():
            return _check_ring(scope, state)
        case _:
            assert_never(state)


def _static(scope: Scope, written: syntax.Expr, want: Type, what: str) -> typed.Expr | None:
    """Check a static expression of one type."""
    before, scope.what = scope.what, what
    found = expressions.check(scope, written, want)
    scope.what = before
    return found


def _static_integer(scope: Scope, written: syntax.Expr, what: str) -> typed.Expr | None:
    """Check a static integer of any width; an open one has 64 bits."""
    before, scope.what = scope.what, what
    want = UInt(64) if operators.is_open(scope, written) else None
    found = expressions.infer(scope, written, want)
    scope.what = before
    if found is None or isinstance(found.type, UInt):
        return found
    scope.report(TypeMismatch(span=written.span, expected="an integer", found=quote(found.type)))
    return None


# ---------------------------------------------------------------- tables


def _check_table(scope: Scope, table: syntax.Table) -> typed.TableState | None:
    key = _check_key(scope, table, syntax.TableKey)
    unique = _check_key(scope, table, syntax.TableUnique)
    capacity = _check_capacity(scope, table)
    values = _check_values(scope, table)
    timers = _check_timers(scope, table)
    _check_columns(scope, table)
    has_unique = any(isinstance(item, syntax.TableUnique) for item in table.items)
    if key is None or capacity is None or (has_unique and unique is None):
        return None
    if values is None or timers is None:
        return None
    return typed.TableState(
        name=table.name.text, key=key, unique=unique, values=values, timers=timers, capacity=capacity,
        span=table.span,
    )  # fmt: skip


def _only(scope: Scope, table: syntax.Table, items: list[syntax.Name], what: str) -> None:
    """Report the second and further items of a sort that stands once."""
    for again in items[1:]:
        note = Note(items[0].span, "it stands here")
        scope.report(
            DuplicateName(span=again.span, what=f"{what} of table", name=table.name.text, notes=(note,))
        )


def _check_key(
    scope: Scope, table: syntax.Table, sort: type[syntax.TableKey] | type[syntax.TableUnique]
) -> tuple[str, Type] | None:
    items = [item for item in table.items if isinstance(item, sort)]
    word = "key" if sort is syntax.TableKey else "unique"
    _only(scope, table, [item.name for item in items], word)
    types = [
        resolve_value_type(scope.program, scope.unit, item.type, f"`{item.name.text}`") for item in items
    ]
    if not items and sort is syntax.TableKey:
        scope.report(
            TableLacks(span=table.name.span, table=table.name.text, item="key", example="key name: TYPE")
        )
    return (items[0].name.text, types[0]) if items and types[0] is not None else None


def _check_capacity(scope: Scope, table: syntax.Table) -> typed.Expr | None:
    items = [item for item in table.items if isinstance(item, syntax.TableCapacity)]
    _only(scope, table, [syntax.Name(text="capacity", span=item.span) for item in items], "capacity")
    if not items:
        scope.report(
            TableLacks(span=table.name.span, table=table.name.text, item="capacity", example="capacity 65536")
        )
    found = [_static_integer(scope, item.value, "a capacity") for item in items]
    return found[0] if found else None


def _check_columns(scope: Scope, table: syntax.Table) -> None:
    """Report two members of an entry, or two timers, with one name."""
    first: dict[str, syntax.Name] = {}
    for item in table.items:
        if isinstance(item, syntax.TableCapacity):
            continue
        name = item.name
        earlier = first.setdefault(name.text, name)
        is_again = earlier is not name
        if is_again:
            note = Note(earlier.span, "it stands here")
            scope.report(DuplicateName(span=name.span, what="member", name=name.text, notes=(note,)))


def _check_values(scope: Scope, table: syntax.Table) -> tuple[typed.TableValue, ...] | None:
    items = [item for item in table.items if isinstance(item, syntax.TableValue)]
    found = [_check_value(scope, item) for item in items]
    values = tuple(value for value in found if value is not None)
    return values if len(values) == len(found) else None


def _check_value(scope: Scope, item: syntax.TableValue) -> typed.TableValue | None:
    if isinstance(item.type, syntax.NamedType) and item.type.name.text == "bucket":
        bucket = _check_bucket_call(scope, item)
        if bucket is None:
            return None
        return typed.TableValue(name=item.name.text, type=bucket, default=None)
    of = resolve_value_type(scope.program, scope.unit, item.type, f"`{item.name.text}`")
    if of is None:
        return None
    default = None
    if item.default is not None:
        default = _static(scope, item.default, of, "a default")
        if default is None:
            return None
    return typed.TableValue(name=item.name.text, type=of, default=default)


def _check_bucket_call(scope: Scope, item: syntax.TableValue) -> typed.Bucket | None:
    match item.default:
        case syntax.Call(
            function=syntax.Reference(name=syntax.Name(text="bucket")), arguments=arguments, span=span
        ):
            wanted: dict[str, Type | typed.Bucket] = {"rate": Rate(), "burst": Size()}
            given = take_named(scope, arguments, "bucket", wanted, (), span)
            return None if given is None else _check_bucket(scope, given["rate"], given["burst"])
        case found:
            scope.report(
                TypeMismatch(
                    span=item.span if found is None else found.span,
                    expected="`bucket(rate: ..., burst: ...)`",
                    found="nothing" if found is None else f"`{spell(found)}`",
                )
            )
            return None


def _check_bucket(scope: Scope, rate: syntax.Expr, burst: syntax.Expr) -> typed.Bucket | None:
    checked_rate = _static(scope, rate, Rate(), "a rate")
    checked_burst = _static(scope, burst, Size(), "a burst")
    if checked_rate is None or checked_burst is None:
        return None
    return typed.Bucket(checked_rate, checked_burst)


def _check_timers(scope: Scope, table: syntax.Table) -> tuple[tuple[str, typed.Expr], ...] | None:
    found: list[tuple[str, typed.Expr]] = []
    items = [item for item in table.items if isinstance(item, syntax.TableTimer)]
    for item in items:
        lifetime = _check_lifetime(scope, item)
        if lifetime is not None:
            found.append((item.name.text, lifetime))
    return tuple(found) if len(found) == len(items) else None


def _check_lifetime(scope: Scope, item: syntax.TableTimer) -> typed.Expr | None:
    if item.lifetime is not None:
        return _static(scope, item.lifetime, Duration(), "a lifetime")
    name = item.name.text
    known = scope.find(name)
    if not isinstance(known, ParameterName):
        scope.report(TimerWithoutLifetime(span=item.name.span, timer=name))
        return None
    if known.type is not None and known.type != Duration():
        scope.report(
            TypeMismatch(
                span=item.name.span, expected="`duration`", found=quote(known.type),
                notes=(Note(known.span, "the parameter of the same name is its lifetime"),),
            )
        )  # fmt: skip
        return None
    if known.type is None:
        return None
    return typed.Parameter(type=known.type, name=name, span=item.name.span)


# ---------------------------------------------------------------- the others


def _check_vector(scope: Scope, vector: syntax.Vector) -> typed.VectorState | None:
    element = resolve_value_type(scope.program, scope.unit, vector.element, "a vector's cells")
    size = _static_integer(scope, vector.size, "a size")
    initial: typed.Expr | None = None
    if vector.initial is not None and element is not None:
        initial = _static(scope, vector.initial, element, "an initial value")
        if initial is None:
            return None
    if element is None or size is None:
        return None
    return typed.VectorState(
        name=vector.name.text, element=element, size=size, initial=initial, span=vector.span
    )


def _check_sketch(scope: Scope, sketch: syntax.Sketch) -> typed.SketchState | None:
    key = resolve_value_type(scope.program, scope.unit, sketch.key, "a sketch's key")
    rows = _static_integer(scope, sketch.rows, "a number of rows")
    columns = _static_integer(scope, sketch.columns, "a number of columns")
    if key is None or rows is None or columns is None:
        return None
    return typed.SketchState(name=sketch.name.text, key=key, rows=rows, columns=columns, span=sketch.span)


def _check_ring(scope: Scope, ring: syntax.Ring) -> typed.RingState | None:
    slots = None if ring.slots is None else _static_integer(scope, ring.slots, "a number of slots")
    known = scope.find(ring.list.text)
    if known is None:
        report_unknown(scope, ring.list, "list parameter")
        return None
    if not isinstance(known, ParameterName) or not isinstance(known.type, List):
        if not isinstance(known, ParameterName) or known.type is not None:
            found = quote(known.type) if isinstance(known, ParameterName) and known.type else "something else"
            scope.report(
                TypeMismatch(span=ring.list.span, expected="a parameter of type `list<...>`", found=found)
            )
        return None
    record = known.type.element
    by = _member_index(scope, ring.by, record, None)
    weight = None if ring.weight is None else _member_index(scope, ring.weight, record, _is_weight)
    is_weight_wrong = ring.weight is not None and weight is None
    if by is None or is_weight_wrong or (ring.slots is not None and slots is None):
        return None
    return typed.RingState(
        name=ring.name.text, list=ring.list.text, by=by, weight=weight, slots=slots, span=ring.span
    )


def _is_weight(of: Type) -> bool:
    return isinstance(of, UInt)


def _member_index(
    scope: Scope, name: syntax.Name, record: Record, is_right: Callable[[Type], bool] | None
) -> int | None:
    names = tuple(member for member, _ in record.members)
    if name.text not in names:
        report_unknown_member(scope, name, f"record `{record.name}`", "member", names)
        return None
    index = names.index(name.text)
    of = record.members[index][1]
    if is_right is not None and not is_right(of):
        scope.report(TypeMismatch(span=name.span, expected="an integer", found=quote(of)))
        return None
    return index
