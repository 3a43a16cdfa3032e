"""What a rule set still answers alike when some of its rules are not looked at.

Only packets that an idle rule takes can be answered otherwise, so each idle rule is looked at alone. A
packet that it is the first to match

- does not exist when some earlier rule takes all that the idle rule takes; else
- is answered by the first live rule behind it that matches, or by none.

So verdicts stay when the live rules behind it that can match such a packet give its verdict, up to one that
takes all of them; with none of that kind, no match must give its verdict, which is to deny. Whether a rule
matched stays when one behind it takes all of them.

Nothing here is the synthesizer's: rules are compared one by one, by the definition. In the tests Z3 puts
the whole question to the evaluator's terms for small sets.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from synth.graph.nodes import ChainGraph, RuleTable, live_rules
from synth.language.values import RuleValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers:
    """Which answers of a rule set are the same: whether one matched, the verdict, which it was."""

    matched: bool = True
    permits: bool = True
    index: bool = True


ALL_ALIKE = Answers()


def compare_rule_sets(written: ChainGraph, result: ChainGraph) -> Iterator[tuple[str, Answers]]:
    """Yield the rule sets of which the result does not look at all rules, with what they answer alike."""
    known = {state.name: state for state in written.states}
    for state in result.states:
        if isinstance(state, RuleTable) and state.live is not None and known[state.name] != state:
            yield state.name, compare_answers(state)


def compare_answers(table: RuleTable) -> Answers:
    """Compare what a table's live rules answer with what all of its rules would."""
    parts = [_parts(rule) for rule in table.rules.rules]
    found = [_compare(parts, number, live) for number, live in _idle(table)]
    return Answers(
        matched=all(one.matched for one in found),
        permits=all(one.permits for one in found),
        index=all(one.index for one in found),
    )


class _Parts(NamedTuple):
    """A rule as numbers: values with their masks, and the ends of its ports' ranges."""

    permits: bool
    src: int
    src_mask: int
    dst: int
    dst_mask: int
    protocol: int
    protocol_mask: int
    flags: int
    flags_mask: int
    sport_low: int
    sport_high: int
    dport_low: int
    dport_high: int


def _parts(rule: RuleValue) -> _Parts:
    return _Parts(
        rule.permits,
        rule.src.address, rule.src.mask, rule.dst.address, rule.dst.mask,
        rule.protocol, rule.protocol_mask, rule.flags, rule.flags_mask,
        rule.sport.low, rule.sport.high, rule.dport.low, rule.dport.high,
    )  # fmt: skip


def _idle(table: RuleTable) -> Iterator[tuple[int, Sequence[int]]]:
    """Yield each idle rule with the live ones behind it."""
    live = live_rules(table)
    passed = 0
    for number in range(len(table.rules.rules)):
        if passed < len(live) and live[passed] == number:
            passed += 1
        else:
            yield number, live[passed:]


def _compare(rules: Sequence[_Parts], number: int, live_behind: Sequence[int]) -> Answers:
    idle = rules[number]
    if any(_takes_all(rules[before], idle) for before in range(number)):
        return ALL_ALIKE
    is_same = True
    for behind in live_behind:
        rule = rules[behind]
        if _can_meet(rule, idle):
            is_same = is_same and rule.permits == idle.permits
            if _takes_all(rule, idle):
                return Answers(matched=True, permits=is_same, index=False)
    return Answers(matched=False, permits=is_same and not idle.permits, index=False)


def _can_meet(one: _Parts, other: _Parts) -> bool:
    """Tell whether a packet may match both; "yes" too often is safe."""
    return (
        (one.dst ^ other.dst) & one.dst_mask & other.dst_mask == 0
        and (one.src ^ other.src) & one.src_mask & other.src_mask == 0
        and one.dport_low <= other.dport_high
        and other.dport_low <= one.dport_high
        and one.sport_low <= other.sport_high
        and other.sport_low <= one.sport_high
        and (one.protocol ^ other.protocol) & one.protocol_mask & other.protocol_mask == 0
        and (one.flags ^ other.flags) & one.flags_mask & other.flags_mask == 0
    )


def _takes_all(wide: _Parts, narrow: _Parts) -> bool:
    """Tell whether each packet that matches the narrow rule matches the wide one; "no" too often is safe.

    A condition on ports or flags also asks that there are some; what is no wider asks so too.
    """
    return (
        _fixes(wide.dst_mask, wide.dst, narrow.dst_mask, narrow.dst)
        and _fixes(wide.src_mask, wide.src, narrow.src_mask, narrow.src)
        and wide.dport_low <= narrow.dport_low
        and narrow.dport_high <= wide.dport_high
        and wide.sport_low <= narrow.sport_low
        and narrow.sport_high <= wide.sport_high
        and _fixes(wide.protocol_mask, wide.protocol, narrow.protocol_mask, narrow.protocol)
        and _fixes(wide.flags_mask, wide.flags, narrow.flags_mask, narrow.flags)
    )


def _fixes(wide_mask: int, wide: int, narrow_mask: int, narrow: int) -> bool:
    return wide_mask & ~narrow_mask == 0 and (wide ^ narrow) & wide_mask == 0
