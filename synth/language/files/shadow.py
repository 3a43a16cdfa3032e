"""Finds rules that never decide, since one earlier rule takes all of their packets."""

from collections.abc import Iterator, Sequence

from synth.diagnostics.diagnostic import Note
from synth.language.errors.files import RuleNeverMatches
from synth.language.files.source import Report
from synth.language.values import RangeValue, RuleValue
from synth.net.addresses import network_mask

_MOST_LINES = 20
"""So many lines of further covered rules are listed."""


def report_shadowed(rules: Sequence[RuleValue], report: Report) -> None:
    """Report the first covered rule of a set with the rule that covers it, and where the others stand."""
    found = tuple(find_shadowed(rules))
    if not found:
        return
    (first, cover), others = found[0], found[1:]
    report(
        RuleNeverMatches(
            span=first.span,
            line=cover.span.line,
            others=_list_lines([rule for rule, _ in others]),
            notes=(Note(cover.span, "this rule decides"),),
        )
    )


def _list_lines(rules: Sequence[RuleValue]) -> str:
    if not rules:
        return ""
    lines = ", ".join(str(rule.span.line) for rule in rules[:_MOST_LINES])
    more = f" and {len(rules) - _MOST_LINES} more" if len(rules) > _MOST_LINES else ""
    return f"of this set, these lines never decide either: {lines}{more}"


def find_shadowed(rules: Sequence[RuleValue]) -> Iterator[tuple[RuleValue, RuleValue]]:
    """Yield each rule that an earlier one covers, with the first that does.

    Earlier rules are looked up by their prefixes, once for each pair of prefix lengths in use: a few hundred
    look-ups a rule at most, whatever the size of the set.
    """
    earlier: dict[tuple[int, int], dict[tuple[int, int], list[tuple[int, RuleValue]]]] = {}
    for index, rule in enumerate(rules):
        cover = _find_cover(rule, earlier)
        if cover is not None:
            yield rule, cover
        else:
            lengths = (rule.src.length, rule.dst.length)
            addresses = (rule.src.address, rule.dst.address)
            earlier.setdefault(lengths, {}).setdefault(addresses, []).append((index, rule))


def _find_cover(
    rule: RuleValue,
    earlier: dict[tuple[int, int], dict[tuple[int, int], list[tuple[int, RuleValue]]]],
) -> RuleValue | None:
    covers = [
        (index, candidate)
        for (src_length, dst_length), by_address in earlier.items()
        if src_length <= rule.src.length and dst_length <= rule.dst.length
        for index, candidate in by_address.get(
            (rule.src.address & network_mask(src_length), rule.dst.address & network_mask(dst_length)), ()
        )
        if _covers(candidate, rule)
    ]
    return min(covers, key=lambda cover: cover[0])[1] if covers else None


def _covers(wide: RuleValue, narrow: RuleValue) -> bool:
    """Tell whether every packet of one rule is also the other's. Prefixes are known to be."""
    return (
        _mask_covers(wide.protocol, wide.protocol_mask, narrow.protocol, narrow.protocol_mask)
        and _mask_covers(wide.flags, wide.flags_mask, narrow.flags, narrow.flags_mask)
        and _range_covers(wide.sport, narrow.sport)
        and _range_covers(wide.dport, narrow.dport)
    )


def _mask_covers(value: int, mask: int, narrow_value: int, narrow_mask: int) -> bool:
    return mask & narrow_mask == mask and narrow_value & mask == value


def _range_covers(wide: RangeValue, narrow: RangeValue) -> bool:
    return wide.low <= narrow.low and narrow.high <= wide.high
