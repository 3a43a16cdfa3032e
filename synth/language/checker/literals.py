"""What literals mean: their types, and their values in the unit of the type."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from synth.diagnostics.reporter import Reporter
from synth.language import syntax, typed
from synth.language.errors.types import NotAllowedHere, UnknownWidth
from synth.language.errors.values import (
    BadAddress,
    BadQuantity,
    HostBits,
    LiteralTooLarge,
    NothingInRange,
    PrefixTooLong,
)
from synth.language.numbers import parse_integer, shorten
from synth.language.types import (
    Bool,
    Duration,
    Ipv4,
    Ipv6,
    Mac,
    Prefix4,
    Prefix6,
    Range,
    Rate,
    Size,
    Type,
    UInt,
)
from synth.language.units import MOST, UNITS
from synth.language.values import PrefixValue, RangeValue, Value
from synth.net.addresses import network_mask, parse_ipv4, parse_ipv6, parse_mac, print_ipv4, print_ipv6

_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]+)?)(.*)", re.DOTALL)
_SMALLEST: dict[type, str] = {
    Duration: "whole nanoseconds", Rate: "whole bits per second", Size: "whole bytes",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """What differs between the addresses of IPv4 and of IPv6."""

    name: str
    form: str
    width: int
    address_type: Type
    prefix_type: Type
    parse: Callable[[str], int | None]
    print: Callable[[int], str]


_IPV4 = Family(
    name="IPv4",
    form="four numbers from 0 to 255",
    width=32,
    address_type=Ipv4(),
    prefix_type=Prefix4(),
    parse=parse_ipv4,
    print=print_ipv4,
)
_IPV6 = Family(
    name="IPv6",
    form="at most eight groups of one to four hexadecimal digits, with `::` once or not at all",
    width=128,
    address_type=Ipv6(),
    prefix_type=Prefix6(),
    parse=parse_ipv6,
    print=print_ipv6,
)
FAMILIES = {"IPV4": _IPV4, "PREFIX4": _IPV4, "IPV6": _IPV6, "PREFIX6": _IPV6}
"""By the grammar's terminal."""


def check_literal(literal: syntax.Literal, want: Type | None, reporter: Reporter) -> typed.Expr | None:
    """Return a literal as a typed constant. Integers and ranges take the width that is wanted."""
    found = _meaning(literal, want, reporter)
    if found is None:
        return None
    of, value = found
    return typed.Constant(type=of, value=value, span=literal.span)


def _meaning(literal: syntax.Literal, want: Type | None, reporter: Reporter) -> tuple[Type, Value] | None:
    text = literal.text
    match literal.token:
        case "INTEGER":
            return _integer(literal, want, reporter)
        case "TRUE":
            return Bool(), (1,)
        case "FALSE":
            return Bool(), (0,)
        case "MAC":
            mac = parse_mac(text)
            return None if mac is None else (Mac(), (mac,))
        case "IPV4" | "IPV6":
            family = FAMILIES[literal.token]
            address = _address(literal, text, family, reporter)
            return None if address is None else (family.address_type, (address,))
        case "PREFIX4" | "PREFIX6":
            prefix = parse_prefix(literal, reporter)
            return None if prefix is None else (FAMILIES[literal.token].prefix_type, prefix)
        case "RANGE":
            return _range(literal, want, reporter)
        case "QUANTITY":
            return _quantity(literal, reporter)
        case _:
            places = 'texts stand in `rules("...")`, `routes("...")` and `yaml("...")`'
            expected = f"a value{_without_quotes(text)}; {places}"
            reporter.report(
                NotAllowedHere(span=literal.span, what="a text", place="an expression", expected=expected)
            )
            return None


def _without_quotes(text: str) -> str:
    inner = text.strip('"')
    is_value = parse_ipv4(inner.partition("/")[0]) is not None or parse_mac(inner) is not None
    return f" (write it without quotes: `{inner}`)" if is_value else ""


def _integer(literal: syntax.Literal, want: Type | None, reporter: Reporter) -> tuple[Type, Value] | None:
    # Elsewhere than where an integer is wanted the literal keeps a width of its own, so that the
    # mismatch is reported where the two meet.
    if want is None:
        reporter.report(UnknownWidth(span=literal.span, text=shorten(literal.text)))
        return None
    of = want if isinstance(want, UInt) else UInt(64)
    value = parse_integer(literal.text)
    if not _fits(literal, value, of, reporter):
        return None
    return of, (value,)


def _fits(literal: syntax.Literal, value: int, of: UInt, reporter: Reporter) -> bool:
    highest = 2**of.width - 1
    if value <= highest:
        return True
    reporter.report(
        LiteralTooLarge(span=literal.span, text=shorten(literal.text), type=f"u{of.width}", highest=highest)
    )
    return False


def _range(literal: syntax.Literal, want: Type | None, reporter: Reporter) -> tuple[Type, Value] | None:
    low, high = (parse_integer(end) for end in literal.text.split(".."))
    element = want.element if isinstance(want, Range) else want if isinstance(want, UInt) else UInt(64)
    fits = [_fits(literal, end, element, reporter) for end in (low, high)]
    if not all(fits):
        return None
    if low > high:
        reporter.report(NothingInRange(span=literal.span, low=low, high=high))
        return None
    return Range(element), RangeValue(low, high)


def _quantity(literal: syntax.Literal, reporter: Reporter) -> tuple[Type, Value] | None:
    found = _QUANTITY.fullmatch(literal.text)
    unit = found[2] if found else ""
    if found is None or unit not in UNITS:
        reason = "packet rates are not in this version yet" if unit == "pps" else "the unit is unknown"
        _report_quantity(literal, reason, "bits per second, as in `8Mbit/s`", reporter)
        return None
    of, scale = UNITS[unit]
    exact = Decimal(found[1]) * scale if len(found[1]) < 60 else Decimal(MOST)
    if exact != int(exact):
        _report_quantity(literal, "it is no whole number of the smallest unit", _SMALLEST[type(of)], reporter)
        return None
    if exact >= MOST:
        _report_quantity(literal, "it is too large", "at most 64 bits of the smallest unit", reporter)
        return None
    return of, (int(exact),)


def _report_quantity(literal: syntax.Literal, reason: str, expected: str, reporter: Reporter) -> None:
    reporter.report(
        BadQuantity(span=literal.span, text=shorten(literal.text), reason=reason, expected=expected)
    )


def parse_prefix(
    literal: syntax.Literal, reporter: Reporter, *, may_have_host_bits: bool = False
) -> PrefixValue | None:
    """Return the value of a PREFIX4 or PREFIX6 token; None, and reported, when it is wrong.

    With host bits allowed, the address of the result keeps them.
    """
    family = FAMILIES[literal.token]
    text, _, length_text = literal.text.partition("/")
    address = _address(literal, text, family, reporter)
    if address is None:
        return None
    length = int(length_text) if len(length_text) < 4 else 1000
    if length > family.width:
        reporter.report(
            PrefixTooLong(
                span=literal.span, text=shorten(literal.text), length=shorten(length_text),
                family=family.name, longest=family.width,
            )
        )  # fmt: skip
        return None
    network = address & network_mask(length, family.width)
    if network != address and not may_have_host_bits:
        reporter.report(
            HostBits(
                span=literal.span, text=literal.text, length=length,
                prefix=f"{family.print(network)}/{length}", address=f"{family.print(address)}/{family.width}",
            )
        )  # fmt: skip
        return None
    return PrefixValue(address, length, family.width)


def _address(literal: syntax.Literal, text: str, family: Family, reporter: Reporter) -> int | None:
    address = family.parse(text)
    if address is None:
        reporter.report(
            BadAddress(span=literal.span, text=shorten(text), family=family.name, expected=family.form)
        )
    return address
