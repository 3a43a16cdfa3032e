"""Traffic classes of a synthesized chain: match, one operation, verdict.

A class is a place where packets leave the chain or die. Its match is what holds on every way there; where
ways that differ come together, the difference is no part of the match. So there are no more classes than
blocks, and rules or routes of equal effect are one class, however many they are.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from synth.diagnostics.spans import NOWHERE, Span
from synth.graph.nodes import (
    Branch,
    ChainGraph,
    Deliver,
    Exit,
    Op,
    RulesDecide,
    RuleTable,
    Value,
    Write,
    live_rules,
)
from synth.graph.walk import entries
from synth.pipeline.words import Words
from synth.synthesis.ssa import Flow, find_flow


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficClass:
    """What is done to the packets that a match takes.

    Attributes:
        start: the interface, or the handler's block, where the match begins.
        match: conditions that hold for all of its packets, in their order.
        rules: rule sets that the match asks, with (rules looked at, rules as written).
        operation: writes and changes of state on every way, in their order.
        on_some_ways: those that depend on which of the ways that come together a packet takes.
        verdict: where packets go, or the drop's name.
        block: the result's block where that happens.
        place: where the source says so.
    """

    start: str
    match: tuple[str, ...]
    rules: tuple[tuple[str, int, int], ...]
    operation: tuple[str, ...]
    on_some_ways: tuple[str, ...]
    verdict: str
    block: str
    place: Span

    @property
    def is_accepted(self) -> bool:
        """Whether the class's packets leave the chain or go on to another handler."""
        return not self.verdict.startswith("drop ")


def traffic_classes(graph: ChainGraph) -> tuple[TrafficClass, ...]:
    """Return the classes of a synthesized graph: interface by interface, in the order of its blocks."""
    found = (
        one
        for interface in graph.interfaces
        if interface.entry is not None
        for one in _Finder(replace(graph, interfaces=(interface,))).find()
    )
    # What lies behind a handler that packets come back to is the same for all interfaces.
    return tuple({(one.start, one.block): one for one in found}.values())


class _Finder:
    """Finds the classes of what one interface receives."""

    def __init__(self, graph: ChainGraph) -> None:
        self._flow: Flow = find_flow(graph)
        self._producers: dict[Value, Op] = {
            result: op for block in graph.blocks for op in block.operations for result in op.results
        }
        self._words = Words(self._producers)
        self._rules = {state.name: state for state in graph.states if isinstance(state, RuleTable)}
        self._starts = {one.entry: one.name for one in graph.interfaces if one.entry is not None}
        self._entries = frozenset(entries(graph))

    def find(self) -> Iterator[TrafficClass]:
        for name in self._flow.order:
            end = self._flow.blocks[name].terminator
            if isinstance(end, Deliver):
                yield self._class(name, end)

    def _class(self, name: str, end: Deliver) -> TrafficClass:
        way = tuple(reversed(tuple(self._flow.dominators(name))))
        tests = [test for at in way if (test := self._test(at)) is not None]
        done = [op for at in way for op in self._flow.blocks[at].operations]
        asked = dict.fromkeys(op.rules for op in done if isinstance(op, RulesDecide))
        return TrafficClass(
            start=self._starts.get(way[0], way[0]),
            match=tuple(self._words.condition(value, holds=holds) for value, holds in tests),
            rules=tuple(self._counted(rules) for rules in asked),
            operation=tuple(self._operations(done)),
            on_some_ways=tuple(dict.fromkeys(self._operations(self._beside(name, way)))),
            verdict=_verdict(end),
            block=name,
            place=end.span if end.span != NOWHERE else self._flow.blocks[name].span,
        )

    def _beside(self, name: str, way: Sequence[str]) -> list[Op]:
        """Return the operations of blocks on some ways to a block, but not on all."""
        leading, todo = {name}, [name]
        while todo:
            before = [one.source for one in self._flow.incoming[todo.pop()] if one.source not in leading]
            leading.update(before)
            todo += before
        beside = leading.difference(way)
        return [op for at in self._flow.order if at in beside for op in self._flow.blocks[at].operations]

    def _operations(self, done: Sequence[Op]) -> Iterator[str]:
        """Yield what is done in the end: of several writes to one field, the last."""
        last = {op.path: op for op in done if isinstance(op, Write)}
        for op in done:
            text = self._words.operation(op)
            if text is not None and (not isinstance(op, Write) or last[op.path] is op):
                yield text

    def _test(self, name: str) -> tuple[Value, bool] | None:
        """Return the test that leads into a block, if there is one way into it."""
        ways = self._flow.incoming[name]
        if len(ways) != 1 or name in self._entries:
            return None
        end = self._flow.blocks[ways[0].source].terminator
        if not isinstance(end, Branch) or end.then == end.otherwise:
            return None
        return end.condition, end.then.block == name

    def _counted(self, name: str) -> tuple[str, int, int]:
        table = self._rules[name]
        return name, len(live_rules(table)), len(table.rules.rules)


def _verdict(end: Deliver) -> str:
    if end.drop is not None and not end.emissions:
        return f"drop {end.drop}"
    ways = [
        f"out {one.interface}" if isinstance(one, Exit) else f"on to {one.block}" for one in end.emissions
    ]
    return " and ".join(ways + ([f"drop {end.drop}"] if end.drop is not None else []))
