"""Relations and kinds in words."""

from collections.abc import Iterable, Mapping, Sequence

from synth.diagnostics.spans import Span
from synth.net.kinds import Kind
from synth.parallel.gf2 import Rows, span
from synth.parallel.linear import OFFSETS
from synth.parallel.plan import ROLES, Meeting, Role
from synth.parallel.relations import SIZE, Relation
from synth.parallel.steering import field_of, field_width
from synth.resources import shown_path

NAMES: dict[Role, str] = {
    "src": "source address", "dst": "destination address",
    "sport": "source port", "dport": "destination port",
    "eth.src": "source MAC address", "eth.dst": "destination MAC address",
}  # fmt: skip


def kind_words(kinds: Iterable[Kind]) -> tuple[str, ...]:
    """Return what kinds are called, with the numbers of VLAN tags where not all are there."""
    by_shape: dict[str, set[int]] = {}
    for kind in kinds:
        by_shape.setdefault(kind_word(kind), set()).add(kind.vlan_tags)
    shapes: dict[frozenset[int], list[str]] = {}
    for word, tags in by_shape.items():
        shapes.setdefault(frozenset(tags), []).append(word)
    words: list[str] = []
    for counts, some in shapes.items():
        with_tags = "" if len(counts) == 3 else f" with {' or '.join(map(str, sorted(counts)))} VLAN tags"
        words += [*some[:-1], some[-1] + with_tags]
    return tuple(words)


def kind_word(kind: Kind) -> str:
    """Return what packets of a kind are called, VLAN tags apart."""
    if kind.fragment != "whole":
        return f"{kind.fragment} fragments" if kind.l3 == "ipv4" else f"{kind.fragment} IPv6 fragments"
    return _WORDS[kind.l3, kind.l4]


_WORDS: Mapping[tuple[str, str], str] = {
    ("none", "none"): "not IP", ("arp", "none"): "ARP",
    ("ipv4", "tcp"): "TCP", ("ipv4", "udp"): "UDP", ("ipv4", "icmp_echo"): "ping",
    ("ipv4", "icmp_other"): "other ICMP", ("ipv4", "none"): "other IPv4",
    ("ipv6", "tcp"): "IPv6 TCP", ("ipv6", "udp"): "IPv6 UDP", ("ipv6", "icmpv6_echo"): "IPv6 ping",
    ("ipv6", "icmpv6_other"): "other ICMPv6", ("ipv6", "none"): "other IPv6",
}  # fmt: skip


def describe(relations: Iterable[Relation], roles: Mapping[str, Sequence[Role]]) -> tuple[Meeting, ...]:
    """Return relations in words, by the roles that count on each interface; equal words once."""
    found: dict[str, list[Relation]] = {}
    for relation in relations:
        found.setdefault(_when(relation, roles), []).append(relation)
    return tuple(_meeting(when, same) for when, same in found.items())


def _meeting(when: str, relations: Sequence[Relation]) -> Meeting:
    causes = [cause for relation in relations for cause in relation.causes]
    return Meeting(
        when=when,
        objects=tuple(dict.fromkeys(cause.object for cause in causes)),
        places=tuple(dict.fromkeys(place(cause.span) for cause in causes)),
    )


def place(span_: Span) -> str:
    """Return a file and a line."""
    return f"{shown_path(span_.file)}:{span_.line}"


def _when(relation: Relation, roles: Mapping[str, Sequence[Role]]) -> str:
    one, other = (unit.interface for unit in relation.units)
    equal = _equalities(relation, roles.get(one, ROLES), roles.get(other, ROLES))
    if one != other:
        pairs = [f"{one} {a} = {other} {b}" for a, b in equal]
        return _listed(pairs) if pairs else f"any packet of {one} and any packet of {other}"
    same = [a for a, b in equal if a == b]
    crossed = [f"{a} of one = {b} of the other" for a, b in equal if a != b]
    both = ([f"the same {_listed(same)}"] if same else []) + crossed
    return f"two packets of {one} with {_listed(both)}" if both else f"any two packets of {one}"


def _listed(items: Sequence[str]) -> str:
    return " and ".join((", ".join(items[:-1]), items[-1])) if len(items) > 1 else items[0]


def _equalities(relation: Relation, first: Sequence[Role], second: Sequence[Role]) -> list[tuple[str, str]]:
    """Return the names of the fields that the relation makes equal, perhaps in some leading bits only."""
    rows = span(relation.rows)
    found: dict[tuple[str, str], tuple[str, str]] = {}
    for one in first:
        for other in second:
            a, b = field_of(one, relation.units[0].kind), field_of(other, relation.units[1].kind)
            bits = 0 if a is None or b is None else _leading(rows, a, b)
            if a is not None and b is not None and bits:
                found.setdefault((a, b), (_name(one, a, bits), _name(other, b, bits)))
    return list(found.values())


def _name(role: Role, path: str, bits: int) -> str:
    name = "ping identifier" if path == "icmp_echo.id" else NAMES[role]
    return name if bits == field_width(path) else f"{name} /{bits}"


def _leading(rows: Rows, first: str, second: str) -> int:
    width = min(field_width(first), field_width(second))
    for bit in range(width):
        if not rows.holds(1 << OFFSETS[first] + bit ^ 1 << OFFSETS[second] + SIZE + bit):
            return bit
    return width
