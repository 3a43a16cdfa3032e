"""How a chain runs on several cores, as C: each core's part of the state, and how packets find their core."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from synth.codegen.errors import NotInC
from synth.codegen.names import Namespace
from synth.codegen.symbols import Symbols
from synth.codegen.templates import render
from synth.diagnostics.diagnostic import UserError
from synth.graph.nodes import ChainGraph, Insert
from synth.net.fields import FIELDS
from synth.net.kinds import HEADERS, Kind
from synth.parallel.plan import HashShare, InterfacePlan, KindSteering, Plan, RangeShare
from synth.parallel.render import to_text

ON_A_ROW = 16
LITERAL = 72


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldView:
    """A field in a hash's input."""

    name: str
    width: int
    at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseView:
    """Kinds of packets that are hashed alike; each is the headers that such a packet has."""

    kinds: tuple[str, ...]
    fields: tuple[FieldView, ...]
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SteeredView:
    """How what an interface receives finds its core."""

    name: str
    enumerator: str
    key: tuple[str, ...]
    table: tuple[str, ...]
    mask: str
    cases: tuple[CaseView, ...]


def check_choices(graph: ChainGraph) -> None:
    """Refuse tables that choose from several ranges: a plan shares out one.

    Raises:
        UserError: E602.
    """
    ranges: dict[str, tuple[int, int, int]] = {}
    insertions = (op for block in graph.blocks for op in block.operations if isinstance(op, Insert))
    for op in insertions:
        if op.choose is not None and ranges.setdefault(op.table, op.choose) != op.choose:
            what = "choosing from several ranges for one table, on several cores,"
            raise UserError((NotInC(span=op.span, what=what),))


def locked(plan: Plan | None) -> frozenset[str]:
    """Return the objects that cores share behind the lock."""
    return frozenset(() if plan is None else plan.locked)


def ranged(plan: Plan | None) -> frozenset[str]:
    """Return the tables of whose values each core has a range."""
    shares = () if plan is None else plan.shares
    return frozenset(share.table for share in shares if isinstance(share, RangeShare))


def ranges_of(plan: Plan, symbols: Symbols) -> Iterator[str]:
    """Yield the statements that give a core its ranges of values."""
    for share in plan.shares:
        if isinstance(share, RangeShare):
            pairs = ", ".join(f"{{{low}, {high}}}" for low, high in share.ranges)
            choice = symbols.choices[share.table]
            yield f"state->ranges[{choice}] = (const struct value_range[]){{{pairs}}}[core];"


def hash_share_of(plan: Plan | None, table: str) -> HashShare | None:
    """Return how a table's values are shared out by their hash."""
    shares = () if plan is None else plan.shares
    return next((one for one in shares if isinstance(one, HashShare) and one.table == table), None)


def capacity_of(plan: Plan | None, table: str, whole: int) -> str:
    """Return the expression for a core's share of a table's capacity."""
    if plan is None:
        return str(whole)
    capacities = next(one.capacities for one in plan.objects if one.name == table) or (whole,)
    if len(set(capacities)) == 1:
        return str(capacities[0])
    return f"(const uint32_t[]){{{', '.join(map(str, capacities))}}}[core]"


def cores_file(graph: ChainGraph, symbols: Symbols, plan: Plan) -> str:
    """Return `cores.c`."""
    names = Namespace(symbols.called)
    return render(
        "cores.c",
        chain=graph.name,
        cores=plan.cores,
        is_locked="true" if plan.strategy == "locks" else "false",
        text=list(_literals(to_text(plan))),
        interfaces=[_steered(one, symbols, names) for one in plan.interfaces],
    )


def _literals(text: str) -> Iterator[str]:
    """Yield C string literals that make a text, none too long for a line."""
    for line in text.encode("ascii", "replace").decode().splitlines():
        for at in range(0, len(line), LITERAL):
            yield json.dumps(line[at : at + LITERAL])
        yield json.dumps("\n")


def _steered(one: InterfacePlan, symbols: Symbols, names: Namespace) -> SteeredView:
    cases = (_case(steering) for steering in one.steering if steering.by != "nobody" and steering.fields)
    return SteeredView(
        name=names.fresh(symbols.interfaces[one.name].lower()),
        enumerator=symbols.interfaces[one.name],
        key=_rows([f"0x{byte:02x}" for byte in one.key]),
        table=_rows([str(core) for core in one.table]),
        mask=hex(len(one.table) - 1),
        cases=tuple(cases),
    )


def _rows(words: Sequence[str]) -> tuple[str, ...]:
    return tuple(", ".join(words[at : at + ON_A_ROW]) for at in range(0, len(words), ON_A_ROW))


def _case(steering: KindSteering) -> CaseView:
    fields = tuple(
        FieldView(name=one.path.replace(".", "_"), width=FIELDS[one.path].width, at=one.first_bit // 8)
        for one in steering.fields
    )
    return CaseView(
        kinds=tuple(_headers(kind) for kind in steering.kinds),
        fields=fields,
        bytes=(steering.input_bytes + 3) // 4 * 4,
    )


def _headers(kind: Kind) -> str:
    """Return the headers of packets of a kind, as `enum packet_header` names them."""
    words = [f"PACKET_{header.upper()}" for header in HEADERS if header != "eth" and kind.has(header)]
    return " | ".join(words) or "0"
