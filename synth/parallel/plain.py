"""Terms with only what decides where a packet must go: equal accesses become one, and there are few of them.

Three things say where a place in state is: bits of the received packet, chosen values (`Owned`), and
columns that the maker of an entry settled (`translate.py`). Everything else is opaque, as the relations
take it anyway.
"""

from dataclasses import replace

from synth.parallel.linear import forms
from synth.parallel.slicing import rebuild
from synth.parallel.terms import (
    Apply,
    ColumnOf,
    Field,
    Found,
    Inserted,
    Number,
    Opaque,
    Owned,
    Pending,
    PendingField,
    Term,
    parts,
)

Columns = tuple[tuple[str, Term], ...]


def plain_columns(columns: Columns) -> Columns:
    """Return columns with plain terms."""
    return tuple((name, plain(term)) for name, term in columns)


def plain(term: Term) -> Term:
    """Return a term with what says nothing made opaque."""
    match term:
        case Field() | Number() | Owned() | Opaque():
            return term
        case ColumnOf(entry=Found(index="unique") as entry):
            return replace(term, entry=replace(entry, key=()))
        case Apply(width=width):
            changed = rebuild(term, tuple(plain(part) for part in parts(term)))
            return changed if _says_something(changed) else Opaque(width)
        case ColumnOf(width=width) | Pending(width=width) | PendingField(width=width):
            return Opaque(width)
        case Found() | Inserted():
            return Opaque(0)


def _says_something(term: Term) -> bool:
    return any(form is not None for form in forms(term)) or any(
        _is_settled_later(part) for part in parts(term)
    )


def _is_settled_later(term: Term) -> bool:
    return isinstance(term, ColumnOf) or any(_is_settled_later(part) for part in parts(term))
