"""Accesses by what an entry remembers: they count as accesses by the packet that made the entry.

A packet that found an entry by its unique key is on the core of that entry, and that is the core of the
packet that inserted it (the constraints on the entry's own table see to both). When it then uses a key
column of the entry as (part of) another object's key, the object is touched where the inserting packet
would touch it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice

from synth.parallel.accesses import Access, Insertion
from synth.parallel.plain import Columns, plain_columns
from synth.parallel.slicing import rebuild
from synth.parallel.terms import ColumnOf, Field, Found, Opaque, Term, parts
from synth.parallel.units import Unit

DEPTH = 3
"""How many tables may stand between a packet and the one that counts; past it, nothing is known."""


MOST = 100
"""How many accesses one may become; past it, nothing is known of it."""


def translate(
    accesses: Iterable[Access], insertions: Mapping[str, tuple[Insertion, ...]]
) -> tuple[Access, ...]:
    """Return accesses whose columns are over their own subject's packet, equal ones once."""
    found: dict[Access, None] = {}
    known: dict[Columns, tuple[Place, ...]] = {}
    for access in dict.fromkeys(accesses):
        if access.columns not in known:
            known[access.columns] = _translate_columns(access.columns, insertions)
        for place in known[access.columns]:
            found[_at(access, place)] = None
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an access touches: columns over the packet that made an entry in that unit; None: its own."""

    unit: Unit | None
    columns: Columns
    through: frozenset[str]


def _at(access: Access, place: Place) -> Access:
    if place.unit is None:
        return replace(access, columns=place.columns)
    return replace(
        access, unit=place.unit, columns=place.columns, knows=(), lookup=None, through=place.through
    )


def _translate_columns(
    columns: Columns, insertions: Mapping[str, tuple[Insertion, ...]]
) -> tuple[Place, ...]:
    start = Place(None, columns, frozenset())
    done: dict[Place, None] = {}
    todo: dict[Place, None] = {start: None}
    for _ in range(DEPTH):
        waiting, todo = todo, {}
        for one in waiting:
            entry = _remembering_entry(one.columns, insertions)
            if entry is None:
                done[one] = None
            else:
                todo.update(dict.fromkeys(islice(_through(one, entry, insertions), MOST + 1)))
            if len(todo) + len(done) > MOST:
                return (replace(start, columns=_forget(columns)),)
    return (*done, *(replace(one, columns=_forget(one.columns)) for one in todo))


def _remembering_entry(columns: Columns, insertions: Mapping[str, tuple[Insertion, ...]]) -> Found | None:
    """Return an entry, found by its unique key, that columns speak of, of a column the inserter settled."""
    for _, term in columns:
        for part in _all_parts(term):
            if not isinstance(part, ColumnOf) or not isinstance(part.entry, Found):
                continue
            entry = part.entry
            is_settled = any(part.column in made.columns for made in insertions.get(entry.table, ()))
            if entry.index == "unique" and is_settled:
                return entry
    return None


def _all_parts(term: Term) -> Iterator[Term]:
    yield term
    for part in parts(term):
        yield from _all_parts(part)


def _through(place: Place, entry: Found, insertions: Mapping[str, tuple[Insertion, ...]]) -> Iterator[Place]:
    for insertion in insertions.get(entry.table, ()):
        columns = tuple((name, _swap(term, entry, insertion)) for name, term in place.columns)
        yield Place(insertion.unit, plain_columns(columns), place.through | {entry.table})


def _swap(term: Term, entry: Found, insertion: Insertion) -> Term:
    """Return a term over the inserter's packet; what is of the access's own packet is forgotten."""
    if isinstance(term, ColumnOf) and term.entry == entry:
        return insertion.columns.get(term.column, Opaque(term.width))
    if isinstance(term, Field | ColumnOf):
        return Opaque(term.width)
    return rebuild(term, tuple(_swap(part, entry, insertion) for part in parts(term)))


def _forget(columns: Columns) -> Columns:
    return tuple(
        (
            name,
            Opaque(getattr(term, "width", 0))
            if any(isinstance(p, ColumnOf) for p in _all_parts(term))
            else term,
        )
        for name, term in columns
    )
