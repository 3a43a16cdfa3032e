"""A rule of a rule set as matches of flow entries.

A rule with ports speaks of packets that have ports only: TCP's and UDP's, as far as the language knows. So
it becomes entries of these protocols, and none where its protocol has no ports at all.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from synth.language.values import PrefixValue, RangeValue, RuleValue
from synth.offload.matches import (
    ETH_TYPE_IPV4,
    ICMP,
    PORT_FIELDS,
    TCP,
    Match,
    Test,
    exactly,
    match_of,
)
from synth.offload.ranges import masks_of

ALL_PORTS = RangeValue(0, 0xFFFF)


@dataclass(frozen=True, slots=True)
class Expansion:
    """The disjoint matches of a rule.

    `is_exact` is false when they hold more packets than the rule does, as the switch cannot ask for less.
    """

    matches: tuple[Match, ...]
    is_exact: bool


def expand(rule: RuleValue, *, can_match_tcp_flags: bool) -> Expansion:
    """Return the matches that a switch needs for a rule, for IPv4 packets of any interface."""
    exact = True
    matches: list[Match] = []
    for protocol in _protocols(rule):
        flags = _flags(rule, protocol, can_match_tcp_flags=can_match_tcp_flags)
        if flags is None:
            continue
        tests, is_exact = flags
        exact = exact and is_exact
        common = (
            exactly("eth_type", ETH_TYPE_IPV4),
            *(() if protocol is None else (exactly("ip_proto", protocol),)),
            *_address("ipv4_src", rule.src),
            *_address("ipv4_dst", rule.dst),
            *tests,
        )
        matches += [match_of(*common, *ports) for ports in _ports(rule, protocol)]
    return Expansion(tuple(matches), exact)


def reads_l4(match: Match) -> bool:
    """Tell whether a match asks for anything behind the IPv4 header."""
    return any(test.field.startswith(("tcp_", "udp_", "icmpv4_")) for test in match)


def _protocols(rule: RuleValue) -> tuple[int | None, ...]:
    """Return the protocols to write entries for; None: any."""
    has_ports = rule.sport != ALL_PORTS or rule.dport != ALL_PORTS
    if not has_ports and not rule.flags_mask and rule.protocol_mask == 0:
        return (None,)
    allowed = [number for number in range(256) if (number ^ rule.protocol) & rule.protocol_mask == 0]
    if has_ports:
        allowed = [number for number in allowed if number in PORT_FIELDS]
    if rule.flags_mask:
        allowed = [number for number in allowed if number in {TCP, ICMP}]
    return tuple(allowed)


def _flags(
    rule: RuleValue, protocol: int | None, *, can_match_tcp_flags: bool
) -> tuple[tuple[Test, ...], bool] | None:
    """Return the tests for a rule's flags and whether they say all; None when no packet can have them."""
    high, low = rule.flags_mask >> 8, rule.flags_mask & 0xFF
    value_high, value_low = rule.flags >> 8 & high, rule.flags & low
    if rule.flags_mask == 0:
        return (), True
    if protocol == TCP:
        if value_low:
            return None
        if high and not can_match_tcp_flags:
            return (), False
        return (Test("tcp_flags", value_high, high),), True
    wanted = (("icmpv4_type", value_high, high), ("icmpv4_code", value_low, low))
    tests = tuple(exactly(field, value) for field, value, mask in wanted if mask == 0xFF)
    return tests, all(mask in {0, 0xFF} for _, _, mask in wanted)


def _address(field: str, prefix: PrefixValue) -> Iterator[Test]:
    if prefix.length:
        yield Test(field, prefix.address, prefix.mask)


def _ports(rule: RuleValue, protocol: int | None) -> Iterator[tuple[Test, ...]]:
    if protocol is None or protocol not in PORT_FIELDS:
        yield ()
        return
    source, destination = PORT_FIELDS[protocol]
    for one, two in product(
        masks_of(rule.sport.low, rule.sport.high, 16), masks_of(rule.dport.low, rule.dport.high, 16)
    ):
        yield Test(source, *one), Test(destination, *two)
