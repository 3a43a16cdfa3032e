"""Where ways meet: one state for many, in which what is equal on every way stays equal.

A value that differs between ways becomes a new unknown when the other side has the same values on
the same ways: both then hold the *same* unknown. So the relation between the two sides at a join is
found, not given, and nothing but what held on every way is assumed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import z3

from synth.graph.evaluator.path import Delivery
from synth.graph.evaluator.program import Way
from synth.proof.questions import Facts, Questions, opposite
from synth.proof.sides import AnyPath, Side, tokens_of
from synth.proof.symbols import Term
from synth.proof.unknowns import Unknowns
from synth.proof.z3_domain import SymbolicPacket

Row = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """The chain as written and its result at two places, under facts about values on both."""

    written: Side
    result: Side
    facts: Facts

    @property
    def key(self) -> tuple[object, ...]:
        """What must be the same for two pairs to be merged."""
        sides = (self.written, self.result)
        places = (part for side in sides for part in (*side.place, _done(side.path), _origins(side)))
        return tuple(places)

    @property
    def rank(self) -> int:
        """How far the pair has come; every move makes it greater."""
        return self.written.rank + self.result.rank

    def copy(self, *facts: Term) -> "Pair":
        """Return a pair that goes on apart, under further facts."""
        return Pair(self.written.copy(), self.result.copy(), (*self.facts, *facts))


def _origins(side: Side) -> tuple[str, ...]:
    """Return where the packets come from that a side has, has sent or will hand over."""
    path = side.path
    waiting = [
        value
        for later in path.waiting
        for value in (*later.arguments, *(later.slots[slot] for slot in _live_behind(side, later)))
    ]
    values = (*(path.slots[slot] for slot in side.live), *(packet for _, packet in path.emissions), *waiting)
    return tuple(value.origin for value in values if isinstance(value, SymbolicPacket))


def _done(path: AnyPath) -> tuple[object, ...]:
    waiting = tuple((id(later.target), len(later.arguments)) for later in path.waiting)
    emitted = tuple(interface for interface, _ in path.emissions)
    return waiting, emitted, frozenset(path.drops.items()), path.generated


@dataclass(slots=True)
class _Unifier:
    """Gives a row of terms, one from each way, its one term.

    `shared` are the rows that both sides have: they become unknowns. A row of one side alone
    becomes a choice by `conditions`, what held on each way alone, since the other side may have taken it
    apart; without conditions it becomes an unknown, too. An unknown that could have been a choice is
    defined as one, for questions that need it: one side may have asked before the join what the other asks
    behind it.
    """

    shared: set[Row]
    conditions: Sequence[Term] | None
    questions: Questions
    unknowns: Unknowns
    place: object
    known: dict[Row, Any] = field(default_factory=dict)

    def unify(self, terms: Sequence[Any]) -> Any:
        first = terms[0]
        if any(term is None for term in terms):
            return None
        if isinstance(first, SymbolicPacket):
            return self._packets(terms)
        if all(term.eq(first) for term in terms[1:]):
            return first
        row = row_of(terms)
        if row not in self.known:
            self.known[row] = self._unknown(terms) if self.conditions is None else self._either(terms, row)
        return self.known[row]

    def _either(self, terms: Sequence[Term], row: Row) -> Term:
        assert self.conditions is not None
        choice = _choose(self.conditions, terms)
        if row not in self.shared:
            return choice
        # The same conditions, or it would be the same unknown with another definition.
        unknown = self.unknowns.at(self.place, "joined", terms[0], because=(*terms, *self.conditions))
        self.questions.define(unknown, choice)
        return unknown

    def _unknown(self, terms: Sequence[Term]) -> Term:
        return self.unknowns.at(self.place, "joined", terms[0], because=terms)

    def _packets(self, packets: Sequence[SymbolicPacket]) -> SymbolicPacket:
        return replace(packets[0], writes={path: self.unify(row) for path, row in _fields(packets)})


def _choose(conditions: Sequence[Term], terms: Sequence[Term]) -> Term:
    chosen = terms[-1]
    for condition, term in zip(conditions[-2::-1], terms[-2::-1], strict=True):
        chosen = z3.If(condition, term, chosen)
    return chosen


def _fields(packets: Sequence[SymbolicPacket]) -> Iterator[tuple[str, list[Term]]]:
    for path in dict.fromkeys(path for packet in packets for path in packet.writes):
        yield path, [packet.current(path) for packet in packets]


def row_of(terms: Sequence[Term]) -> Row:
    """Return what tells rows of terms apart."""
    return tuple(term.get_id() for term in terms)


def merge(pairs: Sequence[Pair], questions: Questions, unknowns: Unknowns) -> Pair:
    """Return one pair for several with the same key."""
    if len(pairs) == 1:
        return pairs[0]
    facts = common_facts([pair.facts for pair in pairs])
    own = [_own_condition(pair.facts, facts) for pair in pairs]
    written, result = [pair.written for pair in pairs], [pair.result for pair in pairs]
    shared = set(_rows_of(written)) & set(_rows_of(result))
    conditions = own if _are_exclusive(own, facts, questions) else None
    unifier = _Unifier(shared, conditions, questions, unknowns, pairs[0].key)
    merged = z3.simplify(z3.Or(*own))
    facts = facts if z3.is_true(merged) else (*facts, merged)
    return Pair(_merge_sides(written, unifier), _merge_sides(result, unifier), facts)


def _own_condition(facts: Facts, common: Facts) -> Term:
    ids = {fact.get_id() for fact in common}
    return z3.And(*(fact for fact in facts if fact.get_id() not in ids))


def _are_exclusive(conditions: Sequence[Term], facts: Facts, questions: Questions) -> bool:
    """Tell whether no two conditions can hold at once: only then a choice by conditions is right."""
    return all(
        _are_opposed(one, other) or questions.is_implied(facts, z3.Not(z3.And(one, other)))
        for one, other in combinations(conditions, 2)
    )


def _are_opposed(one: Term, other: Term) -> bool:
    """Tell whether some part of one conjunction is the negation of some part of the other."""
    parts = {part.get_id() for part in one.children()}
    return any(opposite(part).get_id() in parts for part in other.children())


def _rows_of(sides: Sequence[Side]) -> Iterator[Row]:
    """Yield the rows of terms that one side has: its values, packets' fields, and state."""
    for terms in _columns(sides):
        if any(term is None for term in terms):
            continue
        if isinstance(terms[0], SymbolicPacket):
            yield from (row_of(row) for _, row in _fields(terms))
        else:
            yield row_of(terms)


def _columns(sides: Sequence[Side]) -> Iterator[Sequence[Any]]:
    first, paths = sides[0], [side.path for side in sides]
    for slot in first.live:
        yield [path.slots[slot] for path in paths]
    for emission in zip(*(path.emissions for path in paths), strict=True):
        yield [packet for _, packet in emission]
    for later in zip(*(path.waiting for path in paths), strict=True):
        yield from zip(*(one.arguments for one in later), strict=True)
        for slot in _live_behind(first, later[0]):
            yield [one.slots[slot] for one in later]
    versions = [tokens_of(path).versions() for path in paths]
    for name in versions[0]:
        yield [one[name] for one in versions]


def _live_behind(side: Side, later: Delivery) -> Sequence[int]:
    return side.plan.live_behind(later.target) if isinstance(later.target, Way) else ()


def common_facts(all_facts: Sequence[Facts]) -> Facts:
    """Return the facts that are the same term on every way."""
    others = [{fact.get_id() for fact in facts} for facts in all_facts[1:]]
    return tuple(fact for fact in all_facts[0] if all(fact.get_id() in ids for ids in others))


def _merge_sides(sides: Sequence[Side], unifier: _Unifier) -> Side:
    first, paths = sides[0], [side.path for side in sides]
    merged = first.copy()
    path = merged.path
    path.slots = _slots([one.slots for one in paths], first.live, first, unifier)
    path.emissions = [
        (emission[0][0], unifier.unify([packet for _, packet in emission]))
        for emission in zip(*(one.emissions for one in paths), strict=True)
    ]
    path.waiting = [
        _deliveries(later, first, unifier) for later in zip(*(one.waiting for one in paths), strict=True)
    ]
    versions = [tokens_of(one).versions() for one in paths]
    tokens_of(path).set_versions(
        {name: unifier.unify([one[name] for one in versions]) for name in versions[0]}
    )
    return merged


def _slots(rows: Sequence[list[Any]], live: Sequence[int], side: Side, unifier: _Unifier) -> list[Any]:
    """Return slots that hold what is needed; all else is as before a run."""
    slots = list(side.plan.program.blank)
    for slot in live:
        slots[slot] = unifier.unify([row[slot] for row in rows])
    return slots


def _deliveries(later: Sequence[Delivery], side: Side, unifier: _Unifier) -> Delivery:
    first = later[0]
    arguments = [unifier.unify(column) for column in zip(*(one.arguments for one in later), strict=True)]
    slots = _slots([one.slots for one in later], _live_behind(side, first), side, unifier)
    return Delivery(first.target, arguments, slots, first.visits)
