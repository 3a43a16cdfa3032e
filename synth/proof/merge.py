"""Where ways meet: one state for many, in which what is equal on every way stays equal.

A value that differs between ways becomes a new unknown; values of either side that are the same
term on every way become the *same* unknown. So the relation between the two sides at a join is found,
not given, and nothing but what held on every way is assumed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import z3

from synth.graph.evaluator.path import Delivery
from synth.proof.questions import Facts, Term
from synth.proof.sides import AnyPath, Side, tokens_of
from synth.proof.z3_domain import SymbolicPacket

_numbers = count()


@dataclass(frozen=True, slots=True)
class Pair:
    """The chain as written and its result at two places, under facts about values on both."""

    written: Side
    result: Side
    facts: Facts

    @property
    def key(self) -> tuple[object, ...]:
        """What must be the same for two pairs to be merged."""
        return (*self.written.place, *self.result.place, _done(self.written.path), _done(self.result.path))

    @property
    def rank(self) -> int:
        """How far the pair has come; every move makes it greater."""
        return self.written.rank + self.result.rank

    def copy(self, *facts: Term) -> "Pair":
        """Return a pair that goes on apart, under further facts."""
        return Pair(self.written.copy(), self.result.copy(), (*self.facts, *facts))


def _done(path: AnyPath) -> tuple[object, ...]:
    waiting = tuple((id(later.target), len(later.arguments)) for later in path.waiting)
    emitted = tuple(interface for interface, _ in path.emissions)
    return waiting, emitted, frozenset(path.drops.items()), path.generated


@dataclass(slots=True)
class _Unifier:
    """Gives a row of terms, one from each way, its one term."""

    fresh: dict[tuple[int, ...], Any] = field(default_factory=dict)

    def unify(self, terms: Sequence[Any]) -> Any:
        first = terms[0]
        if any(term is None for term in terms):
            return None
        if isinstance(first, SymbolicPacket):
            return self._packets(terms)
        if all(term.eq(first) for term in terms[1:]):
            return first
        key = tuple(term.get_id() for term in terms)
        if key not in self.fresh:
            self.fresh[key] = z3.Const(f"joined!{next(_numbers)}", first.sort())
        return self.fresh[key]

    def _packets(self, packets: Sequence[SymbolicPacket]) -> SymbolicPacket:
        paths = dict.fromkeys(path for packet in packets for path in packet.writes)
        writes = {path: self.unify([packet.current(path) for packet in packets]) for path in paths}
        return replace(packets[0], writes=writes)


def merge(pairs: Sequence[Pair]) -> Pair:
    """Return one pair for several with the same key."""
    if len(pairs) == 1:
        return pairs[0]
    unifier = _Unifier()
    written = _merge_sides([pair.written for pair in pairs], unifier)
    result = _merge_sides([pair.result for pair in pairs], unifier)
    return Pair(written, result, common_facts([pair.facts for pair in pairs]))


def common_facts(all_facts: Sequence[Facts]) -> Facts:
    """Return the facts that are the same term on every way."""
    others = [{fact.get_id() for fact in facts} for facts in all_facts[1:]]
    return tuple(fact for fact in all_facts[0] if all(fact.get_id() in ids for ids in others))


def _merge_sides(sides: Sequence[Side], unifier: _Unifier) -> Side:
    merged = sides[0].copy()
    paths = [side.path for side in sides]
    path = merged.path
    path.slots = _rows([one.slots for one in paths], unifier)
    path.emissions = [
        (emission[0][0], unifier.unify([packet for _, packet in emission]))
        for emission in zip(*(one.emissions for one in paths), strict=True)
    ]
    path.waiting = [
        _deliveries(later, unifier) for later in zip(*(one.waiting for one in paths), strict=True)
    ]
    versions = [tokens_of(one).versions() for one in paths]
    tokens_of(path).set_versions(
        {name: unifier.unify([one[name] for one in versions]) for name in versions[0]}
    )
    return merged


def _rows(rows: Sequence[list[Any]], unifier: _Unifier) -> list[Any]:
    return [unifier.unify(column) for column in zip(*rows, strict=True)]


def _deliveries(later: Sequence[Delivery], unifier: _Unifier) -> Delivery:
    first = later[0]
    arguments = _rows([one.arguments for one in later], unifier)
    return Delivery(first.target, arguments, _rows([one.slots for one in later], unifier), first.visits)
