"""Operations on scalars, folded where all operands are constants: then no operation is left."""

from synth.diagnostics.spans import Span
from synth.graph.domains.integers import Integers
from synth.graph.nodes import Binary, BinaryOp, Bits, Bool, Resize, Unary, UnaryOp, Value
from synth.lower.builder import Builder
from synth.lower.paths import Path
from synth.lower.scalars import BOOL, FALSE, TRUE, Known, Row, Scalar, width_of

_INTEGERS = Integers()
_TRUTHS: tuple[BinaryOp, ...] = ("eq", "ne", "lt", "le", "add_overflows", "sub_overflows", "mul_overflows")


def binary(path: Path, op: BinaryOp, left: Scalar, right: Scalar, span: Span) -> Scalar:
    """Return a binary operation's result; its operands are of one type."""
    result = BOOL if op in _TRUTHS or isinstance(left.type, Bool) else left.type
    if isinstance(left, Known) and isinstance(right, Known):
        return Known(_scalar_type(result), int(_INTEGERS.binary(op, left.type)(left.value, right.value)))
    decided = _decided(op, left, right)
    if decided is not None:
        return decided
    (value,) = path.append(Binary, (result,), span, op=op, left=left, right=right)
    _bound(path.builder, op, left, right, value)
    return value


def _scalar_type(of: object) -> Bits | Bool:
    if not isinstance(of, Bits | Bool):
        raise TypeError(f"{of} is no scalar")
    return of


def _decided(op: BinaryOp, left: Scalar, right: Scalar) -> Scalar | None:
    """Return what `and` or `or` of truth values is when one of them is known."""
    for known, other in ((left, right), (right, left)):
        if isinstance(known, Known) and known.type == BOOL and op in ("and", "or"):
            is_decisive = bool(known.value) == (op == "or")
            return known if is_decisive else other
    return None


def _bound(builder: Builder, op: BinaryOp, left: Scalar, right: Scalar, value: Value) -> None:
    """Remember how large a result can be, where a constant says so."""
    if op == "and":
        builder.bound(value, min(builder.most(left), builder.most(right)))
    elif op == "rem" and isinstance(right, Known) and right.value:
        builder.bound(value, min(builder.most(left), right.value - 1))
    elif op == "div" and isinstance(right, Known) and right.value:
        builder.bound(value, builder.most(left) // right.value)
    elif op == "shr" and isinstance(right, Known):
        builder.bound(value, builder.most(left) >> right.value)


def unary(path: Path, op: UnaryOp, operand: Scalar, span: Span) -> Scalar:
    """Return `not` of a truth value, or `complement` of bits."""
    if isinstance(operand, Known):
        return Known(operand.type, int(_INTEGERS.unary(op, operand.type)(operand.value)))
    (value,) = path.append(Unary, (operand.type,), span, op=op, operand=operand)
    return value


def resize(path: Path, operand: Scalar, width: int, span: Span) -> Scalar:
    """Return a scalar as an unsigned integer of another width: zero-extended, or its low bits."""
    to = Bits(width)
    if isinstance(operand, Known):
        return Known(to, operand.value & ((1 << width) - 1))
    if operand.type == to:
        return operand
    (value,) = path.append(Resize, (to,), span, path.builder.hint(operand), operand=operand)
    path.builder.bound(value, min(path.builder.most(operand), (1 << width) - 1))
    return value


def equal(path: Path, left: Row, right: Row, span: Span) -> Scalar:
    """Return whether two rows are equal, scalar by scalar."""
    result: Scalar = TRUE
    for one, other in zip(left, right, strict=True):
        result = conjunction(path, result, binary(path, "eq", one, other, span), span)
    return result


def conjunction(path: Path, left: Scalar, right: Scalar, span: Span) -> Scalar:
    """Return `and` of two truth values, both computed already."""
    return binary(path, "and", left, right, span)


def is_in_range(path: Path, item: Scalar, low: int, high: int, span: Span) -> Scalar:
    """Return whether low <= item <= high, without the tests that the item's width decides."""
    width = width_of(item.type)
    limit = (1 << width) - 1
    if low > limit:
        return FALSE
    result: Scalar = TRUE
    if low > 0:
        result = binary(path, "le", Known(Bits(width), low), item, span)
    if high < limit:
        below = binary(path, "le", item, Known(Bits(width), high), span)
        result = conjunction(path, result, below, span)
    return result
