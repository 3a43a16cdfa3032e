"""Terms as bits, each a sum (XOR) of packet bits, where that is what they are.

A packet's bits are coordinates of an int: coordinate 0 is the constant one, then every header field's bits,
the most significant first. Fields that steering can read come first (`STEERABLE`), so that all others are
above `WIDTH`.
"""

from synth.net.fields import FIELDS
from synth.parallel.terms import Apply, Field, Number, Term

Form = int | None
"""A sum of coordinates, or None: not linear, or not known."""

STEERABLE = (
    "ipv4.src", "ipv4.dst", "l4.sport", "l4.dport", "icmp_echo.id",
    "arp.sender_ip", "arp.target_ip", "eth.src", "eth.dst",
)  # fmt: skip
"""Fields that a NIC, or the receiving core, may choose a core by."""


def _lay_out() -> dict[str, int]:
    offsets, place = {}, 1
    for path in (*STEERABLE, *(path for path in FIELDS if path not in STEERABLE)):
        offsets[path] = place
        place += FIELDS[path].width
    return offsets


OFFSETS: dict[str, int] = _lay_out()
"""The coordinate of each field's most significant bit."""
WIDTH = 1 + sum(FIELDS[path].width for path in STEERABLE)
"""How many coordinates steering can read, the constant included."""
TOTAL = 1 + sum(field.width for field in FIELDS.values())


def forms(term: Term) -> tuple[Form, ...]:
    """Return a scalar's bits, the most significant first."""
    match term:
        case Field(path=path, width=width):
            return tuple(1 << OFFSETS[path] + place for place in range(width))
        case Number(value=value, width=width):
            return tuple(value >> place & 1 for place in reversed(range(width)))
        case Apply(op=op, operands=operands, width=width):
            return _apply(op, tuple(forms(operand) for operand in operands), width)
        case _:
            return (None,) * getattr(term, "width", 0)


def _apply(op: str, operands: tuple[tuple[Form, ...], ...], width: int) -> tuple[Form, ...]:
    first = operands[0]
    match op:
        case "resize":
            return ((0,) * width + first)[-width:]
        case "not" | "complement":
            return tuple(None if bit is None else bit ^ 1 for bit in first)
        case "xor":
            return tuple(_sum(one, other) for one, other in zip(*operands, strict=True))
        case "and":
            return tuple(_both(one, other) for one, other in zip(*operands, strict=True))
        case "or" | "add" if all(0 in pair for pair in zip(*operands, strict=True)):
            # Where one of the two bits is always zero, nothing is carried.
            return tuple(_sum(one, other) for one, other in zip(*operands, strict=True))
        case "shl" | "shr" if (distance := _number(operands[1])) is not None:
            return _shift(op, first, min(distance, width))
        case "rem" if (divisor := _number(operands[1])) and divisor & (divisor - 1) == 0:
            kept = divisor.bit_length() - 1
            return (0,) * (width - kept) + first[width - kept :]
        case "div" if (divisor := _number(operands[1])) and divisor & (divisor - 1) == 0:
            return _shift("shr", first, divisor.bit_length() - 1)
        case _:
            return (None,) * width


def _shift(op: str, bits: tuple[Form, ...], distance: int) -> tuple[Form, ...]:
    zeros = (0,) * distance
    return bits[distance:] + zeros if op == "shl" else zeros + bits[: len(bits) - distance]


def _sum(one: Form, other: Form) -> Form:
    return None if one is None or other is None else one ^ other


def _both(one: Form, other: Form) -> Form:
    if 0 in (one, other):
        return 0
    if one == 1:
        return other
    return one if other in (1, one) else None


def _number(bits: tuple[Form, ...]) -> int | None:
    value = 0
    for bit in bits:
        if bit not in (0, 1):
            return None
        value = value << 1 | bit
    return value
