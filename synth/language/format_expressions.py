"""Types, patterns, expressions and arguments as documents."""

from collections.abc import Sequence
from functools import partial
from typing import assert_never

from synth.language import syntax
from synth.language.comments import Comments, end_of
from synth.language.format_lists import bracketed, item
from synth.language.layout import INDENT, SPACE, Doc, Group, Nest, join

_LEVELS = {
    "||": 1, "&&": 2, "==": 3, "!=": 3, "<=": 3, ">=": 3, "<": 3, ">": 3, "|": 4, "^": 5, "&": 6,
    "<<": 7, ">>": 7, "+": 8, "-": 8, "+%": 8, "-%": 8, "*": 9, "*%": 9, "/": 9, "%": 9,
}  # fmt: skip
_ANY, _COMPARISON, _UNARY, _POSTFIX = 0, 3, 10, 11
_BIT_LEVELS = range(4, 8)


def format_type(tree: syntax.TypeExpr) -> str:
    """Return a type on one line."""
    match tree:
        case syntax.NamedType():
            argument = f"<{format_type(tree.argument)}>" if tree.argument else ""
            return tree.name.text + argument
        case syntax.TupleType():
            return f"({', '.join(format_type(item) for item in tree.items)})"
        case syntax.PacketType():
            return f"packet({_flat_pattern(tree.pattern)})"
        case _:
            assert_never(tree)


def format_pattern(tree: syntax.Pattern) -> Doc:
    """Return a pattern that may be broken before its operators."""
    match tree:
        case syntax.PatternAll() | syntax.PatternAny():
            sign = "& " if isinstance(tree, syntax.PatternAll) else "| "
            parts: list[Doc] = [_flat_part(part) for part in tree.parts]
            return Group(Nest(INDENT, join((SPACE, sign), parts)))
        case _:
            return _flat_pattern(tree)


def _flat_pattern(tree: syntax.Pattern) -> str:
    match tree:
        case syntax.PatternName():
            return tree.name
        case syntax.PatternNot():
            return "!" + _flat_part(tree.inner)
        case syntax.PatternAll():
            return " & ".join(_flat_part(part) for part in tree.parts)
        case syntax.PatternAny():
            return " | ".join(_flat_part(part) for part in tree.parts)
        case _:
            assert_never(tree)


def _flat_part(tree: syntax.Pattern) -> str:
    is_row = isinstance(tree, syntax.PatternAll | syntax.PatternAny)
    return f"({_flat_pattern(tree)})" if is_row else _flat_pattern(tree)


def format_value(tree: syntax.ValueExpr, comments: Comments) -> Doc:
    """Return an expression, a list or a map."""
    match tree:
        case syntax.ListValue():
            items = [item(each, partial(format_value, each, comments)) for each in tree.items]
            return bracketed("[]", items, end_of(tree.span), comments)
        case syntax.MapValue():
            items = [item(each, partial(_entry, each, comments)) for each in tree.entries]
            return bracketed("{}", items, end_of(tree.span), comments, edge=SPACE)
        case _:
            return format_expression(tree, comments)


def _entry(tree: syntax.MapEntry, comments: Comments) -> Doc:
    return (tree.key.text, ": ", format_value(tree.value, comments))


def format_arguments(
    arguments: Sequence[syntax.Argument], around: syntax.Call | syntax.Instance, comments: Comments
) -> Doc:
    """Return the arguments of a call or an instance, in parentheses."""
    items = [item(each, partial(_argument, each, comments)) for each in arguments]
    return bracketed("()", items, end_of(around.span), comments)


def _argument(tree: syntax.Argument, comments: Comments) -> Doc:
    name = f"{tree.name.text}: " if tree.name else ""
    return (name, format_value(tree.value, comments))


def format_expression(tree: syntax.Expr, comments: Comments) -> Doc:
    """Return an expression that may be broken before its operators and within its brackets."""
    return _expression(tree, _ANY, comments)


def _expression(tree: syntax.Expr, least: int, comments: Comments) -> Doc:
    """Return an expression, in parentheses if its operator binds less than the least level."""
    doc = _bare(tree, comments)
    return ("(", doc, ")") if _level(tree) < least else doc


def _level(tree: syntax.Expr) -> int:
    match tree:
        case syntax.Conditional():
            return _ANY
        case syntax.Binary():
            return _LEVELS[tree.op]
        case syntax.Contains() | syntax.IsKind():
            return _COMPARISON
        case syntax.Unary() | syntax.Choose():
            return _UNARY
        case syntax.Literal():
            # `10.0.0.1.x` would not be read again: a literal is put in parentheses before a dot.
            return _POSTFIX
        case syntax.Reference() | syntax.Tuple() | syntax.Member() | syntax.Index() | syntax.Call():
            return _POSTFIX + 1
        case _:
            assert_never(tree)


def _bare(tree: syntax.Expr, comments: Comments) -> Doc:
    match tree:
        case syntax.Literal():
            return tree.text
        case syntax.Reference():
            return tree.name.text
        case syntax.Tuple():
            items = [item(e, partial(format_expression, e, comments)) for e in tree.items]
            return bracketed("()", items, end_of(tree.span), comments)
        case syntax.Unary():
            return (tree.op, _expression(tree.operand, _UNARY, comments))
        case syntax.Choose():
            return ("choose ", _expression(tree.operand, _POSTFIX, comments))
        case syntax.Binary():
            return _binary(tree, comments)
        case syntax.Contains():
            left = _operand(tree.item, _COMPARISON, comments)
            return (left, " in ", _operand(tree.container, _COMPARISON, comments))
        case syntax.IsKind():
            return (_operand(tree.operand, _COMPARISON, comments), " is ", format_pattern(tree.pattern))
        case syntax.Conditional():
            return _conditional(tree, comments)
        case syntax.Member():
            return (_expression(tree.operand, _POSTFIX + 1, comments), ".", tree.member.text)
        case syntax.Index():
            index = format_expression(tree.index, comments)
            return (_expression(tree.operand, _POSTFIX + 1, comments), "[", index, "]")
        case syntax.Call():
            function = _expression(tree.function, _POSTFIX + 1, comments)
            return (function, format_arguments(tree.arguments, tree, comments))
        case _:
            assert_never(tree)


def _binary(tree: syntax.Binary, comments: Comments) -> Doc:
    """Return a row of operators of one level; it is broken at all of them or at none."""
    level = _LEVELS[tree.op]
    if level == _COMPARISON:
        left = _operand(tree.left, level, comments)
        return (left, f" {tree.op} ", _operand(tree.right, level, comments))
    row = [tree]
    while isinstance(row[-1].left, syntax.Binary) and _LEVELS[row[-1].left.op] == level:
        if level in _BIT_LEVELS and row[-1].left.op != tree.op:
            break
        row.append(row[-1].left)
    first = _operand(row[-1].left, level - 1, comments)
    rest = [(SPACE, f"{e.op} ", _operand(e.right, level, comments)) for e in reversed(row)]
    return Group((first, Nest(INDENT, tuple(rest))))


def _operand(tree: syntax.Expr, level: int, comments: Comments) -> Doc:
    """Return an operand of an operator of a level: in parentheses unless it binds tighter.

    Where people mix the levels up, it has parentheses that the grammar would not need: around
    bit operations (which in C bind less than comparisons) and around `&&` below `||`.
    """
    is_mixed = isinstance(tree, syntax.Binary) and (
        _LEVELS[tree.op] in _BIT_LEVELS or level in _BIT_LEVELS or (level in (0, 1) and tree.op == "&&")
    )
    doc = _bare(tree, comments)
    return ("(", doc, ")") if is_mixed or _level(tree) <= level else doc


def _conditional(tree: syntax.Conditional, comments: Comments) -> Doc:
    condition = _expression(tree.condition, _ANY + 1, comments)
    then = _expression(tree.then, _ANY + 1, comments)
    otherwise = format_expression(tree.otherwise, comments)
    rest = (SPACE, "then ", then, SPACE, "else ", otherwise)
    return Group(("if ", condition, Nest(INDENT, rest)))
