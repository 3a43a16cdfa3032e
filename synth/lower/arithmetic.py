"""Arithmetic that may not fit: an explicit test, and a way out to the drop `<nf>.arithmetic`."""

from typing import get_args

from synth.diagnostics.spans import Span
from synth.graph.nodes import BinaryOp, Bits
from synth.language import typed
from synth.language.typed import Comparison
from synth.lower.context import Context
from synth.lower.delivery import deliver
from synth.lower.folding import binary, equal, resize, unary
from synth.lower.paths import Path, split
from synth.lower.scalars import FALSE, Known, Row, Scalar, width_of

ARITHMETIC = "arithmetic"

_PLAIN: dict[str, BinaryOp] = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "%": "rem", "+%": "add", "-%": "sub", "*%": "mul",
    "&": "and", "|": "or", "^": "xor", "<<": "shl", ">>": "shr",
}  # fmt: skip


def lower_operation(context: Context, path: Path, expr: typed.Binary, left: Row, right: Row) -> Scalar:
    """Return an operation's result. Equality takes rows, all others take scalars."""
    op, span = expr.op, expr.span
    if op in get_args(Comparison):
        return _compare(path, expr, left, right)
    (one,), (other,) = left, right
    if op in ("<<", ">>"):
        return _shift(path, _PLAIN[op], one, other, span)
    # A quantity and a plain integer (`2 * idle`) may be of different widths.
    width = max(width_of(one.type), width_of(other.type))
    one, other = resize(path, one, width, span), resize(path, other, width, span)
    if op in ("+", "-", "*"):
        _guard(context, path, _overflow(path, expr, one, other), span)
    if op in ("/", "%"):
        can_be_zero = not isinstance(other, Known) or other.value == 0
        is_zero = binary(path, "eq", other, Known(Bits(width), 0), span) if can_be_zero else FALSE
        _guard(context, path, is_zero, span)
    return binary(path, _PLAIN[op], one, other, span)


def _compare(path: Path, expr: typed.Binary, left: Row, right: Row) -> Scalar:
    op, span = expr.op, expr.span
    if op == "==":
        return equal(path, left, right, span)
    if op == "!=" and len(left) == 1:
        return binary(path, "ne", left[0], right[0], span)
    if op == "!=":
        return unary(path, "not", equal(path, left, right, span), span)
    (one,), (other,) = left, right
    if op in (">", ">="):
        one, other = other, one
    return binary(path, "lt" if op in ("<", ">") else "le", one, other, span)


def _overflow(path: Path, expr: typed.Binary, left: Scalar, right: Scalar) -> Scalar:
    """Return whether the exact result leaves the operands' type; false where constants show that it fits."""
    most, span = path.builder.most, expr.span
    limit = (1 << width_of(left.type)) - 1
    match expr.op:
        case "+":
            fits = most(left) + most(right) <= limit
            return FALSE if fits else binary(path, "add_overflows", left, right, span)
        case "*":
            fits = most(left) * most(right) <= limit
            return FALSE if fits else binary(path, "mul_overflows", left, right, span)
        case _:
            fits = most(right) == 0
            return FALSE if fits else binary(path, "sub_overflows", left, right, span)


def _shift(path: Path, op: BinaryOp, left: Scalar, amount: Scalar, span: Span) -> Scalar:
    """Return a shift by an amount of any width: done in the wider of both, so that no amount is cut off."""
    width = max(width_of(left.type), width_of(amount.type))
    wide = resize(path, left, width, span)
    shifted = binary(path, op, wide, resize(path, amount, width, span), span)
    return resize(path, shifted, width_of(left.type), span)


def convert(context: Context, path: Path, operand: Scalar, width: int, span: Span) -> Scalar:
    """Return an unsigned integer in another width; what does not fit drops the packet."""
    limit = (1 << width) - 1
    if path.builder.most(operand) > limit:
        most = Known(Bits(width_of(operand.type)), limit)
        _guard(context, path, binary(path, "lt", most, operand, span), span)
    return resize(path, operand, width, span)


def _guard(context: Context, path: Path, is_wrong: Scalar, span: Span) -> None:
    """Drop the packet when a test holds. A test that surely holds still leaves a way on, never taken."""
    if is_wrong == FALSE:
        return
    failed, fine = split(path, is_wrong, (context.block(ARITHMETIC), context.block("checked")), span)
    deliver(context, failed, span, ARITHMETIC)
    path.become(fine)
