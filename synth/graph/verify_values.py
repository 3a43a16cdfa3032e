"""Check operations on scalars and packets: the types of their operands and results."""

from collections.abc import Iterator
from typing import assert_never

from synth.graph import nodes
from synth.graph.nodes import Type, Value
from synth.graph.verify_types import field_type
from synth.net.fields import FIELDS
from synth.net.icmp import ICMP_ERRORS
from synth.net.kinds import HEADERS

Violations = Iterator[str]
"""What is wrong with an operation, in words that follow its name."""

BOOL = nodes.Bool()
PACKET = nodes.Packet()
U32 = nodes.Bits(32)

ScalarOp = nodes.Constant | nodes.Unary | nodes.Binary | nodes.Select | nodes.Resize | nodes.Hash
PacketOp = nodes.Has | nodes.Read | nodes.Write | nodes.Length | nodes.IcmpError

_LOGICAL = ("and", "or", "xor", "eq", "ne")
_TRUTHS = ("eq", "ne", "lt", "le", "add_overflows", "sub_overflows", "mul_overflows")


def expect(what: str, values: tuple[Value, ...], types: tuple[Type, ...]) -> Violations:
    found = tuple(value.type for value in values)
    if found != types:
        yield f"{what}: {_names(found)} instead of {_names(types)}"


def _names(types: tuple[Type, ...]) -> str:
    return f"({', '.join(map(str, types))})"


def expect_bits(what: str, *values: Value) -> Violations:
    for value in values:
        if not isinstance(value.type, nodes.Bits):
            yield f"{what}: {value.type} instead of bits"


def check_scalar(
    op: ScalarOp,
) -> Violations:
    if len(op.results) != 1:
        yield f"{len(op.results)} results instead of 1"
        return
    result = op.results[0]
    match op:
        case nodes.Constant(value=value):
            width = _width(result.type)
            if width is None or not 0 <= value < 1 << width:
                yield f"{value} is no {result.type}"
        case nodes.Unary(op=word, operand=operand):
            wanted = (BOOL,) if word == "not" else (operand.type,)
            yield from expect("operand", (operand,), wanted)
            yield from expect("result", op.results, wanted)
            if word == "complement":
                yield from expect_bits("operand", operand)
        case nodes.Binary():
            yield from _check_binary(op)
        case nodes.Select(condition=condition, then=then, otherwise=otherwise):
            yield from expect("condition", (condition,), (BOOL,))
            yield from expect("choices", (then, otherwise), (result.type, result.type))
        case nodes.Resize(operand=operand):
            yield from expect_bits("result", result)
            if _width(operand.type) is None:
                yield f"operand: {operand.type} has no width"
        case nodes.Hash(operands=operands):
            yield from expect("result", op.results, (U32,))
            if any(_width(operand.type) is None for operand in operands):
                yield "an operand has no width"
        case _:
            assert_never(op)


def _width(of: Type) -> int | None:
    match of:
        case nodes.Bits(width):
            return width
        case nodes.Bool():
            return 1
        case nodes.Packet() | nodes.Entry():
            return None
        case _:
            assert_never(of)


def _check_binary(op: nodes.Binary) -> Violations:
    yield from expect("operands", (op.left, op.right), (op.left.type, op.left.type))
    if not (isinstance(op.left.type, nodes.Bool) and op.op in _LOGICAL):
        yield from expect_bits("operand", op.left)
    yield from expect("result", op.results, (BOOL if op.op in _TRUTHS else op.left.type,))


def check_packet(op: PacketOp) -> Violations:
    yield from expect("packet", (op.packet,), (PACKET,))
    match op:
        case nodes.Has(header=header):
            yield from expect("result", op.results, (BOOL,))
            if header not in HEADERS:
                yield f"no header `{header}`"
        case nodes.Length():
            yield from expect("result", op.results, (U32,))
        case nodes.IcmpError(error=error, source=source, mtu=mtu):
            yield from expect("source and MTU", (source, mtu), (U32, nodes.Bits(16)))
            yield from expect("result", op.results, (PACKET,))
            if error not in ICMP_ERRORS:
                yield f"no ICMP error `{error}`"
        case nodes.Read(path=path) | nodes.Write(path=path) if path not in FIELDS:
            yield f"no field `{path}`"
        case nodes.Read(path=path):
            yield from expect("result", op.results, (field_type(path),))
        case nodes.Write(path=path, value=value):
            yield from expect("value", (value,), (field_type(path),))
            yield from expect("result", op.results, (PACKET,))
            if not FIELDS[path].is_writable:
                yield f"`{path}` cannot be written"
