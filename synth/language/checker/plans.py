"""What a chain declaration says, checked once: parts, interfaces and wires, nothing expanded."""

from collections.abc import Mapping
from dataclasses import dataclass

from synth.diagnostics.spans import Span
from synth.language import syntax, typed
from synth.language.checker.units import Unit
from synth.language.reach import emits, receives

MOST_INSTANCES = 1024
"""So many may a flattened chain have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """An instance of an NF or of another chain.

    `content` None: what it is made of is wrong or unknown. `sides` of NFs that take any are those
    that the wires name, in their order.
    """

    name: str
    content: "typed.TypedNf | Plan | None"
    sides: tuple[str, ...]
    arguments: tuple[syntax.Argument, ...]
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A chain declaration. The owner of an endpoint is a part, an interface, or empty: an own side."""

    name: str
    unit: Unit
    item: syntax.Chain
    parameters: tuple[typed.NfParameter, ...]
    sides: tuple[str, ...]
    interfaces: tuple[typed.Interface, ...]
    parts: Mapping[str, Part]
    wires: tuple[typed.Wire, ...]
    size: int
    """How many instances there are, nested chains and all in them too, up to one more than allowed."""
    budget: int | None
    budget_span: Span | None


def emitting_sides(part: Part, receiving: frozenset[str]) -> tuple[str, ...]:
    """Return the sides on which a part can emit what arrives at some of its sides."""
    match part.content:
        case None:
            return ()
        case typed.TypedNf() as nf:
            found = {name for side in receiving for name in emits(nf, part.sides, side)}
        case Plan() as plan:
            found = {wire.target.side for wire in plan.wires if not wire.target.owner}
    return tuple(side for side in part.sides if side in found)


def receiving_sides(part: Part) -> tuple[str, ...]:
    """Return the sides at which a part takes packets."""
    match part.content:
        case None:
            return part.sides
        case typed.TypedNf() as nf:
            return receives(nf, part.sides)
        case Plan() as plan:
            taken = {wire.source.side for wire in plan.wires if not wire.source.owner}
            return tuple(side for side in part.sides if side in taken)
