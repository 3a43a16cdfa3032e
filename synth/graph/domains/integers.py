"""The integer domain: a scalar is a Python int, a packet is a frame with the fields written so far."""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from synth.graph.nodes import BinaryOp, Bits, Bool, Type, UnaryOp
from synth.net.crc32c import hash_scalars
from synth.net.frame import Frame, Rejected, admit, field_reader, write_frame
from synth.net.icmp import ICMP_ERRORS, icmp_error

Alternatives = tuple[tuple[bool, None], ...]

_TAKEN: Alternatives = ((True, None),)
_NOT_TAKEN: Alternatives = ((False, None),)


@dataclass(frozen=True, slots=True)
class FramePacket:
    """A packet value: where it came from, and the fields written since."""

    frame: Frame
    writes: dict[str, int]

    def render(self) -> bytes:
        """Return the bytes that leave, checksums right."""
        return write_frame(self.frame, self.writes)


def received(frame: Frame) -> FramePacket:
    """Return the packet value of an admitted frame."""
    return FramePacket(frame, {})


def width_of(of: Type) -> int:
    """Return a scalar type's width in bits; that of a truth value is 1.

    Raises:
        TypeError: for packets and entries.
    """
    match of:
        case Bits(width):
            return width
        case Bool():
            return 1
        case _:
            raise TypeError(f"{of} is not a scalar")


class Integers:
    """The domain that the interpreter runs over. Truth values are 0 and 1, or Python's own."""

    def constant(self, value: int, of: Type) -> int:  # noqa: ARG002 - an int needs no width
        return value

    def unary(self, op: UnaryOp, of: Type) -> Callable[[int], int]:
        if op == "not":
            return operator.not_
        mask = _mask(of)
        return lambda operand: operand ^ mask

    def binary(self, op: BinaryOp, of: Type) -> Callable[[int, int], int]:
        return _comparison_or_logic(op) or _arithmetic(op, width_of(of))

    def select(self, of: Type) -> Callable[[int, Any, Any], Any]:  # noqa: ARG002 - any type will do
        return lambda condition, then, otherwise: then if condition else otherwise

    def resize(self, of: Type, to: Type) -> Callable[[int], int]:
        if width_of(of) <= width_of(to):
            return int
        return _mask(to).__and__

    def hash(self, of: tuple[Type, ...]) -> Callable[[Sequence[int]], int]:
        widths = tuple(width_of(scalar) for scalar in of)
        return lambda operands: hash_scalars(zip(operands, widths, strict=True))

    def has(self, header: str) -> Callable[[FramePacket], int]:
        return lambda packet: header in packet.frame.present

    def read(self, path: str) -> Callable[[FramePacket], int]:
        read_frame = field_reader(path)

        def read(packet: FramePacket) -> int:
            written = packet.writes.get(path)
            return read_frame(packet.frame) if written is None else written

        return read

    def write(self, path: str) -> Callable[[FramePacket, int], FramePacket]:
        return lambda packet, value: FramePacket(packet.frame, packet.writes | {path: value})

    def length(self) -> Callable[[FramePacket], int]:
        return lambda packet: len(packet.frame.data)

    def icmp_error(self, error: str) -> Callable[[FramePacket, int, int], FramePacket]:
        kind = ICMP_ERRORS[error]

        def make(packet: FramePacket, source: int, mtu: int) -> FramePacket:
            made = admit(icmp_error(packet.frame, packet.render(), kind, source, mtu))
            assert not isinstance(made, Rejected)
            return received(made)

        return make

    def branch(self, condition: int, path: None) -> Alternatives:  # noqa: ARG002 - there is one path
        return _TAKEN if condition else _NOT_TAKEN


def _mask(of: Type) -> int:
    return (1 << width_of(of)) - 1


def _comparison_or_logic(op: BinaryOp) -> Callable[[int, int], int] | None:
    """Return the operations in which the width plays no part."""
    table: dict[BinaryOp, Callable[[int, int], int]] = {
        "and": operator.and_,
        "or": operator.or_,
        "xor": operator.xor,
        "eq": operator.eq,
        "ne": operator.ne,
        "lt": operator.lt,
        "le": operator.le,
        "sub_overflows": operator.lt,
    }
    return table.get(op)


def _arithmetic(op: BinaryOp, width: int) -> Callable[[int, int], int]:
    mask = (1 << width) - 1
    table: dict[BinaryOp, Callable[[int, int], int]] = {
        "add": lambda left, right: (left + right) & mask,
        "sub": lambda left, right: (left - right) & mask,
        "mul": lambda left, right: (left * right) & mask,
        "div": lambda left, right: left // right if right else mask,
        "rem": lambda left, right: left % right if right else left,
        "shl": lambda left, right: (left << right) & mask if right < width else 0,
        "shr": lambda left, right: left >> right if right < width else 0,
        "add_overflows": lambda left, right: left + right > mask,
        "mul_overflows": lambda left, right: left * right > mask,
    }
    return table[op]
