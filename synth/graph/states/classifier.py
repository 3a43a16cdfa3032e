"""First match in an ordered rule set, by tuple space search (Srinivasan, Suri, Varghese 1999).

Rules with the same prefix lengths and protocol mask form a tuple: one dictionary, from the masked
header to the rules that have just these bits. A lookup asks each tuple once, the one with the
earliest rule first, and stops when no later tuple can hold an earlier rule than the one found.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from synth.language.values import RuleSetValue, RuleValue

ANY_PORT = (0, 65535)


class Header(NamedTuple):
    """What rules read of an IPv4 packet; None: the packet does not have it.

    `flags` are TCP's flags byte << 8, or ICMP's type << 8 | code.
    """

    src: int
    dst: int
    protocol: int
    sport: int | None
    dport: int | None
    flags: int | None


def matches(rule: RuleValue, header: Header) -> bool:
    """Tell whether a header satisfies every part of a rule (the definition, rule by rule)."""
    return (
        header.src & rule.src.mask == rule.src.address
        and header.dst & rule.dst.mask == rule.dst.address
        and (header.protocol ^ rule.protocol) & rule.protocol_mask == 0
        and _has_rest(_rest(0, rule), header)
    )


class _Rest(NamedTuple):
    """What a rule asks beyond its tuple's bits. None: any port will do, or none."""

    number: int
    is_plain: bool
    sport: tuple[int, int] | None
    dport: tuple[int, int] | None
    flags: int
    flags_mask: int


def _rest(number: int, rule: RuleValue) -> _Rest:
    sport, dport = (rule.sport.low, rule.sport.high), (rule.dport.low, rule.dport.high)
    return _Rest(
        number=number,
        is_plain=sport == dport == ANY_PORT and rule.flags_mask == 0,
        sport=None if sport == ANY_PORT else sport,
        dport=None if dport == ANY_PORT else dport,
        flags=rule.flags & rule.flags_mask,
        flags_mask=rule.flags_mask,
    )


def _has_rest(rest: _Rest, header: Header) -> bool:
    if rest.is_plain:
        return True
    if not (_is_within(header.sport, rest.sport) and _is_within(header.dport, rest.dport)):
        return False
    return rest.flags_mask == 0 or (header.flags is not None and header.flags & rest.flags_mask == rest.flags)


def _is_within(port: int | None, wanted: tuple[int, int] | None) -> bool:
    return wanted is None or (port is not None and wanted[0] <= port <= wanted[1])


@dataclass(frozen=True, slots=True)
class _Tuple:
    src_mask: int
    dst_mask: int
    protocol_mask: int
    first: int
    rules: dict[tuple[int, int, int], list[_Rest]]


class Classifier:
    """A rule set, made ready for lookups."""

    def __init__(self, rules: RuleSetValue, live: Iterable[int] | None = None) -> None:
        """Take the `live` rules of a set, by number; None: all."""
        tuples: dict[tuple[int, int, int], _Tuple] = {}
        for index in range(len(rules.rules)) if live is None else live:
            rule = rules.rules[index]
            masks = (rule.src.mask, rule.dst.mask, rule.protocol_mask)
            group = tuples.setdefault(masks, _Tuple(*masks, index, {}))
            bits = (rule.src.address, rule.dst.address, rule.protocol & rule.protocol_mask)
            group.rules.setdefault(bits, []).append(_rest(index, rule))
        self._tuples = [
            (group.src_mask, group.dst_mask, group.protocol_mask, group.first, group.rules)
            for group in tuples.values()
        ]

    def first_match(self, header: Header) -> int | None:
        """Return the index of the first rule that a header satisfies, or None."""
        src, dst, protocol = header.src, header.dst, header.protocol
        best: int | None = None
        for src_mask, dst_mask, protocol_mask, first, rules in self._tuples:
            if best is not None and first > best:
                break
            for rest in rules.get((src & src_mask, dst & dst_mask, protocol & protocol_mask), ()):
                if best is not None and rest.number > best:
                    break
                if _has_rest(rest, header):
                    best = rest.number
                    break
        return best
