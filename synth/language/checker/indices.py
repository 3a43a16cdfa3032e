"""Shows that an index of a vector is in range, or says why it may not be."""

from synth.language import syntax, typed
from synth.language.checker.scope import Scope
from synth.language.errors.states import IndexNotProved
from synth.language.types import UInt


def prove_index(scope: Scope, written: syntax.Index, vector: typed.VectorState, index: typed.Expr) -> bool:
    """Tell whether an index is surely below the vector's size; report when it may not be."""
    highest, size = highest_value(index), literal_of(vector.size)
    if size is not None and highest < size:
        return True
    if _is_remainder_by(index, vector.size):
        return True
    known = f"the size is {size}" if size is not None else "the size depends on parameters"
    scope.report(
        IndexNotProved(span=written.index.span, vector=vector.name, bound=f"it may be {highest}, and {known}")
    )
    return False


def literal_of(expression: typed.Expr) -> int | None:
    """Return the value of a literal integer, also of a converted one."""
    match expression:
        case typed.Constant(type=UInt(), value=value):
            return value[0] if isinstance(value, tuple) else None
        case typed.Convert(operand=operand):
            return literal_of(operand)
        case _:
            return None


def highest_value(expression: typed.Expr) -> int:
    """Return a bound that an integer expression never exceeds."""
    assert isinstance(expression.type, UInt)
    widest: int = 2**expression.type.width - 1
    match expression:
        case typed.Constant(value=value):
            return value[0] if isinstance(value, tuple) else widest
        case typed.Binary(op="%", left=left, right=right):
            divisor = literal_of(right)
            below = widest if divisor is None else divisor - 1
            return min(highest_value(left), below)
        case typed.Binary(op="&", left=left, right=right):
            return min(highest_value(left), highest_value(right))
        case typed.Binary(op=">>", left=left, right=right):
            amount = literal_of(right)
            return highest_value(left) >> (amount or 0)
        case typed.Conditional(then=then, otherwise=otherwise):
            return max(highest_value(then), highest_value(otherwise))
        case typed.Convert(operand=operand) if isinstance(operand.type, UInt):
            return min(highest_value(operand), widest)
        case _:
            return widest


def _is_remainder_by(index: typed.Expr, size: typed.Expr) -> bool:
    match index:
        case typed.Binary(op="%", right=right):
            return _same_number(right, size)
        case typed.Convert(operand=operand):
            return _is_remainder_by(operand, size)
        case _:
            return False


def _same_number(left: typed.Expr, right: typed.Expr) -> bool:
    """Tell whether two static expressions are one number, whatever their widths.

    A conversion that loses bits drops the packet, so the number that comes out is the one that went in.
    """
    match left, right:
        case typed.Convert(operand=operand), _:
            return _same_number(operand, right)
        case _, typed.Convert(operand=operand):
            return _same_number(left, operand)
        case typed.StaticSize(parameter=one), typed.StaticSize(parameter=other):
            return one == other
        case typed.Parameter(name=one), typed.Parameter(name=other):
            return one == other
        case typed.Binary(), typed.Binary():
            is_plain = left.op == right.op and left.op in ("+", "*")
            return is_plain and _same_number(left.left, right.left) and _same_number(left.right, right.right)
        case _:
            return literal_of(left) is not None and literal_of(left) == literal_of(right)
