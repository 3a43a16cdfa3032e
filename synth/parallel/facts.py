"""Equalities that surely hold in a block, on every way of a unit that leads to it.

They are terms over the arguments of the block and of those that dominate it. Where ways meet, what all of
them know stays; on entering a block, whatever speaks of a value that the block defines anew is forgotten.
"""

from collections.abc import Mapping

from synth.graph.nodes import Binary, Unary, Value
from synth.parallel.slicing import Slicer
from synth.parallel.terms import Term, mentioned
from synth.parallel.units import Way

Equality = tuple[Term, Term]
Facts = frozenset[Equality]


def find_facts(slicer: Slicer) -> Mapping[str, Facts]:
    """Return the equalities known on entry of each block of the slicer's unit."""
    unit = slicer.unit
    known: dict[str, Facts] = {}
    is_changing = True
    while is_changing:
        is_changing = False
        for name in unit.order:
            arriving = [
                known[way.source] | _learned(way, slicer)
                for way in unit.incoming[name]
                if way.source in known
            ]
            if name == unit.entry:
                arriving.append(frozenset())
            found = frozenset(
                fact for fact in frozenset.intersection(*arriving) if not _is_defined_in(name, fact, slicer)
            )
            if known.get(name) != found:
                known[name], is_changing = found, True
    return known


def _is_defined_in(block: str, fact: Equality, slicer: Slicer) -> bool:
    return any(slicer.index.places[value] == block for value in mentioned(fact[0]) | mentioned(fact[1]))


def _learned(way: Way, slicer: Slicer) -> Facts:
    """Return the equalities that a branch tells on a way."""
    return frozenset() if way.condition is None else frozenset(_equalities(way.condition, way.holds, slicer))


def _equalities(condition: Value, holds: bool, slicer: Slicer) -> list[Equality]:  # noqa: FBT001 - a truth value
    match slicer.index.producers.get(condition):
        case Binary(op="eq", left=left, right=right) if holds:
            return [(slicer.expand(left), slicer.expand(right))]
        case Binary(op="ne", left=left, right=right) if not holds:
            return [(slicer.expand(left), slicer.expand(right))]
        case Binary(op="and", left=left, right=right) if holds:
            return _equalities(left, holds, slicer) + _equalities(right, holds, slicer)
        case Binary(op="or", left=left, right=right) if not holds:
            return _equalities(left, holds, slicer) + _equalities(right, holds, slicer)
        case Unary(op="not", operand=operand):
            return _equalities(operand, not holds, slicer)
        case _:
            return []
