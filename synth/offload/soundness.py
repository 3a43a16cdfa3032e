"""Show that the entries of a split say of each packet what the rule set says: the premises of its proof.

Not by trying packets: for each rule, the entries that stand for it are disjoint, lie within it, and are
together as many header values as it; so they are the rule. Entries of earlier rules have higher
priorities. An entry that is not there must be covered by a higher one.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from math import prod

from synth.language.values import RuleValue
from synth.offload.classification import Classification, Dropped, Verdict
from synth.offload.entries import Action, Drop, Entry, ToServer
from synth.offload.expansion import expand, reads_l4
from synth.offload.matches import (
    ETH_TYPE_ARP,
    ETH_TYPE_IPV4,
    ICMP,
    MATCH_FIELDS,
    PORT_FIELDS,
    TAG_PRESENT,
    TCP,
    Match,
    Test,
    exactly,
    find_violations,
    is_covered,
    match_of,
    overlap,
)
from synth.offload.split import InterfaceSplit, Split
from synth.offload.tables import Covers

OTHER_PROTOCOL = 255
"""Stands for all protocols without ports, types and flags."""


def find_unsound(split: Split) -> Iterator[str]:
    """Yield what is wrong with a split's entries, in words; nothing when all premises hold."""
    for entry in split.entries:
        for violation in find_violations(entry.match):
            yield f"priority {entry.priority}: {violation}"
    for one in split.interfaces:
        port = exactly("in_port", one.port)
        entries = [entry for entry in split.entries if port in entry.match]
        for problem in _interface(split, one, sorted(entries, key=lambda entry: -entry.priority)):
            yield f"interface {one.name}: {problem}"


def _interface(split: Split, one: InterfaceSplit, entries: Sequence[Entry]) -> Iterator[str]:
    whole = ToServer(one.tag, split.version, split.server)
    if [(len(entry.match), entry.action) for entry in entries] == [(1, whole)]:
        return
    if not isinstance(one.found, Classification):
        yield "its packets are not all left to the server"
        return
    yield from _guards(entries, whole)
    for first, second in pairwise(entries):
        if first.priority == second.priority and (first.action, first.cookie) != (
            second.action,
            second.cookie,
        ):
            yield f"priority {first.priority} is used twice"
    yield from _rules(split, one, one.found, entries, whole)
    yield from _rest(split, one, one.found, entries, whole)


def _guards(entries: Sequence[Entry], whole: Action) -> Iterator[str]:
    """Look for an entry that is above all others for tagged frames, and for what may be a fragment."""
    needed = [match_of(Test("vlan_vid", TAG_PRESENT, TAG_PRESENT))]
    ipv4 = exactly("eth_type", ETH_TYPE_IPV4)
    read = {test.field for entry in entries for test in entry.match if reads_l4((test,))}
    for protocol, ports in PORT_FIELDS.items():
        if read & {*ports, *({"tcp_flags"} if protocol == TCP else ())}:
            needed += [match_of(ipv4, exactly("ip_proto", protocol), exactly(port, 0)) for port in ports]
    if read & {"icmpv4_type", "icmpv4_code"}:
        zero = exactly("icmpv4_type", 0), exactly("icmpv4_code", 0)
        needed.append(match_of(ipv4, exactly("ip_proto", ICMP), *zero))
    above = entries[: next((n for n, one in enumerate(entries) if one.action != whole), len(entries))]
    for match in needed:
        if not any(is_covered(match, _without_port(entry.match)) for entry in above):
            yield f"{match} is not left to the server"


def _without_port(match: Match) -> Match:
    return tuple(test for test in match if test.field != "in_port")


# ---------------------------------------------------------------- rules


def _rules(
    split: Split, one: InterfaceSplit, found: Classification, entries: Sequence[Entry], whole: Action
) -> Iterator[str]:
    by_rule: dict[int, list[Entry]] = {}
    for entry in entries:
        by_rule.setdefault(entry.cookie & 0xFFFFFF, []).append(entry)
    covers = Covers()
    for entry in by_rule.get(0, []):
        if not _is_rest(entry):
            covers.add(_without_port(entry.match))
    counted: dict[object, str | None] = {}
    last = 1 << 16
    for number, rule in enumerate(found.rules.rules.rules[: one.kept], start=1):
        expansion = expand(rule, can_match_tcp_flags=split.switch.can_match_tcp_flags)
        key = (rule.protocol, rule.protocol_mask, rule.sport, rule.dport, rule.flags, rule.flags_mask)
        if expansion.is_exact and key not in counted:
            counted[key] = _miscount(rule, expansion.matches)
        if expansion.is_exact and counted[key] is not None:
            yield f"rule {number}: {counted[key]}"
        if any(not _has_addresses(match, rule) for match in expansion.matches):
            yield f"rule {number}: other addresses"
        wanted = _action(split, one, found, found.verdict_of(number - 1)) if expansion.is_exact else whole
        mine = by_rule.get(number, [])
        if any(entry.action != wanted or entry.priority >= last for entry in mine):
            yield f"rule {number}: its entries do otherwise, or stand above earlier ones"
        last = min((entry.priority for entry in mine), default=last)
        written = {_without_port(entry.match) for entry in mine}
        for match in expansion.matches:
            if match not in written and not covers.cover(match):
                yield f"rule {number}: {match} is missing"
        for match in written:
            covers.add(match)


def _action(split: Split, one: InterfaceSplit, found: Classification, verdict: Verdict) -> Action:
    outcome = found.verdicts[verdict]
    if isinstance(outcome, Dropped):
        return Drop(outcome.counter)
    tags = [c.tag for c in split.classes if (c.interface, c.verdict) == (one.name, verdict)]
    return ToServer(tags[0] if tags else one.tag, split.version, split.server)


def _miscount(rule: RuleValue, matches: Sequence[Match]) -> str | None:
    """Tell what is wrong with a rule's matches, addresses aside, or None."""
    for protocol in (ICMP, *PORT_FIELDS, OTHER_PROTOCOL):
        mine = [match for match in matches if _speaks_of(match, protocol)]
        sizes = 0
        for match in mine:
            tests = {test.field: test for test in match if reads_l4((test,))}
            if not all(_is_within(rule, test) for test in tests.values()):
                return "an entry goes beyond it"
            sizes += _size(tests, protocol)
        if any(overlap(first, second) for first, second in combinations(mine, 2)):
            return "its entries overlap"
        if sizes != _rule_size(rule, protocol):
            return "its entries are not all of it"
    return None


def _has_addresses(match: Match, rule: RuleValue) -> bool:
    tests = {test.field: test for test in match}
    asked = [tests.get(name, Test(name, 0, 0)) for name in ("ipv4_src", "ipv4_dst")]
    return [(test.value, test.mask) for test in asked] == [
        (prefix.address, prefix.mask) for prefix in (rule.src, rule.dst)
    ]


def _speaks_of(match: Match, protocol: int) -> bool:
    asked = [test.value for test in match if test.field == "ip_proto"]
    if protocol != OTHER_PROTOCOL:
        return not asked or asked[0] == protocol
    return not asked or asked[0] not in {ICMP, *PORT_FIELDS}


_L4_FIELDS = {
    **{
        protocol: (*ports, *(("tcp_flags",) if protocol == TCP else ()))
        for protocol, ports in PORT_FIELDS.items()
    },
    ICMP: ("icmpv4_type", "icmpv4_code"),
    OTHER_PROTOCOL: (),
}


def _size(tests: dict[str, Test], protocol: int) -> int:
    """Return how many values of the protocol's fields satisfy the tests."""
    free = 0
    for name in _L4_FIELDS[protocol]:
        width = MATCH_FIELDS[name].width
        free += width - tests[name].mask.bit_count() if name in tests else width
    return 1 << free


def _rule_size(rule: RuleValue, protocol: int) -> int:
    """Return how many values of the protocol's fields satisfy the rule, by the rule's own words.

    The protocols without ports and flags count as often as the rule allows them.
    """
    has_ports = (rule.sport.size, rule.dport.size) != (1 << 16, 1 << 16)
    if protocol == OTHER_PROTOCOL:
        if has_ports or rule.flags_mask:
            return 0
        others = set(range(256)) - {ICMP, *PORT_FIELDS}
        if rule.protocol_mask == 0:
            return 1
        return sum((number ^ rule.protocol) & rule.protocol_mask == 0 for number in others)
    if (protocol ^ rule.protocol) & rule.protocol_mask or (has_ports and protocol not in PORT_FIELDS):
        return 0
    sizes = [rule.sport.size, rule.dport.size] if protocol in PORT_FIELDS else []
    if protocol == TCP:
        low = rule.flags & rule.flags_mask & 0xFF
        sizes.append(0 if low else 1 << 12 - (rule.flags_mask >> 8).bit_count())
    elif protocol == ICMP:
        sizes.append(1 << 16 - rule.flags_mask.bit_count())
    elif rule.flags_mask:
        return 0
    return prod(sizes)


def _is_within(rule: RuleValue, test: Test) -> bool:
    flags = {
        "tcp_flags": (rule.flags >> 8, rule.flags_mask >> 8),
        "icmpv4_type": (rule.flags >> 8, rule.flags_mask >> 8),
        "icmpv4_code": (rule.flags & 0xFF, rule.flags_mask & 0xFF),
    }
    if test.field in flags:
        value, mask = flags[test.field]
        return (test.mask & mask, test.value & mask) == (mask, value & mask)
    wanted = rule.sport if test.field.endswith("_src") else rule.dport
    return wanted.low <= test.value and test.value | ~test.mask & 0xFFFF <= wanted.high


# ---------------------------------------------------------------- the rest


def _is_rest(entry: Entry) -> bool:
    return len(entry.match) == 1 or {test.field for test in entry.match} == {"in_port", "eth_type"}


def _rest(
    split: Split, one: InterfaceSplit, found: Classification, entries: Sequence[Entry], whole: Action
) -> Iterator[str]:
    """Check the last entries: those for packets without a rule, and for other frames."""
    actions = {
        _without_port(entry.match): entry.action
        for entry in entries
        if entry.cookie & 0xFFFFFF == 0 and _is_rest(entry)
    }
    is_all = one.kept == len(found.rules.rules.rules)
    ipv4 = match_of(exactly("eth_type", ETH_TYPE_IPV4))
    expected: dict[Match, Action] = {
        ipv4: _action(split, one, found, found.verdict_of(None)) if is_all else whole
    }
    arp = match_of(exactly("eth_type", ETH_TYPE_ARP))
    for l3, match in (("arp", arp), ("none", match_of())):
        outcome = found.others[l3]
        expected[match] = Drop(outcome.counter) if isinstance(outcome, Dropped) else whole
    for match, action in actions.items():
        if expected.get(match) != action:
            yield f"{match or 'everything else'} should do {expected.get(match)}"
    if () not in actions:
        yield "what matches no rule has no entry"
