"""Look at no rule of a rule set that decides nothing which is used.

    rules a {                                      rules a {
      permit 10.0.0.0/8 ...                          permit 10.0.0.0/8 ...
      deny 10.1.0.0/16 ...           becomes         idle deny 10.1.0.0/16 ...
    }                                              }

A rule is idle when one earlier rule takes all of its packets. Where nobody asks which rule it was, nor
whether one matched, but only for the verdict, it is idle as well when all of its packets get the same
verdict from the rules behind it, or from none (which denies). The rules stay where they are, under their
numbers, so that the table is still the table that can be replaced; whatever replaces it is looked at in
full.

Sound: idle rules are found from the last to the first, so each is judged by the rules that remain behind it.
Left alone: rules that only several others cover together.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from synth.diagnostics.spans import Span
from synth.graph.nodes import ChainGraph, RulesDecide, RuleTable
from synth.graph.walk import uses
from synth.language.values import RuleValue
from synth.synthesis.overlaps import Bits, find_overlaps
from synth.synthesis.remarks import Outcome, Remark

MOST_RULES = 20_000
"""Larger sets are looked at in full: comparing takes memory for the square of the rules, in bits."""


def idle_rules(graph: ChainGraph) -> Outcome:
    """Mark the rules that decide nothing which is used."""
    only_verdict = _only_verdict(graph)
    found = {
        state.name: tuple(find_idle(state.rules.rules, is_only_verdict=only_verdict[state.name]))
        for state in graph.states
        if isinstance(state, RuleTable)
        and state.name in only_verdict
        and state.live is None
        and len(state.rules.rules) <= MOST_RULES
    }
    if not any(found.values()):
        return Outcome(graph)
    states = tuple(
        _without(state, found[state.name])
        if isinstance(state, RuleTable) and found.get(state.name)
        else state
        for state in graph.states
    )
    remarks = tuple(_remark(name, idle) for name, several in found.items() for idle in several)
    return Outcome(replace(graph, states=states), remarks)


@dataclass(frozen=True, slots=True)
class Idle:
    """A rule that decides nothing, and the rule that decides instead; None: its packets are denied anyway."""

    number: int
    rule: RuleValue
    cover: RuleValue | None
    is_earlier: bool


def _only_verdict(graph: ChainGraph) -> Mapping[str, bool]:
    """Return the rule sets that are asked, and of each whether only its verdict is used."""
    used = {value for block in graph.blocks for value in uses(block)}
    found: dict[str, bool] = {}
    for block in graph.blocks:
        for op in block.operations:
            if isinstance(op, RulesDecide):
                matched, _, number = op.results
                is_only = matched not in used and number not in used
                found[op.rules] = found.get(op.rules, True) and is_only
    return found


def find_idle(rules: tuple[RuleValue, ...], *, is_only_verdict: bool) -> Iterator[Idle]:
    """Yield the rules that decide nothing which is used, from the last to the first."""
    overlaps = find_overlaps(rules)
    permitting = sum(1 << number for number, rule in enumerate(rules) if rule.permits)
    behind = 0
    for number in reversed(range(len(rules))):
        rule, covering = rules[number], overlaps.covering[number]
        before = covering & ((1 << number) - 1)
        if before:
            yield Idle(number, rule, rules[_first(before)], is_earlier=True)
            continue
        if is_only_verdict:
            same = behind & (permitting if rule.permits else ~permitting)
            other = behind & ~same & overlaps.meeting[number]
            cover = same & covering
            if cover and (not other or _first(cover) < _first(other)):
                yield Idle(number, rule, rules[_first(cover)], is_earlier=False)
                continue
            if not other and not rule.permits:
                yield Idle(number, rule, None, is_earlier=False)
                continue
        behind |= 1 << number


def _first(bits: Bits) -> int:
    return (bits & -bits).bit_length() - 1


def _without(table: RuleTable, idle: tuple[Idle, ...]) -> RuleTable:
    gone = {one.number for one in idle}
    return replace(table, live=tuple(n for n in range(len(table.rules.rules)) if n not in gone))


def _remark(table: str, idle: Idle) -> Remark:
    cause: Span | None = None if idle.cover is None else idle.cover.span
    if idle.is_earlier:
        text = f"rule of {table} never decides: an earlier rule takes all of its packets"
    elif idle.cover is not None:
        text = f"rule of {table} not needed: a later rule gives its packets the same verdict"
    else:
        text = f"rule of {table} not needed: without it its packets are denied all the same"
    return Remark("idle_rules", text, idle.rule.span, cause)
