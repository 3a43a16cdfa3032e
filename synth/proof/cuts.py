"""Loops in a proof: what is known where both sides enter a block that has a visit budget.

At every arrival both sides must have done the same. Behind the cut the walk starts once, from a packet
whose written fields are unknown, an unknown state, and the facts and values that were the same at every
arrival (`roles.py` says what each value that is carried into the cut can be). An arrival that knows less
weakens the cut, which is then walked again; that ends, since there is less each time.

The visits themselves need no terms: the sides enter the same cuts in the same order along every
packet's lineage, so their counts are equal, and a spent budget drops on both.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import z3

from synth.net.kinds import HEADERS
from synth.proof.merge import Pair
from synth.proof.outcome import Difference, compare
from synth.proof.questions import Facts, Questions
from synth.proof.roles import Arrival, Behind, Role, arrival, find_role
from synth.proof.sides import AnyPath, Side, tokens_of
from synth.proof.symbols import Symbols, Term
from synth.proof.unknowns import Unknowns
from synth.proof.z3_domain import SymbolicPacket


@dataclass(slots=True)
class Cut:
    """What is known at a budgeted block: a pair of sides at its start, with facts.

    `base` is the packet as written before anything was written to it: one that came in, or that was made.
    `fields` are the paths that some arrival has written, each with its value if that was one term at every
    arrival, and `versions` those of the state objects in the same way; `roles` say what each value is
    that is carried into the block but the packet as written.
    """

    name: str
    pair: Pair
    base: SymbolicPacket
    facts: Facts
    fields: dict[str, Any]
    versions: dict[str, Any]
    roles: tuple[Role, ...]
    is_changed: bool = True

    def behind(self, unknowns: Unknowns, questions: Questions) -> Pair:
        """Return the pair from which the walk goes on, and mark the cut as walked."""
        self.is_changed = False
        pair = self.pair.copy()
        writes = {
            path: unknowns.at("cut", path, self.base.fields[path]) if term is None else term
            for path, term in self.fields.items()
        }
        unknown = replace(self.base, writes=writes)
        behind = Behind(unknown, self.facts, questions, unknowns)
        carried, own = _carried(pair), _packet_slot(pair.written)
        values = [
            role.behind(side.path.slots[slot], behind)
            for (side, slot), role in zip(carried, self.roles, strict=True)
        ]
        for side in (pair.written, pair.result):
            side.path.slots = list(side.plan.program.blank)
            _forget_past(side.path)
        for (side, slot), value in zip(carried, values, strict=True):
            side.path.slots[slot] = value
        if own is not None:
            pair.written.path.slots[own] = unknown
        state = tokens_of(pair.written.path).versions()
        _set_state(
            pair,
            {
                name: unknowns.at("cut", name, state[name]) if term is None else term
                for name, term in self.versions.items()
            },
        )
        return Pair(pair.written, pair.result, self.facts)


@dataclass(slots=True)
class Loops:
    """All cuts that a walk has met, by block and the origins of the packets that are carried into it.

    `packet` is the packet that came in.
    """

    packet: SymbolicPacket
    cuts: dict[tuple[str, ...], Cut] = field(default_factory=dict)
    unknowns: Unknowns = field(default_factory=Unknowns)
    _symbols: Symbols = field(default_factory=Symbols)

    def next_changed(self) -> Cut | None:
        """Return a cut that must be walked (again), or None.

        The first one on the way is taken: those behind it may become weaker by what arrives from there.
        """
        changed = [cut for cut in self.cuts.values() if cut.is_changed]
        return min(changed, key=_place, default=None)

    def behind(self, cut: Cut, questions: Questions) -> Pair:
        """Return the pair from which the walk goes on behind a cut."""
        return cut.behind(self.unknowns, questions)

    def arrive(self, pair: Pair, questions: Questions) -> Sequence[Difference]:
        """Check an arrival and take in what it knows; return what differs between the sides."""
        written, result = pair.written, pair.result
        assert written.block is not None
        assert result.block is not None
        name = written.block.name
        if name != result.block.name or written.plan.budgets[name] != result.plan.budgets[name]:
            if not questions.is_possible(pair.facts):
                return []
            return [Difference(f"the sides enter {name} and {result.block.name}", pair, None)]
        if differences := compare(pair, questions):
            return differences
        at = arrival(self._packet_of(pair), pair.facts, questions)
        key = (name, *_origins(pair))
        known = self.cuts.get(key)
        roles = _roles(pair, known, at)
        if known is None:
            fields, versions = dict(at.packet.writes), tokens_of(written.path).versions()
            kept = (*fields.values(), *versions.values(), *(getattr(role, "term", None) for role in roles))
            facts = self._lasting_facts(at, [term for term in kept if term is not None])
            base = replace(at.packet, writes={})
            made = [origin for origin in key[1:] if origin != self.packet.origin]
            title = f"{name} with {', '.join(key[1:])}" if made else name
            self.cuts[key] = Cut(title, pair.copy(), base, facts, fields, versions, roles)
        else:
            _weaken(known, at, roles, tokens_of(written.path).versions())
        return []

    def after(self, pair: Pair) -> Pair:
        """Return the pair when what lies behind the cut is over: the next deliveries, any state."""
        state = tokens_of(pair.written.path).versions()
        _set_state(pair, {name: self.unknowns.at(pair.key, name, term) for name, term in state.items()})
        pair.written.skip()
        pair.result.skip()
        return pair

    def _packet_of(self, pair: Pair) -> SymbolicPacket:
        """Return the packet as written: the one that the chain as written carries into its block."""
        slot = _packet_slot(pair.written)
        return self.packet if slot is None else pair.written.path.slots[slot]

    def _lasting_facts(self, at: Arrival, kept: Sequence[Term]) -> Facts:
        """Return what can still matter behind a cut of the facts at its first arrival.

        That is what speaks of nothing but the packet that came in and terms that are `kept`, and what
        follows of the packet's kind, in such words that another arrival can know it, too.
        """
        packet = self.packet
        known = self._symbols.of(*packet.has.values(), *packet.fields.values(), packet.length, *kept)
        facts = {fact.get_id(): fact for fact in _kind_facts(at)}
        facts |= {fact.get_id(): fact for fact in at.facts if self._symbols.of(fact) <= known}
        return tuple(facts.values())


def _place(cut: Cut) -> int:
    written = cut.pair.written
    return written.plan.cut_order[written.place[0]]


def _kind_facts(at: Arrival) -> Iterator[Term]:
    for word in HEADERS:
        present = at.packet.has[word]
        if word in at.absent:
            yield z3.Not(present)
        elif at.questions.is_implied(at.facts, present):
            yield present


def _origins(pair: Pair) -> tuple[str, ...]:
    """Return where the packets come from that are carried into a cut, on both sides."""
    values = (side.path.slots[slot] for side in (pair.written, pair.result) for slot in _carried_slots(side))
    return tuple(value.origin for value in values if isinstance(value, SymbolicPacket))


def _packet_slot(side: Side) -> int | None:
    """Return where the packet stands that a side carries into its block, the first if there are more."""
    slots = side.path.slots
    return next((slot for slot in _carried_slots(side) if isinstance(slots[slot], SymbolicPacket)), None)


def _carried_slots(side: Side) -> tuple[int, ...]:
    assert side.block is not None
    return side.plan.carried[side.block.name]


def _carried(pair: Pair) -> list[tuple[Side, int]]:
    """Return where the values are that are carried into a cut, but for the packet as written."""
    own = _packet_slot(pair.written)
    values = [(pair.written, slot) for slot in _carried_slots(pair.written) if slot != own]
    return values + [(pair.result, slot) for slot in _carried_slots(pair.result)]


def _forget_past(path: AnyPath) -> None:
    path.emissions, path.waiting, path.drops, path.generated = [], [], {}, 0


def _set_state(pair: Pair, versions: Mapping[str, Any]) -> None:
    for side in (pair.written, pair.result):
        tokens_of(side.path).set_versions(versions)


def _roles(pair: Pair, cut: Cut | None, at: Arrival) -> tuple[Role, ...]:
    values = [side.path.slots[slot] for side, slot in _carried(pair)]
    before: Sequence[Role | None] = [None] * len(values) if cut is None else cut.roles
    twins = _twins(values, [0 if role is None else role.twin for role in before])
    return tuple(
        find_role(value, known, twin, at) for value, known, twin in zip(values, before, twins, strict=True)
    )


def _twins(values: Sequence[Any], before: Sequence[int]) -> list[int]:
    """Return for each value the first one that is the same term now and was so before."""
    first: dict[object, int] = {}
    return [
        first.setdefault((known, _identity(value)), number)
        for number, (value, known) in enumerate(zip(values, before, strict=True))
    ]


def _identity(value: Any) -> object:
    if isinstance(value, SymbolicPacket):
        return value.origin, *((path, term.get_id()) for path, term in sorted(value.writes.items()))
    return value.get_id()


def _weaken(cut: Cut, at: Arrival, roles: tuple[Role, ...], versions: Mapping[str, Any]) -> None:
    """Keep of a cut what this arrival knows too."""
    before = _shape(cut)
    cut.facts = tuple(fact for fact in cut.facts if at.questions.is_implied(at.facts, fact))
    cut.fields = {
        path: _same(cut.fields.get(path, at.packet.fields[path]), at.packet.current(path))
        for path in dict.fromkeys((*cut.fields, *at.packet.writes))
    }
    cut.versions = {name: _same(known, versions[name]) for name, known in cut.versions.items()}
    cut.roles = roles
    cut.is_changed |= _shape(cut) != before


def _same(known: Any, arrived: Any) -> Any:
    """Return the one term of all arrivals, or None."""
    return known if known is not None and known.eq(arrived) else None


def _shape(cut: Cut) -> object:
    """Return what tells whether a walk behind a cut must be done again, once it is known what can change."""
    unknown = {name for name, term in (*cut.fields.items(), *cut.versions.items()) if term is None}
    return len(cut.facts), set(cut.fields), unknown, [role.key for role in cut.roles]
