"""How types, packets and expressions are named in messages."""

from collections.abc import Iterable
from typing import assert_never

from synth.language import syntax, typed
from synth.language.types import (
    FLOW,
    FLOW6,
    Bool,
    Duration,
    Entry,
    Ipv4,
    Ipv6,
    List,
    Mac,
    Packet,
    Prefix4,
    Prefix6,
    Range,
    Rate,
    Record,
    Routes,
    Rules,
    Side,
    Size,
    Tuple,
    Type,
    UInt,
)
from synth.net.kinds import TRANSPORTS, UNIVERSE, Kind

_PLAIN: dict[type, str] = {
    Bool: "bool", Mac: "mac", Ipv4: "ipv4", Prefix4: "prefix", Ipv6: "ipv6", Prefix6: "prefix6",
    Duration: "duration", Rate: "rate", Size: "size", Side: "side", Rules: "rules",
}  # fmt: skip
PLAIN_TYPES: dict[str, Type] = {
    "bool": Bool(), "mac": Mac(), "ipv4": Ipv4(), "prefix": Prefix4(), "ipv6": Ipv6(), "prefix6": Prefix6(),
    "duration": Duration(), "rate": Rate(), "size": Size(), "side": Side(), "rules": Rules(),
    "flow": FLOW, "flow6": FLOW6,
}  # fmt: skip
"""Types that are one word."""


def show(of: Type) -> str:
    """Return a type as it is written."""
    match of:
        case UInt(width):
            return f"u{width}"
        case Range(element):
            return f"range<{show(element)}>"
        case Record(name, _):
            return name
        case Tuple(items):
            return f"({', '.join(show(item) for item in items)})"
        case Packet():
            return "packet"
        case Entry(table):
            return f"entry of {table}"
        case Routes(result):
            return f"routes<{result.name}>"
        case List(element):
            return f"list<{element.name}>"
        case Bool() | Mac() | Ipv4() | Prefix4() | Ipv6() | Prefix6() | Rules():
            return _PLAIN[type(of)]
        case Duration() | Rate() | Size() | Side():
            return _PLAIN[type(of)]
        case _:
            assert_never(of)


def quote(of: Type) -> str:
    """Return a type between backticks, or in words where it has no spelling."""
    match of:
        case Packet():
            return "a packet"
        case Entry(table):
            return f"an entry of `{table}`"
        case _:
            return f"`{show(of)}`"


def quote_value(value: typed.Expr) -> str:
    """Return the type of a value for messages; that of a literal integer is not fixed."""
    is_integer = isinstance(value, typed.Constant) and isinstance(value.type, UInt)
    return "an integer" if is_integer else quote(value.type)


def spell(expression: syntax.ValueExpr) -> str:
    """Return the source of a short expression, or `...`."""
    match expression:
        case syntax.Literal(text=text):
            return text
        case syntax.Reference(name=name):
            return name.text
        case syntax.Member(operand=operand, member=member):
            return f"{spell(operand)}.{member.text}"
        case syntax.Call(function=function):
            return f"{spell(function)}(...)"
        case syntax.Index(operand=operand, index=index):
            return f"{spell(operand)}[{spell(index)}]"
        case _:
            return "..."


def spell_pattern(pattern: syntax.Pattern) -> str:
    """Return a pattern as it is written."""
    match pattern:
        case syntax.PatternName(name=name):
            return name
        case syntax.PatternNot(inner=inner):
            return f"!{_spell_part(inner)}"
        case syntax.PatternAll(parts=parts):
            return " & ".join(_spell_part(part) for part in parts)
        case syntax.PatternAny(parts=parts):
            return " | ".join(_spell_part(part) for part in parts)
        case _:
            assert_never(pattern)


def _spell_part(pattern: syntax.Pattern) -> str:
    text = spell_pattern(pattern)
    return f"({text})" if isinstance(pattern, syntax.PatternAll | syntax.PatternAny) else text


def join(words: Iterable[str], last: str = "or") -> str:
    """Return words as a list in a sentence."""
    listed = list(words)
    if len(listed) < 2:
        return "".join(listed)
    return f"{', '.join(listed[:-1])} {last} {listed[-1]}"


def backticks(names: Iterable[str]) -> str:
    """Return names between backticks, as a list in a sentence."""
    return join(f"`{name}`" for name in names)


# ---------------------------------------------------------------- kinds of packets

_MOST_PHRASES = 4


def describe_kinds(kinds: frozenset[Kind]) -> str:
    """Return in words what packets of these kinds are: `ARP or a later IPv4 fragment`."""
    if kinds == UNIVERSE:
        return "anything"
    if not kinds:
        return "nothing"
    tags = {kind.vlan_tags for kind in kinds}
    if _repeats_for_every_tag(kinds):
        return _describe_untagged(kinds)
    if len(tags) == 1:
        return f"{_describe_untagged(kinds)} {_TAGS[tags.pop()]}"
    by_tags = (frozenset(kind for kind in kinds if kind.vlan_tags == count) for count in sorted(tags))
    return join(f"{_describe_untagged(part)} {_TAGS[next(iter(part)).vlan_tags]}" for part in by_tags)


_TAGS = {0: "without a VLAN tag", 1: "with one VLAN tag", 2: "with two VLAN tags"}


def _repeats_for_every_tag(kinds: frozenset[Kind]) -> bool:
    shapes = {(kind.l3, kind.l4, kind.fragment) for kind in kinds}
    return len(kinds) == 3 * len(shapes)


def _describe_untagged(kinds: frozenset[Kind]) -> str:
    shapes = {(kind.l3, kind.l4, kind.fragment) for kind in kinds}
    phrases: list[str] = []
    for name, all_of_it in _WHOLE_PROTOCOLS:
        if shapes >= all_of_it:
            phrases.append(name)
            shapes -= all_of_it
    for phrase, meant in _PHRASES:
        if meant <= shapes:
            phrases.append(phrase)
            shapes -= meant
    if len(phrases) > _MOST_PHRASES:
        phrases = [*phrases[:_MOST_PHRASES], "something else"]
    return join(phrases)


Shapes = frozenset[tuple[str, str, str]]


def _shapes(header: str) -> Shapes:
    return frozenset((kind.l3, kind.l4, kind.fragment) for kind in UNIVERSE if kind.has(header))


_WHOLE_PROTOCOLS = (("IPv4", _shapes("ipv4")), ("IPv6", _shapes("ipv6")))
_L4_WORDS = {
    "tcp": "TCP", "udp": "UDP", "icmp_echo": "ICMP echo", "icmp_other": "other ICMP",
    "icmpv6_echo": "ICMPv6 echo", "icmpv6_other": "other ICMPv6",
}  # fmt: skip
_IP_WORDS = {"ipv4": "IPv4", "ipv6": "IPv6"}


def _transports() -> tuple[tuple[str, frozenset[tuple[str, str]]], ...]:
    """Return words for transports, over both IP protocols before each, with their layers 3 and 4."""
    both = [(_L4_WORDS[l4], frozenset({("ipv4", l4), ("ipv6", l4)})) for l4 in ("tcp", "udp")]
    each = [
        ((f"{_IP_WORDS[l3]} of another protocol" if l4 == "none" else _within(l3, l4)), frozenset({(l3, l4)}))
        for l3, l4s in TRANSPORTS.items()
        for l4 in l4s
    ]
    return (*both, *each)


def _within(l3: str, l4: str) -> str:
    is_told = l4.startswith("icmp")
    return _L4_WORDS[l4] if is_told else f"{_L4_WORDS[l4]} over {_IP_WORDS[l3]}"


def _fragments(form: str, fragments: tuple[str, ...]) -> list[tuple[str, Shapes]]:
    return [
        (form.format(words), frozenset((l3, l4, fragment) for l3, l4 in layers for fragment in fragments))
        for words, layers in _transports()
    ]


_PHRASES: tuple[tuple[str, Shapes], ...] = (
    ("a frame of another kind (such as LLDP)", frozenset({("none", "none", "whole")})),
    ("ARP", frozenset({("arp", "none", "whole")})),
    ("ICMP", _shapes("icmp")),
    ("ICMPv6", _shapes("icmpv6")),
    *_fragments("{}", ("whole", "first")),
    *_fragments("unfragmented {}", ("whole",)),
    *_fragments("a first fragment of {}", ("first",)),
    ("a later fragment", _shapes("later_fragment")),
    ("a later IPv4 fragment", frozenset({("ipv4", "none", "later")})),
    ("a later IPv6 fragment", frozenset({("ipv6", "none", "later")})),
)
