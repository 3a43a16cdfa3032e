"""The types of the language, and how each is made of scalars.

The graph knows scalars only. A record, a tuple or a flow key is a row of scalars there, in the
order of its members (`scalars`); a list, rule set or routing table is data, not a value.
"""

from dataclasses import dataclass
from typing import assert_never

from synth.net.kinds import Kind


@dataclass(frozen=True, slots=True)
class UInt:
    """An unsigned integer of `width` bits, 1 to 64."""

    width: int


@dataclass(frozen=True, slots=True)
class Bool: ...


@dataclass(frozen=True, slots=True)
class Mac: ...


@dataclass(frozen=True, slots=True)
class Ipv4: ...


@dataclass(frozen=True, slots=True)
class Prefix4: ...


@dataclass(frozen=True, slots=True)
class Ipv6: ...


@dataclass(frozen=True, slots=True)
class Prefix6: ...


@dataclass(frozen=True, slots=True)
class Duration:
    """Nanoseconds, 64 bits."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Bits per second, 64 bits."""


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes, 64 bits."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the NF's own sides: an index into them, in the order of declaration (or of wiring)."""


@dataclass(frozen=True, slots=True)
class Range:
    """A closed range of integers; known when the chain is built."""

    element: UInt


@dataclass(frozen=True, slots=True)
class Record:
    name: str
    members: tuple[tuple[str, "Type"], ...]


@dataclass(frozen=True, slots=True)
class Tuple:
    items: tuple["Type", ...]


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet that is of one of these kinds."""

    kinds: frozenset[Kind]


@dataclass(frozen=True, slots=True)
class Entry:
    """A live entry of one of the NF's keyed tables."""

    table: str


@dataclass(frozen=True, slots=True)
class Rules:
    """An ordered rule set: first match decides."""


@dataclass(frozen=True, slots=True)
class Routes:
    """A longest-prefix-match table whose results are records."""

    result: Record


@dataclass(frozen=True, slots=True)
class List:
    """A list of records that is known when the chain is built."""

    element: Record


Type = (
    UInt | Bool | Mac | Ipv4 | Prefix4 | Ipv6 | Prefix6 | Duration | Rate | Size | Side
    | Range | Record | Tuple | Packet | Entry | Rules | Routes | List
)  # fmt: skip


def _flow(name: str, address: Ipv4 | Ipv6) -> Record:
    ends = (("src", address), ("dst", address), ("sport", UInt(16)), ("dport", UInt(16)))
    return Record(name, (*ends, ("protocol", UInt(8))))


FLOW, FLOW6 = _flow("flow", Ipv4()), _flow("flow6", Ipv6())
"""The 5-tuples of IPv4 and IPv6. An ICMP or ICMPv6 echo's identifier stands in both ports."""

SIDE_WIDTH = 8


@dataclass(frozen=True, slots=True)
class Scalar:
    """One scalar of a value: its width in bits, and whether it is a truth value or the index of a side."""

    width: int
    is_bool: bool = False
    is_side: bool = False


def scalars(of: Type) -> tuple[Scalar, ...]:
    """Return the scalars that a run-time value of this type is made of.

    Raises:
        TypeError: for types that are data rather than values (packets, entries, tables, ranges).
    """
    match of:
        case UInt(width):
            return (Scalar(width),)
        case Bool():
            return (Scalar(1, is_bool=True),)
        case Mac():
            return (Scalar(48),)
        case Ipv4():
            return (Scalar(32),)
        case Ipv6():
            return (Scalar(128),)
        case Duration() | Rate() | Size():
            return (Scalar(64),)
        case Side():
            return (Scalar(SIDE_WIDTH, is_side=True),)
        case Record(_, members):
            return tuple(scalar for _, member in members for scalar in scalars(member))
        case Tuple(items):
            return tuple(scalar for item in items for scalar in scalars(item))
        case Prefix4() | Prefix6() | Range() | Packet() | Entry() | Rules() | Routes() | List():
            raise TypeError(f"{of} is not a run-time value")
        case _:
            assert_never(of)
