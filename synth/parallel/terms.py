"""What a key is computed from: expressions over the packet as it was received.

`Pending` leaves stand for block arguments that are not followed yet; none is left in a finished slice.
"""

from dataclasses import dataclass
from typing import Literal, assert_never

from synth.graph.nodes import Bits, Bool, Type, Value


@dataclass(frozen=True, slots=True)
class Field:
    """A header field of the received packet."""

    path: str
    width: int


@dataclass(frozen=True, slots=True)
class Number:
    value: int
    width: int


@dataclass(frozen=True, slots=True)
class Apply:
    """A pure operation: a word of `nodes.BinaryOp`, `not`, `complement` or `resize`."""

    op: str
    operands: "tuple[Term, ...]"
    width: int


@dataclass(frozen=True, slots=True)
class Owned:
    """A value that an insert into `table` chose for the unique column `column`.

    The values are shared out among the cores, so the value names the core that owns it, for ever.
    """

    table: str
    column: str
    width: int


@dataclass(frozen=True, slots=True)
class Opaque:
    """Anything else: what other objects answered, hashes, choices between values."""

    width: int


@dataclass(frozen=True, slots=True)
class Found:
    """The entry that a lookup found; `value` tells one lookup from another."""

    table: str
    index: Literal["key", "unique"]
    key: "tuple[Term, ...]"
    value: Value


@dataclass(frozen=True, slots=True)
class Inserted:
    """The entry that an insert made; None where the unique column's scalar was chosen."""

    table: str
    key: "tuple[Term, ...]"
    unique: "tuple[Term | None, ...]"
    value: Value


@dataclass(frozen=True, slots=True)
class ColumnOf:
    """A scalar that an entry holds."""

    entry: "Term"
    column: str
    width: int


@dataclass(frozen=True, slots=True)
class Pending:
    """A block's argument."""

    value: Value
    width: int


@dataclass(frozen=True, slots=True)
class PendingField:
    """A header field of a packet that is a block's argument."""

    packet: Value
    path: str
    width: int


Term = Field | Number | Apply | Owned | Opaque | Found | Inserted | ColumnOf | Pending | PendingField


def width_of(kind: Type) -> int:
    """Return a scalar's width; a truth value has one bit, and other types count as none."""
    match kind:
        case Bits(width):
            return width
        case Bool():
            return 1
        case _:
            return 0


def parts(term: Term) -> tuple[Term, ...]:
    """Return the terms that a term is made of."""
    match term:
        case Apply(operands=operands):
            return operands
        case Found(key=key):
            return key
        case Inserted(key=key, unique=unique):
            return (*key, *(scalar for scalar in unique if scalar is not None))
        case ColumnOf(entry=entry):
            return (entry,)
        case Field() | Number() | Owned() | Opaque() | Pending() | PendingField():
            return ()
        case _:
            assert_never(term)


def pending(term: Term) -> frozenset[Value]:
    """Return the block arguments that a term still rests on."""
    match term:
        case Pending(value=value):
            return frozenset((value,))
        case PendingField(packet=packet):
            return frozenset((packet,))
        case _:
            return frozenset[Value]().union(*(pending(part) for part in parts(term)))


def mentioned(term: Term) -> frozenset[Value]:
    """Return all SSA values that a term speaks of, the results of lookups and inserts included."""
    own = frozenset((term.value,)) if isinstance(term, Found | Inserted) else frozenset[Value]()
    return own | pending(term) | frozenset[Value]().union(*(mentioned(part) for part in parts(term)))
