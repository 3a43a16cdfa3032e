"""Which rules of a set can match the same packets, and which match all packets of another, as sets of bits.

Bit i stands for rule i. Each part of a rule (a prefix, a range, a masked value) is compared once with each
other value of that part that occurs; rules then intersect six sets of bits. So the work grows with the values
that occur, and only the last step with the square of the rules, at 64 of them an instruction.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from synth.language.values import PrefixValue, RangeValue, RuleValue
from synth.net.addresses import network_mask

Bits = int
Masked = tuple[int, int]
"""Value and mask."""
Part = TypeVar("Part", bound=Hashable)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlaps:
    """For each rule the rules that may share a packet with it, and those that take all of its packets.

    A set may hold a rule too many in `meeting` (what ports and flags ask of a packet's protocol is left
    out), never in `covering`. Each rule is in both of its own sets.
    """

    meeting: tuple[Bits, ...]
    covering: tuple[Bits, ...]


def find_overlaps(rules: Sequence[RuleValue]) -> Overlaps:
    """Compare all rules of a set with each other."""
    every = (1 << len(rules)) - 1
    meeting, covering = [every] * len(rules), [every] * len(rules)
    tables = (
        _compare_prefixes([rule.src for rule in rules]),
        _compare_prefixes([rule.dst for rule in rules]),
        _compare([(rule.protocol, rule.protocol_mask) for rule in rules], _share_bits, _has_bits),
        _compare([rule.sport for rule in rules], _share_ports, _has_ports),
        _compare([rule.dport for rule in rules], _share_ports, _has_ports),
        _compare([(rule.flags, rule.flags_mask) for rule in rules], _share_bits, _has_bits),
    )
    for table in tables:
        for number, (met, covered) in enumerate(table):
            meeting[number] &= met
            covering[number] &= covered
    return Overlaps(meeting=tuple(meeting), covering=tuple(covering))


def _holders(parts: Iterable[Part]) -> dict[Part, Bits]:
    """Return which rules have each value of a part."""
    held: dict[Part, list[int]] = {}
    for number, part in enumerate(parts):
        held.setdefault(part, []).append(number)
    return {part: sum(1 << number for number in numbers) for part, numbers in held.items()}


def _compare(
    parts: Sequence[Part], meet: Callable[[Part, Part], bool], covers: Callable[[Part, Part], bool]
) -> list[tuple[Bits, Bits]]:
    held = _holders(parts)
    found = {
        one: (
            _union(bits for other, bits in held.items() if meet(one, other)),
            _union(bits for other, bits in held.items() if covers(other, one)),
        )
        for one in held
    }
    return [found[part] for part in parts]


def _compare_prefixes(parts: Sequence[PrefixValue]) -> list[tuple[Bits, Bits]]:
    """Compare prefixes, of which one holds the other when they share an address."""
    held = _holders(parts)
    lengths = sorted({prefix.length for prefix in held})
    covered: dict[PrefixValue, Bits] = {}
    below = dict.fromkeys(held, 0)
    for prefix, bits in held.items():
        shorter = (length for length in lengths if length <= prefix.length)
        around = [PrefixValue(prefix.address & network_mask(length), length) for length in shorter]
        around = [one for one in around if one in held]
        covered[prefix] = _union(held[one] for one in around)
        for one in around:
            below[one] |= bits
    return [(covered[prefix] | below[prefix], covered[prefix]) for prefix in parts]


def _union(sets: Iterable[Bits]) -> Bits:
    found = 0
    for bits in sets:
        found |= bits
    return found


def _share_bits(one: Masked, other: Masked) -> bool:
    return (one[0] ^ other[0]) & one[1] & other[1] == 0


def _has_bits(wide: Masked, narrow: Masked) -> bool:
    return wide[1] & narrow[1] == wide[1] and (wide[0] ^ narrow[0]) & wide[1] == 0


def _share_ports(one: RangeValue, other: RangeValue) -> bool:
    return one.low <= other.high and other.low <= one.high


def _has_ports(wide: RangeValue, narrow: RangeValue) -> bool:
    return wide.low <= narrow.low and narrow.high <= wide.high
