"""Which packets must meet: linear relations between the packets of two units.

Two accesses to one object touch the same place only if their columns agree. What is linear in the columns
gives equations over the bits of both packets; what is not is dropped, which makes more packets meet: sound.
The columns themselves, and the packet that made the entry, are eliminated exactly (Gauss).

A relation's rows are over coordinate 0 (the constant one), the first packet's steerable bits, then the
second's: `linear.WIDTH - 1` each.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations_with_replacement

from synth.graph.nodes import KeyedTable
from synth.parallel.accesses import Access, Insertion
from synth.parallel.gf2 import Rows
from synth.parallel.linear import TOTAL, WIDTH, forms
from synth.parallel.plain import Columns
from synth.parallel.terms import Number, Owned, Term
from synth.parallel.units import Unit

SIZE = WIDTH - 1
"""The steerable bits of one packet."""
FAMILY = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """Packets of two units that meet when the rows hold.

    `causes` are the accesses, and `made` the columns of the entry as its inserter gave them: what the rows
    were made from, for explanations and for the solver, which does not trust the rows.
    """

    units: tuple[Unit, Unit]
    rows: tuple[int, ...]
    causes: tuple[Access, Access] = field(compare=False)
    made: Columns = field(compare=False, default=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Modes:
    """How tables with a chosen unique key are taken.

    `interchangeable`: lookups that need not meet, as a failed test is as good as a miss. `core_aware`:
    tables whose chosen values are drawn so that a packet which carries one comes to the core that chose it.
    """

    interchangeable: frozenset[tuple[str, Unit]] = frozenset()
    core_aware: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """All accesses of a chain, and what is known of its tables."""

    accesses: tuple[Access, ...]
    insertions: Mapping[str, tuple[Insertion, ...]]
    tables: Mapping[str, KeyedTable]
    chosen: Mapping[str, str]

    @property
    def written(self) -> frozenset[str]:
        """The objects that some packet changes."""
        return frozenset(access.object for access in self.accesses if access.is_write)


@dataclass(frozen=True, slots=True)
class Arrival:
    """Packets of a unit that carry a chosen value where they came from: they must come to its owner."""

    family: FAMILY
    access: Access
    term: Term

    def as_access(self) -> Access:
        """Return the arrival as an access to the value itself."""
        return replace(self.access, columns=(("value", self.term),), knows=())


def relate(model: Model, modes: Modes) -> tuple[tuple[Relation, ...], tuple[Arrival, ...]]:
    """Return every relation of a chain, equal ones once, in the order of the accesses, and all arrivals."""
    found: dict[Relation, None] = {}
    arrivals: dict[FAMILY, dict[Arrival, None]] = {}
    for name in sorted(model.written):
        _relate_object(name, model, modes, found, arrivals)
    for waiting in arrivals.values():
        for one, other in combinations_with_replacement(waiting, 2):
            _keep(found, _meet(one.as_access(), other.as_access(), ()))
    return tuple(found), tuple(arrival for waiting in arrivals.values() for arrival in waiting)


def _relate_object(
    name: str,
    model: Model,
    modes: Modes,
    found: dict[Relation, None],
    arrivals: dict[FAMILY, dict[Arrival, None]],
) -> None:
    accesses = _merge(
        access
        for access in model.accesses
        if access.object == name and not _is_exempt(access, modes) and not _is_local(access, model)
    )
    for one, other in combinations_with_replacement(accesses, 2):
        if not (one.is_write or other.is_write) or (one.word == other.word == "add"):
            continue
        waiting = _arrivals(one, other, model, modes)
        if waiting is not None:
            for arrival in waiting:
                arrivals.setdefault(arrival.family, {}).setdefault(arrival)
            continue
        for relation in _relate_pair(one, other, model):
            _keep(found, relation)


def _merge(accesses: Iterable[Access]) -> tuple[Access, ...]:
    """Return one access for all that touch the same: a write if there is one."""
    merged: dict[object, Access] = {}
    for access in accesses:
        same = (access.unit, access.how, access.columns, access.knows, access.word == "add")
        if same not in merged or (access.is_write and not merged[same].is_write):
            merged[same] = access
    return tuple(merged.values())


def _keep(found: dict[Relation, None], relation: Relation | None) -> None:
    if relation is not None:
        found.setdefault(relation)


def _is_exempt(access: Access, modes: Modes) -> bool:
    """Tell whether an access is a lookup whose outcome does not matter, or is no access of its own."""
    is_let_off = (access.object, access.unit) in modes.interchangeable
    if access.word == "emit":
        return not is_let_off
    return access.word == "find" and access.how == "unique" and is_let_off


def _is_local(access: Access, model: Model) -> bool:
    """Tell whether an access goes by a chosen value of the table itself that this core's own state gave it.

    The value is of this core's share, so the entry is here, and so is whatever else belongs to it.
    """
    column = model.chosen.get(access.object)
    return any(
        name == column and isinstance(term, Owned) and (term.table, term.column) == (access.object, column)
        for name, term in access.columns
    )


def _arrivals(one: Access, other: Access, model: Model, modes: Modes) -> tuple[Arrival, ...] | None:
    """Return the packets that must come to a value's owner so that two accesses meet; None: not so."""
    column = model.chosen.get(one.object)
    if one.object in modes.core_aware and "unique" in (one.how, other.how):
        family = (one.object, str(column))
        return tuple(
            Arrival(family, access, term)
            for access in (one, other)
            for name, term in access.columns
            if access.how == "unique" and name == column
        )
    mine, others = dict(one.columns), dict(other.columns)
    for name in mine.keys() & others.keys():
        pair = (mine[name], others[name])
        owned = [term for term in pair if isinstance(term, Owned)]
        if len(owned) == 2 and pair[0] == pair[1]:
            return ()
        if len(owned) == 1 and owned[0].table in modes.core_aware:
            family = (owned[0].table, owned[0].column)
            carried = [(access, dict(access.columns)[name]) for access in (one, other)]
            return tuple(
                Arrival(family, access, term) for access, term in carried if not isinstance(term, Owned)
            )
    return None


def _relate_pair(one: Access, other: Access, model: Model) -> Iterator[Relation | None]:
    if {one.how, other.how} == {"key", "unique"}:
        distinct = dict.fromkeys(tuple(made.columns.items()) for made in model.insertions.get(one.object, ()))
        for made in distinct:
            yield _meet(one, other, made)
    else:
        yield _meet(one, other, ())


def _meet(one: Access, other: Access, made: Columns) -> Relation | None:
    """Return the relation under which two accesses touch one place, or None when they never do.

    `made`: the columns of the entry over the packet that inserted it, where that says more.
    """
    rows = _rows(one.columns + one.knows, other.columns + other.knows, made)
    if rows is None:
        return None
    return Relation(units=(one.unit, other.unit), rows=rows, causes=(one, other), made=made)


@lru_cache(maxsize=8192)
def _rows(one: Columns, other: Columns, made: Columns) -> tuple[int, ...] | None:
    """Return the equations that follow for the two packets, reduced; None when no packets satisfy them."""
    equations = [
        (name, term, packet) for packet, columns in enumerate((one, other, made)) for name, term in columns
    ]
    if _is_contradiction(equations):
        return None
    rows = Rows()
    starts = _lay_out(equations)
    for name, term, packet in equations:
        for place, form in enumerate(forms(term)):
            if form is not None:
                rows.add(1 << starts[name] + place ^ _move(form, packet))
    kept = rows.below(1 + 2 * SIZE).reduced()
    return None if 0 in kept else tuple(sorted(kept.values()))


Equation = tuple[str, Term, int]


def _is_contradiction(equations: Iterable[Equation]) -> bool:
    """Tell whether a column would be two numbers at once: the common case, found without algebra."""
    numbers: dict[str, int] = {}
    return any(
        numbers.setdefault(name, term.value) != term.value
        for name, term, _ in equations
        if isinstance(term, Number)
    )


def _lay_out(equations: Iterable[Equation]) -> dict[str, int]:
    """Return the first coordinate of each column: above those of all packets."""
    starts: dict[str, int] = {}
    place = 1 + 3 * TOTAL
    for name, term, _ in equations:
        if name not in starts:
            starts[name] = place
            place += getattr(term, "width", 0)
    return starts


def _move(form: int, packet: int) -> int:
    """Put a packet's coordinates in their place: steerable ones low, all others above both packets'."""
    constant, steerable, rest = form & 1, form >> 1 & (1 << SIZE) - 1, form >> WIDTH
    if packet == 2:
        return constant ^ (form >> 1) << 1 + 2 * TOTAL
    return constant ^ steerable << 1 + packet * SIZE ^ rest << 1 + 2 * SIZE + packet * (TOTAL - WIDTH)
