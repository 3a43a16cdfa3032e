"""Accesses by what an entry remembers: they count as accesses by the packet that made the entry.

A packet that found an entry by its unique key is on the core of that entry, and that is the core of the
packet that inserted it (the constraints on the entry's own table see to both). When it then uses a key
column of the entry as (part of) another object's key, the object is touched where the inserting packet
would touch it.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from synth.parallel.accesses import Access, Insertion
from synth.parallel.plain import Columns, plain_columns
from synth.parallel.slicing import rebuild
from synth.parallel.terms import ColumnOf, Field, Found, Opaque, Term, parts

DEPTH = 3
"""How many tables may stand between a packet and the one that counts; past it, nothing is known."""


MOST = 100
"""How many accesses one may become; past it, nothing is known of it."""


def translate(
    accesses: Iterable[Access], insertions: Mapping[str, tuple[Insertion, ...]]
) -> tuple[Access, ...]:
    """Return accesses whose columns are over their own subject's packet, equal ones once."""
    found: dict[Access, None] = {}
    for access in dict.fromkeys(accesses):
        found.update(_translate_one(access, insertions))
    return tuple(found)


def _translate_one(access: Access, insertions: Mapping[str, tuple[Insertion, ...]]) -> dict[Access, None]:
    done: dict[Access, None] = {}
    todo: dict[Access, None] = {access: None}
    for _ in range(DEPTH):
        waiting, todo = todo, {}
        for one in waiting:
            entry = _remembering_entry(one.columns, insertions)
            if entry is None:
                done[one] = None
            else:
                todo.update(dict.fromkeys(islice(_through(one, entry, insertions), MOST + 1)))
            if len(todo) + len(done) > MOST:
                return {replace(access, columns=_forget(access.columns), knows=()): None}
    return done | {replace(one, columns=_forget(one.columns), knows=()): None for one in todo}


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


def _through(
    access: Access, entry: Found, insertions: Mapping[str, tuple[Insertion, ...]]
) -> Iterable[Access]:
    for insertion in insertions.get(entry.table, ()):
        columns = tuple((name, _swap(term, entry, insertion)) for name, term in access.columns)
        yield replace(
            access, unit=insertion.unit, columns=plain_columns(columns), knows=(), lookup=None,
            through=access.through | {entry.table},
        )  # fmt: skip


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
