"""Expressions: from syntax to typed expressions. None always means: wrong, and reported."""

from typing import assert_never

from synth.language import syntax, typed
from synth.language.checker import calls, conditions, members, operators
from synth.language.checker.literals import check_literal
from synth.language.checker.names import resolve_reference
from synth.language.checker.scope import Scope
from synth.language.checker.type_names import is_value_type
from synth.language.checker.words import quote, quote_value, spell
from synth.language.errors.states import ChooseMisplaced
from synth.language.errors.types import FallibleInside, NotAValue, TypeMismatch, WidthMismatch
from synth.language.types import Bool, Ipv4, Ipv6, Prefix4, Prefix6, Range, Tuple, Type, UInt

FALLIBLE = (
    typed.Find,
    typed.Insert,
    typed.Decide,
    typed.Lookup,
    typed.ListAt,
    typed.ListFind,
    typed.VectorAt,
)
REASONS: dict[type, str] = {
    typed.Find: "not_found", typed.Insert: "table_full", typed.Decide: "no_rule",
    typed.Lookup: "no_route", typed.ListAt: "out_of_range", typed.ListFind: "not_found",
    typed.VectorAt: "out_of_range",
}  # fmt: skip


def check(scope: Scope, written: syntax.Expr, want: Type) -> typed.Expr | None:
    """Return an expression of the wanted type."""
    found = infer(scope, written, want)
    return found if found is not None and expect(scope, written, found, want) else None


def infer(scope: Scope, written: syntax.Expr, want: Type | None = None) -> typed.Expr | None:
    """Return an expression of any type that is always there. `want` gives open integers their width."""
    found = infer_option(scope, written, want)
    if found is None or not isinstance(found, FALLIBLE):
        return found
    scope.report(FallibleInside(span=written.span, operation=spell(written), reason=REASONS[type(found)]))
    return None


def infer_option(scope: Scope, written: syntax.Expr, want: Type | None = None) -> typed.Expr | None:
    """Return an expression that may be absent."""
    may_choose, scope.may_choose = scope.may_choose, False
    match written:
        case syntax.Literal():
            return check_literal(written, want, scope.program.reporter)
        case syntax.Reference():
            return resolve_reference(scope, written)
        case syntax.Tuple():
            return _infer_tuple(scope, written, want, may_choose=may_choose)
        case syntax.Unary():
            return _infer_unary(scope, written, want)
        case syntax.Binary():
            return _infer_binary(scope, written, want)
        case syntax.Contains():
            return _infer_contains(scope, written)
        case syntax.IsKind():
            return _infer_condition(scope, written)
        case syntax.Conditional():
            return _infer_conditional(scope, written, want)
        case syntax.Choose():
            return _infer_choose(scope, written, want, may_choose=may_choose)
        case syntax.Member():
            return members.infer_member(scope, written, want)
        case syntax.Index():
            return members.infer_index(scope, written)
        case syntax.Call():
            scope.may_choose = may_choose
            found = calls.infer_call(scope, written)
            scope.may_choose = False
            return found
        case _:
            assert_never(written)


def expect(scope: Scope, written: syntax.Expr, found: typed.Expr, want: Type) -> bool:
    """Tell whether an expression has the wanted type; report when not."""
    if found.type == want:
        return True
    if isinstance(found.type, UInt) and isinstance(want, UInt):
        scope.report(
            WidthMismatch(
                span=written.span,
                left=quote(found.type),
                right=quote(want),
                advice=_advise_width(written, found.type, want),
            )
        )
        return False
    advice = ""
    if isinstance(want, UInt) and isinstance(found.type, Ipv4) and want.width >= 32:
        advice = f"an address as an integer: `u32({spell(written)})`"
    scope.report(
        TypeMismatch(span=written.span, expected=quote(want), found=quote_value(found), advice=advice)
    )
    return False


def _advise_width(written: syntax.Expr, found: UInt, want: UInt) -> str:
    call = f"`u{want.width}({spell(written)})`"
    if found.width < want.width:
        return f"widen it: {call}"
    return f"narrow it: {call}; a packet whose value does not fit is dropped as `arithmetic`"


def expect_value(scope: Scope, written: syntax.Expr, found: typed.Expr, use: str) -> bool:
    """Tell whether an expression is a run-time value; `use` says what it is wanted for."""
    if is_value_type(found.type):
        return True
    scope.report(NotAValue(span=written.span, found=quote(found.type), use=use, expected="a value"))
    return False


# ---------------------------------------------------------------- operators


def _infer_unary(scope: Scope, written: syntax.Unary, want: Type | None) -> typed.Expr | None:
    if written.op == "!":
        return _infer_condition(scope, written)
    operand = infer(scope, written.operand, want)
    if operand is None:
        return None
    if not isinstance(operand.type, UInt):
        scope.report(TypeMismatch(span=written.span, expected="an integer", found=quote(operand.type)))
        return None
    return typed.Unary(type=operand.type, op="~", operand=operand, span=written.span)


def _infer_condition(scope: Scope, written: syntax.Expr) -> typed.Expr | None:
    """Check a condition whose outcome narrows nothing here."""
    facts = scope.facts
    found, _, _ = conditions.check_condition(scope, written)
    scope.facts = facts
    return found


def _infer_binary(scope: Scope, written: syntax.Binary, want: Type | None) -> typed.Expr | None:
    if written.op in ("&&", "||"):
        return _infer_condition(scope, written)
    if written.op in operators.SHIFTS:
        return _infer_shift(scope, written, want)
    is_comparison = written.op in operators.COMPARISONS
    pair = _infer_pair(scope, written, None if is_comparison else want)
    if pair is None:
        return None
    left, right = pair
    if is_comparison:
        is_value = expect_value(scope, written.left, left, "compared")
        if not (is_value and expect_value(scope, written.right, right, "compared")):
            return None
        if not operators.check_comparison(scope, written, left, right):
            return None
        return operators.build(Bool(), written, left, right)
    return _finish_arithmetic(scope, written, left, right)


def _infer_pair(
    scope: Scope, written: syntax.Binary, want: Type | None
) -> tuple[typed.Expr, typed.Expr] | None:
    """Infer both operands; an open one takes the width of the other."""
    is_left_open = operators.is_open(scope, written.left)
    is_right_open = operators.is_open(scope, written.right)
    if is_left_open and not is_right_open:
        right = infer(scope, written.right, want)
        left = infer(scope, written.left, right.type) if right is not None else None
    else:
        left = infer(scope, written.left, want)
        hint = left.type if left is not None and is_right_open else want
        right = infer(scope, written.right, hint) if left is not None or not is_right_open else None
    return None if left is None or right is None else (left, right)


def _finish_arithmetic(
    scope: Scope, written: syntax.Binary, left: typed.Expr, right: typed.Expr
) -> typed.Expr | None:
    of = operators.result_type(scope, written, left, right)
    if of is None or not operators.check_constants(scope, written.op, left, right):
        return None
    if left.type != of:
        left = typed.Convert(type=of, operand=left, span=left.span)
    if right.type != of:
        right = typed.Convert(type=of, operand=right, span=right.span)
    return operators.build(of, written, left, right)


def _infer_shift(scope: Scope, written: syntax.Binary, want: Type | None) -> typed.Expr | None:
    left = infer(scope, written.left, want)
    if left is None:
        infer(scope, written.right, UInt(64))
        return None
    is_amount_open = operators.is_open(scope, written.right)
    right = infer(scope, written.right, UInt(64) if is_amount_open else None)
    if right is None:
        return None
    if not isinstance(left.type, UInt) or not isinstance(right.type, UInt):
        operators.result_type(scope, written, left, right)
        return None
    if not operators.check_constants(scope, written.op, left, right):
        return None
    return operators.build(left.type, written, left, right)


def _infer_contains(scope: Scope, written: syntax.Contains) -> typed.Expr | None:
    item = infer(scope, written.item)
    if item is None:
        return None
    want = Range(item.type) if isinstance(item.type, UInt) else None
    container = infer(scope, written.container, want)
    if container is None:
        return None
    match item.type, container.type:
        case (Ipv4(), Prefix4()) | (Ipv6(), Prefix6()):
            pass
        case UInt(), Range(element) if item.type == element:
            pass
        case _:
            _report_contains(scope, written, item.type, container.type)
            return None
    return typed.Contains(type=Bool(), item=item, container=container, span=written.span)


def _report_contains(scope: Scope, written: syntax.Contains, item: Type, container: Type) -> None:
    span, found = written.container.span, container
    match item:
        case Ipv4():
            expected = quote(Prefix4())
        case Ipv6():
            expected = quote(Prefix6())
        case UInt():
            expected = quote(Range(item))
        case _:
            span, found, expected = written.item.span, item, "an address or an integer"
    scope.report(TypeMismatch(span=span, expected=expected, found=quote(found)))


def _infer_conditional(scope: Scope, written: syntax.Conditional, want: Type | None) -> typed.Expr | None:
    before = scope.facts
    condition, if_true, if_false = conditions.check_condition(scope, written.condition)
    first, second = written.then, written.otherwise
    if operators.is_open(scope, first) and not operators.is_open(scope, second):
        scope.facts = if_false
        otherwise = infer(scope, second, want)
        scope.facts = if_true
        then = infer(scope, first, otherwise.type if otherwise is not None else want)
    else:
        scope.facts = if_true
        then = infer(scope, first, want)
        scope.facts = if_false
        otherwise = infer(scope, second, then.type if then is not None else want)
    scope.facts = before
    if condition is None or then is None or otherwise is None:
        return None
    if not expect_value(scope, first, then, "one of two values"):
        return None
    if not expect(scope, second, otherwise, then.type):
        return None
    # Where no packet gets there may be reads of headers that none has: the other value stands for both.
    if not before.is_impossible:
        then = otherwise if if_true.is_impossible else then
        otherwise = then if if_false.is_impossible else otherwise
    return typed.Conditional(
        type=then.type, condition=condition, then=then, otherwise=otherwise, span=written.span
    )


# ---------------------------------------------------------------- tuples, choices


def _infer_tuple(
    scope: Scope, written: syntax.Tuple, want: Type | None, *, may_choose: bool
) -> typed.Expr | None:
    wants: list[Type | None] = [None] * len(written.items)
    if isinstance(want, Tuple) and len(want.items) == len(written.items):
        wants = list(want.items)
    found: list[typed.Expr] = []
    for item, wanted in zip(written.items, wants, strict=True):
        scope.may_choose = may_choose and isinstance(item, syntax.Choose)
        part = infer(scope, item, wanted)
        scope.may_choose = False
        if part is not None and expect_value(scope, item, part, "part of a tuple"):
            found.append(part)
    if len(found) < len(written.items):
        return None
    of = Tuple(tuple(part.type for part in found))
    return typed.Build(type=of, members=tuple(found), span=written.span)


def _infer_choose(
    scope: Scope, written: syntax.Choose, want: Type | None, *, may_choose: bool
) -> typed.Expr | None:
    if not may_choose:
        scope.report(ChooseMisplaced(span=written.span))
        return None
    hint = Range(want) if isinstance(want, UInt) else None
    container = infer(scope, written.operand, hint)
    if container is None:
        return None
    if not isinstance(container.type, Range):
        scope.report(TypeMismatch(span=written.operand.span, expected="a range", found=quote(container.type)))
        return None
    return typed.Choose(type=container.type.element, range=container, span=written.span)
