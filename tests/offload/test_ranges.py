"""Ranges become the fewest prefixes that are together the range."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.language.values import PrefixValue, RangeValue, RuleValue
from synth.offload.expansion import expand
from synth.offload.matches import find_violations
from synth.offload.ranges import masks_of

ANY, ALL = PrefixValue(0, 0), RangeValue(0, 0xFFFF)


@pytest.mark.parametrize(
    ("low", "high", "count"),
    [(1, 65534, 30), (1024, 65535, 6), (1, 65535, 16), (137, 139, 2), (0, 65535, 1), (80, 80, 1)],
)
def test_known_ranges_take_their_known_number_of_masks(low: int, high: int, count: int) -> None:
    assert len(list(masks_of(low, high, 16))) == count


@given(st.integers(0, 255), st.integers(0, 255))
def test_masks_are_disjoint_together_the_range_and_as_few_as_prefixes_can_be(one: int, other: int) -> None:
    low, high = min(one, other), max(one, other)
    masks = list(masks_of(low, high, 8))
    found = [number for value, mask in masks for number in range(256) if (number ^ value) & mask == 0]
    assert sorted(found) == list(range(low, high + 1))
    assert len(masks) == fewest(low, high, 8)


def fewest(low: int, high: int, width: int) -> int:
    """The number of maximal prefix blocks within the range, counted down the tree of prefixes."""
    size = 1 << width
    if (low, high) == (0, size - 1):
        return 1
    if low > high or width == 0:
        return 0
    half = size // 2
    left = fewest(low, min(high, half - 1), width - 1) if low < half else 0
    right = fewest(max(low, half) - half, high - half, width - 1) if high >= half else 0
    return left + right


def rule(
    protocol: int, mask: int = 255, dport: RangeValue = ALL, flags: int = 0, flags_mask: int = 0
) -> RuleValue:
    return RuleValue(True, ANY, ANY, protocol, mask, ALL, dport, flags, flags_mask)


def test_each_entry_of_a_range_asks_for_ipv4_and_the_protocol_too() -> None:
    expansion = expand(rule(6, dport=RangeValue(1, 65534)), can_match_tcp_flags=True)
    assert len(expansion.matches) == 30
    for match in expansion.matches:
        assert [(test.field, test.value) for test in match[:2]] == [("eth_type", 0x0800), ("ip_proto", 6)]
        assert not list(find_violations(match))


def test_ports_of_a_protocol_that_has_none_match_nothing() -> None:
    assert expand(rule(47, dport=RangeValue(80, 80)), can_match_tcp_flags=True).matches == ()


def test_ports_of_any_protocol_are_those_of_tcp_and_udp() -> None:
    matches = expand(rule(0, 0, RangeValue(80, 80)), can_match_tcp_flags=True).matches
    assert [test.value for match in matches for test in match if test.field == "ip_proto"] == [6, 17]


def test_flags_that_a_switch_cannot_ask_for_make_a_rule_inexact() -> None:
    syn = rule(6, flags=0x0200, flags_mask=0x0200)
    assert expand(syn, can_match_tcp_flags=True).is_exact
    assert not expand(syn, can_match_tcp_flags=False).is_exact
    assert not expand(rule(1, flags=0x0800, flags_mask=0x0F00), can_match_tcp_flags=True).is_exact
