"""View model of a keyed table's header."""

from collections.abc import Sequence
from dataclasses import dataclass

from synth.codegen.symbols import Symbols
from synth.codegen.views import Member, behind, member
from synth.graph.nodes import BucketColumn, Column, KeyedTable

_UNITS = (
    ("h", 3_600_000_000_000),
    ("min", 60_000_000_000),
    ("s", 1_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
)

_PACKING = {"KEY": " __attribute__((packed))", "UNIQUE": " __attribute__((packed))", "VALUES": ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Struct:
    """A part of an entry. Keys are packed, for they are compared as bytes."""

    name: str
    packing: str
    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Equal:
    """A macro that compares keys member by member: so that a key need not be put into memory for it."""

    macro: str
    members: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Timer:
    enumerator: str
    lifetime: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedView:
    """A keyed table as `templates/keyed.h.j2` prints it."""

    name: str
    symbol: str
    guard: str
    place: str
    has_bucket: bool
    has_wide: bool
    structs: tuple[Struct, ...]
    timers: tuple[Timer, ...]
    timer_count: int
    defines: tuple[str, ...]
    equals: tuple[Equal, ...]


def keyed_view(table: KeyedTable, symbols: Symbols) -> KeyedView:
    """Return the view of a keyed table."""
    symbol = symbols.states[table.name]
    parts: tuple[tuple[str, Sequence[Column | BucketColumn]], ...] = (
        ("KEY", table.key),
        ("UNIQUE", table.unique),
        ("VALUES", table.values),
    )
    present = [(part, columns) for part, columns in parts if columns]
    return KeyedView(
        name=table.name,
        symbol=symbol,
        guard=f"{symbol}_h".upper(),
        place=behind(table.span),
        has_bucket=any(isinstance(column, BucketColumn) for column in table.values),
        has_wide=any(
            isinstance(column, Column) and column.width > 64 for _, part in parts for column in part
        ),
        structs=tuple(
            Struct(
                name=f"{symbol}_{part.lower()}", packing=_PACKING[part], members=tuple(map(member, columns))
            )
            for part, columns in present
        ),
        timers=tuple(Timer(symbols.members[table.name, name], duration(ns)) for name, ns in table.timers),
        timer_count=len(table.timers),
        defines=tuple(f"TABLE_{part} struct {symbol}_{part.lower()}" for part, _ in present),
        equals=tuple(
            Equal(macro=f"TABLE_{part}_EQUAL", members=tuple(column.name for column in columns))
            for part, columns in present
            if part != "VALUES"
        ),
    )


def duration(ns: int) -> str:
    """Return a duration in the largest unit that it is a whole number of."""
    for unit, size in _UNITS:
        if ns and ns % size == 0:
            return f"{ns // size} {unit}"
    return f"{ns} ns"
