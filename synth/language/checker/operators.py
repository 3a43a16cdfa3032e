"""Operators: which types they take, and how open integers get their width.

An integer is *open* when nothing in it says its width: a literal, `.size`, and what is computed of
these only. The other operand, or whoever takes the result, says it.
"""

from synth.language import syntax, typed
from synth.language.checker.scope import ParameterName, Scope
from synth.language.checker.words import quote, quote_value, spell
from synth.language.errors.types import CannotCompare, NoOrder, WidthMismatch, WrongOperands
from synth.language.errors.values import DividesByZero, ShiftsTooFar
from synth.language.types import Duration, Ipv4, List, Mac, Range, Rate, Size, Type, UInt

COMPARISONS = ("==", "!=", "<", "<=", ">", ">=")
ORDERS = ("<", "<=", ">", ">=")
WRAPPING = ("+%", "-%", "*%")
BITWISE = ("&", "|", "^")
SHIFTS = ("<<", ">>")

Unit = Duration | Rate | Size


_Operator = typed.Arithmetic | typed.Wrapping | typed.Bitwise | typed.Comparison
_OPERATORS: dict[str, _Operator] = {
    "+": "+", "-": "-", "*": "*", "/": "/", "%": "%", "+%": "+%", "-%": "-%", "*%": "*%",
    "&": "&", "|": "|", "^": "^", "<<": "<<", ">>": ">>",
    "==": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}  # fmt: skip


def build(of: Type, written: syntax.Binary, left: typed.Expr, right: typed.Expr) -> typed.Binary:
    """Return an operation on operands that fit it."""
    return typed.Binary(type=of, op=_OPERATORS[written.op], left=left, right=right, span=written.span)


def is_open(scope: Scope, expression: syntax.Expr) -> bool:
    """Tell whether the width of an integer expression must come from outside."""
    match expression:
        case syntax.Literal(token="INTEGER"):
            return True
        case syntax.Unary(op="~", operand=operand):
            return is_open(scope, operand)
        case syntax.Binary(op=op, left=left, right=right):
            if op in SHIFTS:
                return is_open(scope, left)
            return op not in (*COMPARISONS, "&&", "||") and is_open(scope, left) and is_open(scope, right)
        case syntax.Conditional(then=then, otherwise=otherwise):
            return is_open(scope, then) and is_open(scope, otherwise)
        case syntax.Member(operand=syntax.Reference(name=name), member=member):
            known = scope.find(name.text)
            is_sized = isinstance(known, ParameterName) and isinstance(known.type, Range | List)
            return member.text == "size" and is_sized
        case syntax.Tuple(items=items):
            return any(is_open(scope, item) for item in items)
        case _:
            return False


def is_unit(of: Type) -> bool:
    """Tell whether a type is a quantity with a unit."""
    return isinstance(of, Duration | Rate | Size)


def result_type(scope: Scope, written: syntax.Binary, left: typed.Expr, right: typed.Expr) -> Type | None:
    """Return the type of arithmetic on two operands; None, and reported, when they do not fit."""
    op, same = written.op, left.type == right.type
    if isinstance(left.type, UInt) and same:
        return left.type
    if op in BITWISE or op in WRAPPING:
        _report_operands(scope, written, left, right)
        return None
    match op:
        case "+" | "-" if same and is_unit(left.type):
            return left.type
        case "*" if is_unit(left.type) and isinstance(right.type, UInt):
            return left.type
        case "*" if isinstance(left.type, UInt) and is_unit(right.type):
            return right.type
        case "/" if is_unit(left.type) and isinstance(right.type, UInt):
            return left.type
        case _:
            _report_operands(scope, written, left, right)
            return None


def _report_operands(scope: Scope, written: syntax.Binary, left: typed.Expr, right: typed.Expr) -> None:
    if isinstance(left.type, UInt) and isinstance(right.type, UInt):
        report_widths(scope, written, left.type, right.type)
        return
    advice = ""
    for operand in (left, right):
        if isinstance(operand.type, Mac | Ipv4):
            advice = f"compute with `{'u32' if operand.type == Ipv4() else 'u64'}(...)` of it"
    expected = "two integers of one width"
    if is_unit(left.type) or is_unit(right.type):
        expected = "two quantities of one unit with + and -, or a quantity and an integer with * and /"
    scope.report(
        WrongOperands(
            span=written.span,
            op=written.op,
            left=quote_value(left),
            right=quote_value(right),
            expected=expected,
            advice=advice,
        )
    )


def report_widths(scope: Scope, written: syntax.Binary, left: UInt, right: UInt) -> None:
    """Report two integers of different widths, with the conversion that makes them one."""
    narrow = written.left if left.width < right.width else written.right
    advice = f"widen the narrower one: `u{max(left.width, right.width)}({spell(narrow)})`"
    scope.report(WidthMismatch(span=written.span, left=quote(left), right=quote(right), advice=advice))


def check_comparison(scope: Scope, written: syntax.Binary, left: typed.Expr, right: typed.Expr) -> bool:
    """Tell whether two values can be compared so; report when not."""
    is_ordered = isinstance(left.type, UInt) or is_unit(left.type)
    if left.type == right.type and (is_ordered or written.op not in ORDERS):
        return True
    if isinstance(left.type, UInt) and isinstance(right.type, UInt):
        report_widths(scope, written, left.type, right.type)
    elif left.type == right.type:
        scope.report(NoOrder(span=written.span, op=written.op, type=quote(left.type)))
    else:
        scope.report(
            CannotCompare(span=written.span, op=written.op, left=quote_value(left), right=quote_value(right))
        )
    return False


def check_constants(scope: Scope, op: str, left: typed.Expr, right: typed.Expr) -> bool:
    """Report a division by a literal zero, and shifts that leave nothing."""
    if not isinstance(right, typed.Constant) or not isinstance(right.value, tuple):
        return True
    value = right.value[0]
    if op in ("/", "%") and value == 0:
        scope.report(DividesByZero(span=right.span))
        return False
    if op in SHIFTS and isinstance(left.type, UInt) and value >= left.type.width:
        scope.report(
            ShiftsTooFar(span=right.span, amount=value, type=quote(left.type), width=left.type.width)
        )
        return False
    return True
