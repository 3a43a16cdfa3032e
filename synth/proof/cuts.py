"""Loops in a proof: what is known where both sides enter a block that has a visit budget.

At every arrival both sides must have done the same and hold the same packet. Behind the cut the
walk starts once, from a packet whose written fields are unknown, an unknown state, and the facts and
values that were the same terms at every arrival. An arrival that knows less weakens the cut, which is then
walked again; that ends, since there is less each time.

The visits themselves need no terms: the sides enter the same cuts in the same order along every
packet's lineage, so their counts are equal, and a spent budget drops on both.
"""

from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import z3

from synth.net.fields import FIELDS
from synth.proof.merge import Pair
from synth.proof.outcome import Difference, compare, packets_agree
from synth.proof.questions import Facts, Questions
from synth.proof.sides import AnyPath, Side, tokens_of
from synth.proof.z3_domain import SymbolicPacket

_numbers = count()


@dataclass(slots=True)
class Cut:
    """What is known at a budgeted block: a pair of sides at its start, with facts.

    `fields` are the paths that some arrival has written; `parameters` say for each argument of the
    result's block which field of the packet it is (None: the whole packet).
    """

    pair: Pair
    facts: Facts
    fields: tuple[str, ...]
    parameters: tuple[str | None, ...]
    is_changed: bool = True

    def behind(self) -> Pair:
        """Return the pair from which the walk goes on, and mark the cut as walked."""
        self.is_changed = False
        pair = self.pair.copy()
        packet = _written_packet(pair.written)
        number = next(_numbers)
        writes = {path: z3.Const(f"{path}!cut{number}", packet.fields[path].sort()) for path in self.fields}
        unknown = replace(packet, writes=writes)
        pair.written.path.slots[_parameters(pair.written)[0]] = unknown
        for slot, path in zip(_parameters(pair.result), self.parameters, strict=True):
            pair.result.path.slots[slot] = unknown if path is None else unknown.current(path)
        for side in (pair.written, pair.result):
            _forget_past(side.path)
        _forget_state(pair)
        return Pair(pair.written, pair.result, self.facts)


def _parameters(side: Side) -> tuple[int, ...]:
    assert side.block is not None
    return side.plan.parameters[side.block.name]


def _written_packet(side: Side) -> SymbolicPacket:
    packet: SymbolicPacket = side.path.slots[_parameters(side)[0]]
    return packet


def _forget_past(path: AnyPath) -> None:
    path.emissions, path.waiting, path.drops, path.generated = [], [], {}, 0


def _forget_state(pair: Pair) -> None:
    number = next(_numbers)
    versions: dict[str, Any] = {
        name: z3.Const(f"{name}!cut{number}", version.sort())
        for name, version in tokens_of(pair.written.path).versions().items()
    }
    for side in (pair.written, pair.result):
        tokens_of(side.path).set_versions(versions)


@dataclass(slots=True)
class Loops:
    """All cuts that a walk has met, by block."""

    cuts: dict[str, Cut] = field(default_factory=dict)

    def next_changed(self) -> Cut | None:
        """Return a cut that must be walked (again), or None."""
        return next((cut for cut in self.cuts.values() if cut.is_changed), None)

    def arrive(self, pair: Pair, questions: Questions) -> list[Difference]:
        """Check an arrival and take in what it knows; return what differs between the sides."""
        written, result = pair.written, pair.result
        assert written.block is not None
        assert result.block is not None
        name = written.block.name
        if name != result.block.name or written.plan.budgets[name] != result.plan.budgets[name]:
            return [Difference(f"the sides enter {name} and {result.block.name}", pair, None)]
        if differences := compare(pair, questions):
            return differences
        if name not in self.cuts:
            parameters = _find_parameters(pair, questions)
            if parameters is None:
                return [Difference(f"an argument of {name} is no field of the packet", pair, None)]
            fields = tuple(_written_packet(written).writes)
            self.cuts[name] = Cut(pair.copy(), pair.facts, fields, parameters)
            return []
        return self._weaken(self.cuts[name], pair, questions)

    def _weaken(self, cut: Cut, pair: Pair, questions: Questions) -> list[Difference]:
        packet = _written_packet(pair.written)
        for slot, path in zip(_parameters(pair.result), cut.parameters, strict=True):
            value = pair.result.path.slots[slot]
            claims = packets_agree(packet, value) if path is None else [(path, packet.current(path) == value)]
            for what, claim in claims:
                if not questions.is_implied(pair.facts, claim):
                    return [Difference(f"{what} of a packet that enters a loop", pair, claim)]
        facts = tuple(fact for fact in cut.facts if questions.is_implied(pair.facts, fact))
        fields = tuple(dict.fromkeys((*cut.fields, *packet.writes)))
        slots_changed = _weaken_slots(cut.pair.written, pair.written) | _weaken_slots(
            cut.pair.result, pair.result
        )
        if slots_changed or len(facts) < len(cut.facts) or len(fields) > len(cut.fields):
            cut.facts, cut.fields, cut.is_changed = facts, fields, True
        return []

    def after(self, pair: Pair) -> Pair:
        """Return the pair when what lies behind the cut is over: the next deliveries, any state."""
        _forget_state(pair)
        pair.written.skip()
        pair.result.skip()
        return pair


def _weaken_slots(known: Side, arrived: Side) -> bool:
    """Forget values that are not the same term at this arrival; tell whether there were any."""
    changed = False
    own = set(_parameters(known))
    for slot, value in enumerate(known.path.slots):
        other = arrived.path.slots[slot]
        if value is None or slot in own:
            continue
        same = other is not None and (
            value == other if isinstance(value, SymbolicPacket) else bool(value.eq(other))
        )
        if not same:
            known.path.slots[slot] = None
            changed = True
    return changed


def _find_parameters(pair: Pair, questions: Questions) -> tuple[str | None, ...] | None:
    """Find out which field of the packet each argument of the result's block is."""
    packet = _written_packet(pair.written)
    found: list[str | None] = []
    for slot in _parameters(pair.result):
        value = pair.result.path.slots[slot]
        if isinstance(value, SymbolicPacket):
            found.append(None)
            continue
        path = next((path for path in FIELDS if _is_field(packet, path, value, pair.facts, questions)), None)
        if path is None:
            return None
        found.append(path)
    return tuple(found)


def _is_field(packet: SymbolicPacket, path: str, value: Any, facts: Facts, questions: Questions) -> bool:
    current = packet.current(path)
    return bool(current.sort() == value.sort()) and questions.is_implied(facts, current == value)
