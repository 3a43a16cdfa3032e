"""Check state objects: sizes, names of columns, and that static data fits its columns."""

from collections.abc import Iterable, Iterator, Mapping
from typing import assert_never

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


def check_state(state: StateObject, states: Mapping[str, StateObject]) -> Iterator[str]:
    """Yield what is wrong with a state object, in words that follow its name."""
    match state:
        case KeyedTable():
            yield from _check_table(state)
        case Vector(columns=columns, size=size, initial=initial):
            yield from _check_columns(columns)
            yield from _check_rows([initial], columns)
            yield from _check_positive(cells=size)
        case Counter():
            return
        case RuleTable(rules=rules, live=live):
            if live is not None and not _is_ascending(live, len(rules.rules)):
                yield "its live rules are not some of its rules in their order"
        case TokenBucket(rate=rate, burst=burst):
            yield from _check_positive(rate=rate, burst=burst)
        case Sketch(key=key, rows=rows, columns=width):
            yield from _check_columns(key)
            yield from _check_positive(rows=rows, columns=width)
        case RouteTable(columns=columns, routes=routes):
            yield from _check_columns(columns)
            yield from _check_rows(
                [route.result for route in routes.routes if route.result is not None], columns
            )
            if len({route.prefix for route in routes.routes}) < len(routes.routes):
                yield "two routes of one prefix"
        case ListTable(columns=columns, rows=rows):
            yield from _check_columns(columns)
            yield from _check_rows(rows, columns)
        case Ring():
            yield from _check_ring(state, states)
        case _:
            assert_never(state)


def _is_ascending(numbers: tuple[int, ...], end: int) -> bool:
    """Tell whether numbers ascend from 0 at least to less than `end`, but are not all of them."""
    steps = zip((-1, *numbers), (*numbers, end), strict=True)
    return len(numbers) < end and all(one < next_ for one, next_ in steps)


def _check_positive(**sizes: int) -> Iterator[str]:
    yield from (f"{size} {what}" for what, size in sizes.items() if size < 1)


def _check_ring(ring: Ring, states: Mapping[str, StateObject]) -> Iterator[str]:
    of = states.get(ring.list)
    if not isinstance(of, ListTable):
        yield f"no list `{ring.list}`"
    elif not ring.slots or not all(0 <= row < len(of.rows) for row in ring.slots):
        yield f"slots that are no rows of `{ring.list}`, or none"


def _check_table(table: KeyedTable) -> Iterator[str]:
    yield from _check_columns((*table.key, *table.unique, *table.values))
    if not table.key:
        yield "no key"
    yield from _check_positive(capacity=table.capacity)
    timers = [name for name, _ in table.timers]
    if len(set(timers)) < len(timers):
        yield "two timers of one name"
    for name, lifetime in table.timers:
        if not 0 < lifetime < 1 << 63:
            yield f"timer `{name}` lives {lifetime} ns"


def _check_columns(columns: Iterable[Column | BucketColumn]) -> Iterator[str]:
    seen: set[str] = set()
    for column in columns:
        if column.name in seen:
            yield f"two columns `{column.name}`"
        seen.add(column.name)
        if isinstance(column, Column) and not (
            column.width == 1 if column.is_bool else 1 <= column.width <= 128
        ):
            yield f"column `{column.name}` of {column.width} bits"
        if isinstance(column, Column) and not 0 <= column.largest < 1 << column.width:
            yield f"column `{column.name}` of values below {column.below}"


def _check_rows(rows: Iterable[tuple[int, ...]], columns: tuple[Column, ...]) -> Iterator[str]:
    """Yield the first row that does not fit: one is enough to find the fault."""
    largest = [column.largest for column in columns]
    for row in rows:
        if len(row) != len(largest) or not all(
            0 <= value <= most for value, most in zip(row, largest, strict=True)
        ):
            yield f"row {row} does not fit the columns"
            return
