"""Values that are known when C is emitted.

Compilers fold these themselves, but warn about the tests that are left (`port <= 65535`), and a
person should not read them.
"""

import operator
from collections.abc import Callable, Iterable

from synth.graph.nodes import Binary, BinaryOp, Bits, Block, Constant, Op, Resize, Select, Type, Unary, Value


def width_of(type_: Type) -> int:
    """Return the width in bits of a scalar's type; a truth value has one."""
    return type_.width if isinstance(type_, Bits) else 1


def mask_of(type_: Type) -> int:
    """Return the largest value of a scalar's type."""
    return (1 << width_of(type_)) - 1


def constants_of(blocks: Iterable[Block]) -> dict[Value, int]:
    """Return the known values of blocks that come in topological order."""
    known: dict[Value, int] = {}
    for block in blocks:
        for op in block.operations:
            value = _fold(op, known)
            if value is not None:
                known[op.results[0]] = value
    return known


def _fold(op: Op, known: dict[Value, int]) -> int | None:
    match op:
        case Constant(value=value):
            return value
        case Resize(operand=operand) if operand in known:
            return known[operand] & mask_of(op.results[0].type)
        case Unary(operand=operand) if operand in known:
            return known[operand] ^ mask_of(operand.type)
        case Select(condition=condition) if condition in known:
            return known.get(op.then if known[condition] else op.otherwise)
        case Binary():
            return _fold_binary(op, known.get(op.left), known.get(op.right))
        case _:
            return None


def _fold_binary(op: Binary, left: int | None, right: int | None) -> int | None:
    most = mask_of(op.left.type)
    if left is None or right is None:
        return _fold_at_end(op.op, left, right, most)
    if op.op in _OPERATIONS:
        return int(_OPERATIONS[op.op](left, right)) & most
    if op.op in _OVERFLOWS:
        return int(not 0 <= _OVERFLOWS[op.op](left, right) <= most)
    width = width_of(op.left.type)
    match op.op:
        case "div":
            return left // right if right else most
        case "rem":
            return left % right if right else left
        case "shl":
            return (left << right) & most if right < width else 0
        case _:
            return left >> right


_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "and": operator.and_,
    "or": operator.or_,
    "xor": operator.xor,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
}
_OVERFLOWS: dict[str, Callable[[int, int], int]] = {
    "add_overflows": operator.add,
    "sub_overflows": operator.sub,
    "mul_overflows": operator.mul,
}


def _fold_at_end(op: BinaryOp, left: int | None, right: int | None, most: int) -> int | None:
    """Decide a comparison with the end of the type's range."""
    match op:
        case "lt":
            return 0 if right == 0 or left == most else None
        case "le":
            return 1 if left == 0 or right == most else None
        case "sub_overflows":
            return 0 if right == 0 or left == most else None
        case "add_overflows":
            return 0 if 0 in (left, right) else None
        case "mul_overflows":
            return 0 if left in (0, 1) or right in (0, 1) else None
        case _:
            return None
