"""Scalars as they stand in YAML files: the same literals as in a chain file."""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import assert_never

from synth.language.numbers import parse_integer
from synth.language.types import (
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
from synth.language.units import MOST, units_of
from synth.net.addresses import parse_ipv4, parse_ipv6, parse_mac

_NUMBER = re.compile(r"0x[0-9a-fA-F]+|0b[01]+|[0-9]+")
_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]+)?) ?([a-zA-Z/]+)")
_TRUTH = {"true": 1, "false": 0}


def parse_scalar(text: str, of: Type, sides: Sequence[str] = ()) -> int | None:
    """Return the scalar that a text stands for, in the unit of its type, or None when it is none.

    `sides` are the names that a value of type side can have, in order.
    """
    match of:
        case UInt(width):
            number = parse_integer(text) if _NUMBER.fullmatch(text) and not _is_octal(text) else None
            return number if number is not None and number >> width == 0 else None
        case Bool():
            return _TRUTH.get(text)
        case Mac():
            return parse_mac(text)
        case Ipv4():
            return parse_ipv4(text)
        case Ipv6():
            return parse_ipv6(text)
        case Duration() | Rate() | Size():
            return _parse_quantity(text, units_of(of))
        case Side():
            return sides.index(text) if text in sides else None
        case Prefix4() | Prefix6() | Range() | Packet() | Entry() | Rules() | Routes() | List():
            raise TypeError(f"{of} is no scalar")
        case Record() | Tuple():
            raise TypeError(f"{of} is no scalar")
        case _:
            assert_never(of)


def describe_type(of: Type, sides: Sequence[str] = ()) -> str:
    """Return what a scalar of a type looks like, for messages."""
    match of:
        case UInt(width):
            return f"a number from 0 to {2**width - 1}"
        case Bool():
            return "true or false"
        case Mac():
            return "a MAC address such as 02:00:00:00:00:01"
        case Ipv4():
            return "an IPv4 address such as 10.0.0.1"
        case Ipv6():
            return "an IPv6 address such as 2001:db8::1"
        case Duration():
            return "a duration such as 60s"
        case Rate():
            return "a rate such as 100Mbit/s"
        case Size():
            return "a size such as 64kB"
        case Side():
            return f"a side ({', '.join(sides)})"
        case Prefix4() | Prefix6() | Range() | Packet() | Entry() | Rules() | Routes() | List():
            raise TypeError(f"{of} is no scalar")
        case Record() | Tuple():
            raise TypeError(f"{of} is no scalar")
        case _:
            assert_never(of)


def _is_octal(text: str) -> bool:
    """Tell whether a number starts with a zero, which YAML 1.1 takes for an octal one."""
    return len(text) > 1 and text.isdigit() and text.startswith("0")


def _parse_quantity(text: str, units: dict[str, int]) -> int | None:
    found = _QUANTITY.fullmatch(text)
    if found is None or found[2] not in units:
        return None
    exact = Decimal(found[1]) * units[found[2]]
    return int(exact) if exact == int(exact) and int(exact) < MOST else None
