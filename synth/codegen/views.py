"""View models: what the templates of the chain-wide files print."""

from collections.abc import Iterator
from dataclasses import dataclass

from synth.codegen.blobs import Static, encode, in_full, kind
from synth.codegen.cores import capacity_of, hash_share_of, locked
from synth.codegen.expressions import c_type, literal
from synth.codegen.layout import place
from synth.codegen.names import identifier
from synth.codegen.symbols import Symbols
from synth.diagnostics.spans import NOWHERE, Span
from synth.graph.nodes import (
    Bits,
    Bool,
    BucketColumn,
    Column,
    Interface,
    KeyedTable,
    ListTable,
    Ring,
    RouteTable,
    RuleTable,
    Sketch,
    TokenBucket,
    Vector,
)
from synth.net.frame import REASONS
from synth.parallel.plan import Plan

ADMISSION_REASONS = (*REASONS, "frame_too_long")
"""In the order of `enum admission` in `runtime/packet.h`."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a C struct."""

    type: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceView:
    name: str
    enumerator: str
    mac: str
    arrive: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """What must not hold of a static table, and what is wrong when it does."""

    condition: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """A static table: `data` is the symbol of its embedded bytes, which stand in `file`."""

    name: str
    symbol: str
    data: str
    file: str
    type: str
    kind: str
    size: int
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareView:
    """The values of a table that a core may choose, by their hash (`runtime/share.h`)."""

    symbol: str
    high: int
    contributions: str
    bits: int
    cores: str
    mask: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectView:
    """A state object on the heap: statements before its creation, the creation, its end.

    `is_shared`: core 0 makes and ends it, others use it too.
    """

    name: str
    symbol: str
    before: tuple[str, ...]
    create: str
    destroy: str
    size: str
    is_shared: bool
    share: ShareView | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsView:
    """The enumerators of a static table's columns."""

    name: str
    place: str
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CellView:
    """The members of a vector's cells."""

    name: str
    symbol: str
    place: str
    members: tuple[Member, ...]


def behind(span: Span) -> str:
    """Return where something is declared, as the end of a comment's sentence."""
    return "" if span == NOWHERE else f" ({place(span)})"


def member(column: Column | BucketColumn) -> Member:
    """Return the struct member of a column."""
    if isinstance(column, BucketColumn):
        return Member("struct token_bucket", column.name)
    return Member(c_type(Bool() if column.is_bool else Bits(column.width)), column.name)


def interface(one: Interface, symbols: Symbols, arrive: str) -> InterfaceView:
    """Return an interface, and the statement for what arrives on it."""
    return InterfaceView(
        name=one.name,
        enumerator=symbols.interfaces[one.name],
        mac=", ".join(f"0x{byte:02x}" for byte in one.mac.to_bytes(6, "big")),
        arrive=arrive,
    )


def static_table(table: Static, symbols: Symbols) -> TableView:
    """Return a static table as `core.c` builds it."""
    symbol = symbols.states[table.name]
    return TableView(
        name=table.name,
        symbol=symbol,
        data=f"table_{symbol}",
        file=f"{'tables' if in_full(table) == table else 'built_in'}/{table.name}.bin",
        type=kind(table).lower(),
        kind=kind(table),
        size=len(encode(table)),
        checks=_checks(table, symbol, symbols),
    )


def _checks(table: Static, symbol: str, symbols: Symbols) -> tuple[Check, ...]:
    match table:
        case RuleTable():
            return ()
        case RouteTable(columns=columns):
            return (
                _width(f"routes_scalars(tables->{symbol})", len(columns)),
                *_fit(f"routes_fit(tables->{symbol}", columns),
            )
        case ListTable(columns=columns):
            return (
                _width(f"tables->{symbol}->columns", len(columns)),
                *_fit(f"list_fits(tables->{symbol}", columns),
            )
        case Ring(list=rows):
            beyond = f"ring_last_row(tables->{symbol}) >= tables->{symbols.states[rows]}->rows"
            return (Check(condition=beyond, message=f"it picks rows that {rows} does not have"),)


def _width(found: str, wanted: int) -> Check:
    return Check(condition=f"{found} != {wanted}", message=f"its rows do not have {wanted} scalars")


def _fit(call: str, columns: tuple[Column, ...]) -> Iterator[Check]:
    if columns:
        largest = ", ".join(_largest(column) for column in columns)
        condition = f"!{call}, (const uint64_t[]){{{largest}}})"
        yield Check(condition=condition, message="a scalar is too large for its column")


def _largest(column: Column) -> str:
    return f"{column.largest:#x}" if column.below is None else str(column.largest)


def heap_object(
    state: KeyedTable | Vector | Sketch | TokenBucket, symbols: Symbols, plan: Plan | None
) -> ObjectView:
    """Return how a state object is made and ended; on several cores, each core's part of it."""
    symbol = symbols.states[state.name]
    match state:
        case KeyedTable(timers=timers, capacity=capacity):
            lifetimes = f"{symbol}_lifetimes" if timers else "NULL"
            listed = ", ".join(f"{lifetime}u" for _, lifetime in timers)
            before = (f"static const uint64_t {lifetimes}[] = {{{listed}}};    /* ns */",) if timers else ()
            create, destroy, size = (
                f"{symbol}_create({capacity_of(plan, state.name, capacity)}, {lifetimes}, secret)",
                f"{symbol}_destroy",
                f"{capacity} entries",
            )
        case Vector(columns=columns, size=cells, initial=initial):
            values = ", ".join(f".{one.name} = {value}" for one, value in zip(columns, initial, strict=True))
            before = (f"const struct {symbol}_cell {symbol}_initial = {{{values}}};",)
            initial_cell = f"{symbol}_initial"
            create = f"vector_create({cells}, sizeof {initial_cell}, &{initial_cell})"
            destroy, size = "free", f"{cells} cells"
        case Sketch(rows=rows, columns=width):
            before = ()
            create, destroy, size = (
                f"sketch_create({rows}, {width})",
                "sketch_destroy",
                f"{rows} times {width} counters",
            )
        case TokenBucket(burst=burst):
            before = ()
            create = f"token_bucket_create({literal(burst, Bits(64)).text})"
            destroy, size = "free", "a token bucket"
    return ObjectView(
        name=state.name,
        symbol=symbol,
        before=before,
        create=create,
        destroy=f"{destroy}(state->{symbol})",
        size=size,
        is_shared=state.name in locked(plan),
        share=_share(state.name, symbol, plan),
    )


def _share(table: str, symbol: str, plan: Plan | None) -> ShareView | None:
    share = hash_share_of(plan, table)
    return (
        None
        if share is None
        else ShareView(
            symbol=symbol,
            high=share.high,
            contributions=", ".join(hex(one) for one in share.contributions),
            bits=len(share.contributions),
            cores=", ".join(map(str, share.cores_table)),
            mask=hex(len(share.cores_table) - 1),
        )
    )


def state_member(state: KeyedTable | Vector | Sketch | TokenBucket, symbols: Symbols) -> str:
    """Return the declaration of a state object in `struct core_state`."""
    symbol = symbols.states[state.name]
    match state:
        case KeyedTable():
            return f"struct {symbol} *{symbol}"
        case Vector():
            return f"struct {symbol}_cell *{symbol}"
        case Sketch():
            return f"struct sketch *{symbol}"
        case TokenBucket():
            return f"struct token_bucket *{symbol}"


def row_table(table: RouteTable | ListTable, symbols: Symbols) -> RowsView:
    """Return the columns of a static table's rows."""
    columns = tuple(symbols.members[table.name, column.name] for column in table.columns)
    return RowsView(name=table.name, place=behind(table.span), columns=columns)


def vector_cell(vector: Vector, symbols: Symbols) -> CellView:
    """Return the cell of a vector."""
    members = tuple(member(column) for column in vector.columns)
    return CellView(
        name=vector.name, symbol=symbols.states[vector.name], place=behind(vector.span), members=members
    )


def binary_name(chain: str) -> str:
    """Return the file name of a chain's binary."""
    return identifier(chain)
