"""Read state objects from their text form (`text_states.py`)."""

from collections.abc import Callable

from synth.graph.nodes import (
    BucketColumn,
    Column,
    Counter,
    KeyedTable,
    ListTable,
    Ring,
    RouteTable,
    RuleTable,
    Sketch,
    StateObject,
    TokenBucket,
    Vector,
)
from synth.graph.text_tokens import Cursor
from synth.language.values import (
    PrefixValue,
    RangeValue,
    RouteTableValue,
    RouteValue,
    RuleSetValue,
    RuleValue,
)


def _table(cursor: Cursor) -> KeyedTable:
    name = cursor.name()
    cursor.expect("capacity")
    capacity = cursor.integer()
    cursor.expect("{")
    cursor.expect("key")
    key = _columns(cursor)
    unique = _columns(cursor) if cursor.accepts("unique") else ()
    values = _value_columns(cursor) if cursor.accepts("value") else ()
    timers: list[tuple[str, int]] = []
    while cursor.accepts("timer"):
        timers.append((cursor.name(), cursor.integer()))
    cursor.expect("}")
    return KeyedTable(
        name=name, key=key, unique=unique, values=values, timers=tuple(timers), capacity=capacity
    )


def _vector(cursor: Cursor) -> Vector:
    name = cursor.name()
    cursor.expect("size")
    size = cursor.integer()
    columns = _columns(cursor)
    cursor.expect("initial")
    return Vector(name=name, columns=columns, size=size, initial=_numbers(cursor))


def _counter(cursor: Cursor) -> Counter:
    return Counter(name=cursor.name())


def _bucket(cursor: Cursor) -> TokenBucket:
    name = cursor.name()
    cursor.expect("rate")
    rate = cursor.integer()
    cursor.expect("burst")
    return TokenBucket(name=name, rate=rate, burst=cursor.integer())


def _sketch(cursor: Cursor) -> Sketch:
    name = cursor.name()
    cursor.expect("rows")
    rows = cursor.integer()
    cursor.expect("columns")
    columns = cursor.integer()
    cursor.expect("key")
    return Sketch(name=name, key=_columns(cursor), rows=rows, columns=columns)


def _rules(cursor: Cursor) -> RuleTable:
    name = cursor.name()
    cursor.expect("{")
    rules: list[RuleValue] = []
    live: list[int] = []
    while not cursor.accepts("}"):
        if not cursor.accepts("idle"):
            live.append(len(rules))
        rules.append(_rule(cursor))
    some = tuple(live) if len(live) < len(rules) else None
    return RuleTable(name=name, rules=RuleSetValue(tuple(rules)), live=some)


def _rule(cursor: Cursor) -> RuleValue:
    permits = cursor.accepts("permit")
    if not permits:
        cursor.expect("deny")
    src = PrefixValue(*cursor.prefix())
    dst = PrefixValue(*cursor.prefix())
    protocol, protocol_mask = _masked(cursor, "protocol")
    cursor.expect("sport")
    sport = _range(cursor)
    cursor.expect("dport")
    dport = _range(cursor)
    flags, flags_mask = _masked(cursor, "flags")
    return RuleValue(permits, src, dst, protocol, protocol_mask, sport, dport, flags, flags_mask)


def _masked(cursor: Cursor, word: str) -> tuple[int, int]:
    cursor.expect(word)
    value = cursor.integer()
    cursor.expect("/")
    return value, cursor.integer()


def _range(cursor: Cursor) -> RangeValue:
    low = cursor.integer()
    cursor.expect("..")
    return RangeValue(low, cursor.integer())


def _routes(cursor: Cursor) -> RouteTable:
    name = cursor.name()
    columns = _columns(cursor)
    cursor.expect("{")
    routes: list[RouteValue] = []
    while not cursor.accepts("}"):
        prefix = PrefixValue(*cursor.prefix())
        cursor.expect("->")
        routes.append(RouteValue(prefix, None if cursor.accepts("discard") else _numbers(cursor)))
    return RouteTable(name=name, columns=columns, routes=RouteTableValue(tuple(routes)))


def _list(cursor: Cursor) -> ListTable:
    name = cursor.name()
    columns = _columns(cursor)
    cursor.expect("{")
    rows: list[tuple[int, ...]] = []
    while not cursor.accepts("}"):
        rows.append(_numbers(cursor))
    return ListTable(name=name, columns=columns, rows=tuple(rows))


def _ring(cursor: Cursor) -> Ring:
    name = cursor.name()
    cursor.expect("of")
    of = cursor.name()
    cursor.expect("{")
    slots: list[int] = []
    while not cursor.accepts("}"):
        slots.append(cursor.integer())
    return Ring(name=name, list=of, slots=tuple(slots))


def _columns(cursor: Cursor) -> tuple[Column, ...]:
    columns = _value_columns(cursor)
    plain = tuple(column for column in columns if isinstance(column, Column))
    if len(plain) < len(columns):
        raise cursor.error("columns without a bucket before this")
    return plain


def _value_columns(cursor: Cursor) -> tuple[Column | BucketColumn, ...]:
    columns: list[Column | BucketColumn] = []
    cursor.expect("(")
    while not cursor.accepts(")"):
        if columns:
            cursor.expect(",")
        columns.append(_column(cursor))
    return tuple(columns)


def _column(cursor: Cursor) -> Column | BucketColumn:
    name = cursor.name()
    cursor.expect(":")
    if cursor.accepts("bucket"):
        return BucketColumn(name, cursor.integer(), cursor.integer())
    if cursor.accepts("bool"):
        return Column(name, 1, is_bool=True)
    width = cursor.next.text[1:]
    if cursor.next.text[:1] != "u" or not width.isdecimal():
        raise cursor.error("`bool`, `bucket` or a width such as `u16`")
    cursor.name()
    return Column(name, int(width), below=cursor.integer() if cursor.accepts("below") else None)


def _numbers(cursor: Cursor) -> tuple[int, ...]:
    numbers: list[int] = []
    cursor.expect("(")
    while not cursor.accepts(")"):
        if numbers:
            cursor.expect(",")
        numbers.append(cursor.integer())
    return tuple(numbers)


STATES: dict[str, Callable[[Cursor], StateObject]] = {
    "table": _table,
    "vector": _vector,
    "counter": _counter,
    "bucket": _bucket,
    "sketch": _sketch,
    "rules": _rules,
    "routes": _routes,
    "list": _list,
    "ring": _ring,
}
"""The reader of each kind of state object, by the word that begins it (already taken)."""
