"""Loops in a proof: what is known where both sides enter a block that has a visit budget.

At every arrival both sides must have done the same and hold the same packet. Behind the cut the
walk starts once, from a packet whose written fields are unknown, an unknown state, and the facts and
values that were the same terms at every arrival. An arrival that knows less weakens the cut, which is then
walked again; that ends, since there is less each time.

The visits themselves need no terms: the sides enter the same cuts in the same order along every
packet's lineage, so their counts are equal, and a spent budget drops on both.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from synth.proof.merge import Pair
from synth.proof.outcome import Difference, compare
from synth.proof.questions import Facts, Questions
from synth.proof.roles import Role, find_role
from synth.proof.sides import AnyPath, Side, tokens_of
from synth.proof.unknowns import Unknowns
from synth.proof.z3_domain import SymbolicPacket


@dataclass(slots=True)
class Cut:
    """What is known at a budgeted block: a pair of sides at its start, with facts.

    `fields` are the paths that some arrival has written, each with its value if that was one term at every
    arrival; `roles` say what each value is that the result
    takes behind its block: arguments, and values from before it.
    """

    pair: Pair
    facts: Facts
    fields: dict[str, Any]
    roles: tuple[Role, ...]
    is_changed: bool = True

    def behind(self, unknowns: Unknowns) -> Pair:
        """Return the pair from which the walk goes on, and mark the cut as walked."""
        self.is_changed = False
        pair = self.pair.copy()
        packet = _written_packet(pair.written)
        writes = {
            path: unknowns.at("cut", path, packet.fields[path]) if term is None else term
            for path, term in self.fields.items()
        }
        unknown = replace(packet, writes=writes)
        pair.written.path.slots[_parameters(pair.written)[0]] = unknown
        for slot, role in zip(_carried(pair.result), self.roles, strict=True):
            pair.result.path.slots[slot] = role.behind(unknown, slot, unknowns)
        for side in (pair.written, pair.result):
            _forget_past(side.path)
        _forget_state(pair, "cut", unknowns)
        return Pair(pair.written, pair.result, self.facts)


@dataclass(slots=True)
class Loops:
    """All cuts that a walk has met, by block."""

    cuts: dict[str, Cut] = field(default_factory=dict)
    unknowns: Unknowns = field(default_factory=Unknowns)

    def next_changed(self) -> Cut | None:
        """Return a cut that must be walked (again), or None."""
        return next((cut for cut in self.cuts.values() if cut.is_changed), None)

    def arrive(self, pair: Pair, questions: Questions) -> Sequence[Difference]:
        """Check an arrival and take in what it knows; return what differs between the sides."""
        written, result = pair.written, pair.result
        assert written.block is not None
        assert result.block is not None
        name = written.block.name
        if name != result.block.name or written.plan.budgets[name] != result.plan.budgets[name]:
            return [Difference(f"the sides enter {name} and {result.block.name}", pair, None)]
        if differences := compare(pair, questions):
            return differences
        known = self.cuts.get(name)
        roles = _roles(pair, known, questions)
        if not all(role.is_possible for role in roles):
            return [
                Difference(
                    f"an argument of {name} or a value from before it is not what it was at another arrival",
                    pair,
                    None,
                )
            ]
        if known is None:
            fields = dict(_written_packet(written).writes)
            self.cuts[name] = Cut(pair.copy(), pair.facts, fields, roles)
        else:
            _weaken(known, pair, roles, questions)
        return []

    def after(self, pair: Pair) -> Pair:
        """Return the pair when what lies behind the cut is over: the next deliveries, any state."""
        _forget_state(pair, pair.key, self.unknowns)
        pair.written.skip()
        pair.result.skip()
        return pair


def _parameters(side: Side) -> tuple[int, ...]:
    assert side.block is not None
    return side.plan.parameters[side.block.name]


def _carried(side: Side) -> tuple[int, ...]:
    assert side.block is not None
    return side.plan.carried[side.block.name]


def _written_packet(side: Side) -> SymbolicPacket:
    packet: SymbolicPacket = side.path.slots[_parameters(side)[0]]
    return packet


def _forget_past(path: AnyPath) -> None:
    path.emissions, path.waiting, path.drops, path.generated = [], [], {}, 0


def _forget_state(pair: Pair, place: object, unknowns: Unknowns) -> None:
    versions: dict[str, Any] = {
        name: unknowns.at(place, name, version)
        for name, version in tokens_of(pair.written.path).versions().items()
    }
    for side in (pair.written, pair.result):
        tokens_of(side.path).set_versions(versions)


def _roles(pair: Pair, cut: Cut | None, questions: Questions) -> tuple[Role, ...]:
    packet = _written_packet(pair.written)
    slots = _carried(pair.result)
    before: Sequence[Role | None] = [None] * len(slots) if cut is None else cut.roles
    return tuple(
        find_role(pair.result.path.slots[slot], packet, known, pair.facts, questions)
        for slot, known in zip(slots, before, strict=True)
    )


def _weaken(cut: Cut, pair: Pair, roles: tuple[Role, ...], questions: Questions) -> None:
    """Keep of a cut what this arrival knows too."""
    facts = tuple(fact for fact in cut.facts if questions.is_implied(pair.facts, fact))
    fields = _common_fields(cut, _written_packet(pair.written))
    forgotten = [
        _forget_slots(cut.pair.written, pair.written),
        _forget_slots(cut.pair.result, pair.result),
    ]
    before = (len(cut.facts), _shape(cut.fields), [role.key for role in cut.roles])
    if any(forgotten) or (len(facts), _shape(fields), [role.key for role in roles]) != before:
        cut.is_changed = True
    cut.facts, cut.fields, cut.roles = facts, fields, roles


def _common_fields(cut: Cut, packet: SymbolicPacket) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for path in dict.fromkeys((*cut.fields, *packet.writes)):
        known = cut.fields.get(path, packet.fields[path])
        fields[path] = known if known is not None and known.eq(packet.current(path)) else None
    return fields


def _shape(fields: dict[str, Any]) -> dict[str, bool]:
    return {path: term is None for path, term in fields.items()}


def _forget_slots(known: Side, arrived: Side) -> bool:
    """Forget values that are not the same term at this arrival; tell whether there were any."""
    changed = False
    own = set(_carried(known))
    for slot, value in enumerate(known.path.slots):
        if value is None or slot in own:
            continue
        other = arrived.path.slots[slot]
        if other is None or not _is_same(value, other):
            known.path.slots[slot] = None
            changed = True
    return changed


def _is_same(value: Any, other: Any) -> bool:
    if isinstance(value, SymbolicPacket):
        return bool(value.writes.keys() == other.writes.keys()) and all(
            term.eq(other.writes[path]) for path, term in value.writes.items()
        )
    return bool(value.eq(other))
