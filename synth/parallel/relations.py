"""Which packets must meet: linear relations between the packets of two units.

Two accesses to one object touch the same place only if their columns agree. What is linear in the columns
gives equations over the bits of both packets; what is not is dropped, which makes more packets meet: sound.
The columns themselves, and the packet that made the entry, are eliminated exactly (Gauss).

A relation's rows are over coordinate 0 (the constant one), the first packet's steerable bits, then the
second's: `linear.WIDTH - 1` each.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import combinations_with_replacement, product

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
Accesses = tuple[Access, ...]


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


Found = dict[object, Relation]
"""Relations by their units and rows."""


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


def _arrival(family: FAMILY, access: Access, term: Term) -> Arrival:
    """Return an arrival; its access is to the value itself, so that all of a unit's are one."""
    carried = replace(
        access, how="unique", columns=(("value", term),), knows=(), lookup=None, through=frozenset(),
        is_write=True, word="carry",
    )  # fmt: skip
    return Arrival(family, carried, term)


def relate(
    model: Model, modes: Modes, objects: Collection[str] | None = None
) -> tuple[tuple[Relation, ...], tuple[Arrival, ...]]:
    """Return every relation of a chain, or of some objects, equal ones once, and all arrivals."""
    found: Found = {}
    arrivals: dict[FAMILY, dict[Arrival, None]] = {}
    for name in sorted(model.written if objects is None else model.written & frozenset(objects)):
        _relate_object(name, model, modes, found, arrivals)
    for waiting in arrivals.values():
        for one, other in combinations_with_replacement([(arrival.access,) for arrival in waiting], 2):
            _relate_classes(one, other, (), found)
    relations = tuple(found.values())
    return relations, tuple(arrival for waiting in arrivals.values() for arrival in waiting)


def _relate_object(
    name: str, model: Model, modes: Modes, found: Found, arrivals: dict[FAMILY, dict[Arrival, None]]
) -> None:
    """Relate all accesses to an object; what several units do alike is looked at once."""
    classes = _classes(
        access
        for access in model.accesses
        if access.object == name and not _is_exempt(access, modes) and not _is_local(access, model)
    )
    for some, others in combinations_with_replacement(classes, 2):
        one, other = some[0], others[0]
        if not (one.is_write or other.is_write) or (one.word == other.word == "add"):
            continue
        carried = _arrivals(one, other, model, modes)
        if carried is None:
            for made in _made(one, other, model):
                _relate_classes(some, others, made, found)
            continue
        for family, access, term in carried:
            for same in some if access is one else others:
                arrivals.setdefault(family, {}).setdefault(_arrival(family, same, term))


def _classes(accesses: Iterable[Access]) -> list[Accesses]:
    """Put accesses together that do the same in several units, each unit once: a write if there is one."""
    merged: dict[object, Access] = {}
    for access in accesses:
        same = (access.unit, access.how, access.columns, access.knows, access.word == "add")
        if same not in merged or (access.is_write and not merged[same].is_write):
            merged[same] = access
    classes: dict[object, list[Access]] = {}
    for access in merged.values():
        alike = (access.how, access.columns, access.knows, access.word == "add", access.is_write)
        classes.setdefault(alike, []).append(access)
    return [tuple(some) for some in classes.values()]


def _relate_classes(some: Accesses, others: Accesses, made: Columns, found: Found) -> None:
    """Keep the relation under which two accesses touch one place, for all pairs of their units.

    `made`: the columns of the entry over the packet that inserted it, where that says more.
    """
    rows = _rows(some[0].columns + some[0].knows, others[0].columns + others[0].knows, made)
    if rows is None:
        return
    pairs = combinations_with_replacement(some, 2) if some is others else product(some, others)
    for one, other in pairs:
        if (same := (one.unit, other.unit, rows)) not in found:
            found[same] = Relation(units=(one.unit, other.unit), rows=rows, causes=(one, other), made=made)


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


def _arrivals(
    one: Access, other: Access, model: Model, modes: Modes
) -> tuple[tuple[FAMILY, Access, Term], ...] | None:
    """Return the packets that must come to a value's owner so that two accesses meet; None: not so."""
    column = model.chosen.get(one.object)
    if one.object in modes.core_aware and "unique" in (one.how, other.how):
        family = (one.object, str(column))
        return tuple(
            (family, access, term)
            for access in (one, other)
            for name, term in access.columns
            if access.how == "unique" and name == column
        )
    mine, others = dict(one.columns), dict(other.columns)
    for name in sorted(mine.keys() & others.keys()):
        pair = (mine[name], others[name])
        owned = [term for term in pair if isinstance(term, Owned)]
        if len(owned) == 2 and pair[0] == pair[1]:
            return ()
        if len(owned) == 1 and owned[0].table in modes.core_aware:
            family = (owned[0].table, owned[0].column)
            carried = [(access, dict(access.columns)[name]) for access in (one, other)]
            return tuple((family, access, term) for access, term in carried if not isinstance(term, Owned))
    return None


def _made(one: Access, other: Access, model: Model) -> Iterable[Columns]:
    """Return what makers of entries put into their columns, where it links two ways to find one."""
    if {one.how, other.how} == {"key", "unique"}:
        return dict.fromkeys(tuple(made.columns.items()) for made in model.insertions.get(one.object, ()))
    return ((),)


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
