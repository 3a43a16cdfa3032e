"""Find what the chain first asks of a packet that comes in, as far as a switch can ask it too.

From an interface on, a packet's kind is followed through the graph until a rule set decides it. Behind
each verdict it is followed again: where that leads to nothing but a drop, the switch can drop.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from synth.graph.domains.integers import Integers
from synth.graph.effects import has_no_write
from synth.graph.nodes import (
    Binary,
    Block,
    Branch,
    ChainGraph,
    Constant,
    Deliver,
    Edge,
    Has,
    Interface,
    Jump,
    Op,
    Resize,
    RulesDecide,
    RuleTable,
    Select,
    Unary,
    Value,
)
from synth.graph.walk import uses
from synth.net.kinds import UNIVERSE, Kind

Verdict = tuple[int, int, int | None]
"""Matched, permits, and the rule's index where the chain uses it."""


@dataclass(frozen=True, slots=True)
class Place:
    """An operation: its block, its number there, and the handlers that lead to it, its own last."""

    block: str
    operation: int
    handlers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """Nothing happens to the packet but this drop."""

    counter: str


@dataclass(frozen=True, slots=True)
class Stopped:
    """The way cannot be followed further, and why."""

    why: str


@dataclass(frozen=True, slots=True)
class _Decides:
    place: Place
    known: Mapping[Value, Any]


Outcome = Dropped | Stopped


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """The first thing that the chain does to packets of an interface.

    All untagged IPv4 packets reach the rule set at `place`, unchanged; `verdicts` says what comes of each of
    its answers. `others` says what comes of other untagged frames, by what follows the Ethernet header.
    IPv6 is one of the rest (`none`): rules do not know it.
    """

    interface: str
    place: Place
    rules: RuleTable
    verdicts: Mapping[Verdict, Outcome]
    others: Mapping[str, Outcome]

    def verdict_of(self, index: int | None) -> Verdict:
        """Return the verdict of a rule, or that of no rule at all."""
        uses_index = next(iter(self.verdicts))[2] is not None
        if index is None:
            return 0, 0, 0 if uses_index else None
        return 1, int(self.rules.rules.rules[index].permits), index if uses_index else None


def classify(graph: ChainGraph, interface: Interface) -> Classification | Stopped:
    """Find the first classification of an interface that leads into the chain, or why there is none."""
    if interface.entry is None:
        return Stopped("nothing is wired to it")
    follower = _Follower(
        {block.name: block for block in graph.blocks},
        frozenset(handler.block for handler in graph.handlers if handler.budget is not None),
    )
    found = [follower.enter(interface.entry, kind) for kind in _untagged("ipv4")]
    first = found[0]
    stopped = next((one for one in found if isinstance(one, Stopped)), None)
    if stopped is not None:
        return stopped
    if not isinstance(first, _Decides) or any(
        not isinstance(one, _Decides) or one.place != first.place for one in found
    ):
        return Stopped("what kind of IPv4 packet it is decides whether rules are asked")
    op = follower.blocks[first.place.block].operations[first.place.operation]
    assert isinstance(op, RulesDecide)
    rules = next(s for s in graph.states if isinstance(s, RuleTable) and s.name == op.rules)
    return Classification(
        interface=interface.name,
        place=first.place,
        rules=rules,
        verdicts={
            verdict: _common(
                follower.go_on(one, op, verdict, kind)
                for one, kind in zip(found, _untagged("ipv4"), strict=True)
                if isinstance(one, _Decides)
            )
            for verdict in _verdicts(graph, rules, op.results[2])
        },
        others={
            l3: _common(_end(follower.enter(interface.entry, kind)) for kind in kinds)
            for l3, kinds in {"arp": _untagged("arp"), "none": _untagged("none") + _untagged("ipv6")}.items()
        },
    )


def _untagged(l3: str) -> list[Kind]:
    return sorted((kind for kind in UNIVERSE if kind.vlan_tags == 0 and kind.l3 == l3), key=str)


def _verdicts(graph: ChainGraph, rules: RuleTable, index: Value) -> list[Verdict]:
    if any(index in set(uses(block)) for block in graph.blocks):
        return [(0, 0, 0), *((1, int(rule.permits), n) for n, rule in enumerate(rules.rules.rules))]
    return [(0, 0, None), (1, 0, None), (1, 1, None)]


def _common(outcomes: Iterator[Outcome]) -> Outcome:
    first, *others = outcomes
    if isinstance(first, Stopped) or all(one == first for one in others):
        return first
    return Stopped("what becomes of it depends on its kind")


def _end(found: "Outcome | _Decides") -> Outcome:
    return Stopped("a rule set is asked") if isinstance(found, _Decides) else found


_DOMAIN = Integers()
_RECEIVED = object()
"""What is known of the packet value that came in: that it is this one."""


@dataclass(frozen=True, slots=True)
class _Follower:
    blocks: Mapping[str, Block]
    budgeted: frozenset[str]

    def enter(self, entry: str, kind: Kind) -> "Outcome | _Decides":
        """Follow a packet of some kind from an interface."""
        if entry in self.budgeted:
            return Stopped(f"{entry} stands on a loop")
        known = {self.blocks[entry].parameters[0]: _RECEIVED}
        return self._follow(Place(entry, 0, (entry,)), known, kind, may_decide=True)

    def go_on(self, found: _Decides, op: RulesDecide, verdict: Verdict, kind: Kind) -> Outcome:
        """Follow it behind a verdict."""
        answers = {
            value: given for value, given in zip(op.results, verdict, strict=True) if given is not None
        }
        place = Place(found.place.block, found.place.operation + 1, found.place.handlers)
        end = self._follow(place, {**found.known, **answers}, kind, may_decide=False)
        return _end(end)

    def _follow(
        self, place: Place, known: dict[Value, Any], kind: Kind, *, may_decide: bool
    ) -> "Outcome | _Decides":
        known = dict(known)
        while True:
            block = self.blocks[place.block]
            for number, op in enumerate(block.operations[place.operation :], place.operation):
                if isinstance(op, RulesDecide) and may_decide and known.get(op.packet) is _RECEIVED:
                    return _Decides(Place(block.name, number, place.handlers), known)
                if not has_no_write(op):
                    return Stopped(f"{block.name} changes state")
                if (value := _fold(op, known, kind)) is not None:
                    known[op.results[0]] = value
            step = self._leave(block, place.handlers, known)
            if not isinstance(step, Place):
                return step
            place = step

    def _leave(self, block: Block, handlers: tuple[str, ...], known: dict[Value, Any]) -> Place | Outcome:
        """Go where a block's end leads; `known` learns the arguments."""
        match block.terminator:
            case Jump(to=to):
                return self._take(to, handlers, known)
            case Branch(condition=condition, then=then, otherwise=otherwise) if condition in known:
                return self._take(then if known[condition] else otherwise, handlers, known)
            case Deliver(emissions=(), drop=str(counter)):
                return Dropped(counter)
            case Deliver(emissions=(Edge() as to,), drop=None):
                if to.block in self.budgeted:
                    return Stopped(f"{to.block} stands on a loop")
                return self._take(to, (*handlers, to.block), known)
            case Deliver():
                return Stopped(f"{block.name} sends the packet out")
            case _:
                return Stopped(f"{block.name} asks more than what kind of packet it is")

    def _take(self, edge: Edge, handlers: tuple[str, ...], known: dict[Value, Any]) -> Place:
        given = [known.get(value) for value in edge.arguments]
        for parameter, value in zip(self.blocks[edge.block].parameters, given, strict=True):
            known.pop(parameter, None)
            if value is not None:
                known[parameter] = value
        return Place(edge.block, 0, handlers)


def _fold(op: Op, known: Mapping[Value, Any], kind: Kind) -> Any:
    """Return an operation's result where the kind decides it, else None."""
    match op:
        case Constant(value=value):
            return value
        case Has(packet=packet, header=header) if known.get(packet) is _RECEIVED:
            return kind.has(header)
        case Unary(op=name, operand=operand) if operand in known:
            return _DOMAIN.unary(name, operand.type)(known[operand])
        case Binary(op=name, left=left, right=right) if left in known and right in known:
            return _DOMAIN.binary(name, left.type)(known[left], known[right])
        case Select(condition=condition, then=then, otherwise=otherwise) if condition in known:
            return known.get(then if known[condition] else otherwise)
        case Resize(operand=operand) if operand in known:
            return _DOMAIN.resize(operand.type, op.results[0].type)(known[operand])
        case _:
            return None
