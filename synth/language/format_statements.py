"""Statements and blocks as documents."""

from functools import partial
from typing import assert_never

from synth.language import syntax
from synth.language.comments import Comments, end_of, start_of
from synth.language.format_expressions import format_expression, format_pattern
from synth.language.format_lists import Item, item, remark, stacked
from synth.language.layout import HARD, INDENT, SPACE, Doc, Group, IfFits, Nest

_OR = "or "


def format_block(tree: syntax.Block, comments: Comments) -> Doc:
    """Return a block. One simple statement stays on the line of its braces if it fits."""
    if not _may_be_line(tree, comments):
        return _tall_block(tree, comments)
    statement = format_statement(tree.statements[0], comments)
    return Group(("{", Nest(INDENT, (SPACE, statement)), SPACE, "}"))


def headed(head: Doc, tree: syntax.Block, comments: Comments) -> Doc:
    """Return a block with what stands before it: on one line only if the whole head is, too."""
    if not _may_be_line(tree, comments):
        return (head, " ", _tall_block(tree, comments))
    statement = format_statement(tree.statements[0], comments)
    lined: Doc = Group(("{", Nest(INDENT, (SPACE, statement)), SPACE, "}"))
    tall: Doc = ("{", Nest(INDENT, (HARD, statement)), HARD, "}")
    return IfFits((head, " {"), (head, " ", lined), (head, " ", tall))


def _may_be_line(tree: syntax.Block, comments: Comments) -> bool:
    is_simple = len(tree.statements) == 1 and _is_simple(tree.statements[0])
    return is_simple and not comments.are_between(start_of(tree.span), end_of(tree.span))


def _tall_block(tree: syntax.Block, comments: Comments) -> Doc:
    (line, column), end = start_of(tree.span), end_of(tree.span)
    items = [item(each, partial(format_statement, each, comments)) for each in tree.statements]
    return braced(items, (line, column + 1), end, comments)


def braced(items: list[Item], inside: tuple[int, int], end: tuple[int, int], comments: Comments) -> Doc:
    """Return parts in braces, one on each line. `inside` is the place behind the opening brace."""
    behind = comments.take_behind(inside, items[0].start if items else end)
    rows = stacked(items, end, comments)
    if not rows and not behind:
        return "{}"
    return ("{", *remark(behind), Nest(INDENT, tuple(rows)), HARD, "}")


def format_statement(tree: syntax.Statement, comments: Comments) -> Doc:
    """Return a statement."""
    match tree:
        case syntax.Let():
            return format_let(tree, comments)
        case syntax.Assign():
            target = format_expression(tree.target, comments)
            return (target, " = ", _fallible(tree.value, INDENT, comments))
        case syntax.Perform():
            return _fallible(tree.value, INDENT, comments)
        case syntax.If():
            return _if(tree, comments)
        case syntax.Match():
            return _match(tree, comments)
        case syntax.Touch():
            return ("touch ", format_expression(tree.target, comments))
        case syntax.Remove():
            return ("remove ", format_expression(tree.target, comments))
        case syntax.Count():
            amount: Doc = (" by ", format_expression(tree.amount, comments)) if tree.amount else ()
            return (f"count {tree.counter.text}", amount)
        case syntax.Drop():
            return f"drop {tree.reason.text}"
        case syntax.Emit():
            return _emit(tree, comments)
        case syntax.Give():
            return ("give ", format_expression(tree.value, comments))
        case _:
            assert_never(tree)


def format_let(tree: syntax.Let, comments: Comments) -> Doc:
    """Return a `let`."""
    start = f"let {tree.name.text} = "
    return (start, _fallible(tree.value, len(start) - len(_OR), comments))


def _is_simple(tree: syntax.Statement) -> bool:
    match tree:
        case syntax.If() | syntax.Match():
            return False
        case syntax.Let() | syntax.Assign() | syntax.Perform():
            return not any(isinstance(each, syntax.Block) for each in tree.value.alternatives)
        case _:
            return True


def _fallible(tree: syntax.Fallible, hang: int, comments: Comments) -> Doc:
    """Return a value with its alternatives: on one line, or each `or` on its own.

    `hang` is how far those lines are indented: in a `let`, so that what follows `or` stands
    below the value. A lone alternative goes on behind the brackets of a value that is broken.
    """
    value = format_expression(tree.value, comments)
    rows: list[Doc] = []
    has_comments = False
    previous = end_of(tree.value.span)
    for each in tree.alternatives:
        start = start_of(each.span)
        behind = remark(comments.take_behind(previous, start))
        above = [(HARD, comment.text) for comment in comments.take_before(start)]
        alternative = _alternative(each, comments)
        rows += [*behind, *above, HARD if above or behind else SPACE, _OR, alternative]
        has_comments = has_comments or bool(above or behind)
        previous = end_of(each.span)
    if len(tree.alternatives) != 1 or has_comments:
        return Group((value, Nest(hang, tuple(rows))))
    together: Doc = (value, " ", _OR, alternative)
    if isinstance(tree.alternatives[0], syntax.Block):
        return together
    apart: Doc = (value, Nest(hang, (HARD, _OR, alternative)))
    return IfFits(together, together, IfFits(value, apart, together))


def _alternative(tree: syntax.Expr | syntax.Drop | syntax.Block, comments: Comments) -> Doc:
    match tree:
        case syntax.Drop():
            return format_statement(tree, comments)
        case syntax.Block():
            return format_block(tree, comments)
        case _:
            return format_expression(tree, comments)


def _if(tree: syntax.If, comments: Comments, *, is_else: bool = False) -> Doc:
    """Return an `if`; only an `if` without any `else` may have its block on its line."""
    head = ("if ", format_expression(tree.condition, comments))
    if tree.otherwise is None and not is_else:
        return headed(head, tree.then, comments)
    start = (*head, " ", _tall_block(tree.then, comments))
    match tree.otherwise:
        case None:
            return start
        case syntax.If():
            return (start, " else ", _if(tree.otherwise, comments, is_else=True))
        case syntax.Block():
            return (start, " else ", _tall_block(tree.otherwise, comments))
        case _:
            assert_never(tree.otherwise)


def _match(tree: syntax.Match, comments: Comments) -> Doc:
    inside = comments.bracket_after(end_of(tree.packet.span), "{")
    items = [item(each, partial(_case, each, comments)) for each in tree.cases]
    if tree.otherwise:
        items.append(item(tree.otherwise, partial(_otherwise, tree.otherwise, comments)))
    return (f"match {tree.packet.text} ", braced(items, inside, end_of(tree.span), comments))


def _case(tree: syntax.Case, comments: Comments) -> Doc:
    return headed(format_pattern(tree.pattern), tree.body, comments)


def _otherwise(tree: syntax.Block, comments: Comments) -> Doc:
    return ("else ", format_block(tree, comments))


def _emit(tree: syntax.Emit, comments: Comments) -> Doc:
    side: Doc = format_expression(tree.side, comments) if tree.side else "others"
    packet: Doc = (": ", format_expression(tree.packet, comments)) if tree.packet else ()
    return ("emit ", side, packet)
