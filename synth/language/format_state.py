"""The state of an NF as documents."""

from functools import partial
from typing import assert_never

from synth.language import syntax
from synth.language.comments import Comments, end_of
from synth.language.format_expressions import format_expression, format_type
from synth.language.format_lists import Item, item
from synth.language.format_statements import braced
from synth.language.layout import INDENT, SPACE, Doc, Group, Line, Nest

# `key`, `value` and `timer` are padded to `unique`, so that a table reads as a table.
_WORD_WIDTH = len("unique")


def format_state(tree: syntax.State, comments: Comments) -> Doc:
    """Return a state object."""
    name = tree.name.text
    match tree:
        case syntax.Table():
            inside = comments.bracket_after(end_of(tree.name.span), "{")
            items = [item(each, partial(_table_item, each, comments)) for each in tree.items]
            return (f"table {name} ", braced(items, inside, end_of(tree.span), comments))
        case syntax.Vector():
            size = format_expression(tree.size, comments)
            initial = _default(tree.initial, comments)
            return (f"vector {name}: {format_type(tree.element)}[", size, "]", initial)
        case syntax.Counter():
            return f"counter {name}"
        case syntax.Bucket():
            parts = [_part("rate", tree.rate, comments), _part("burst", tree.burst, comments)]
            return (f"bucket {name} ", format_parts(parts, tree.name, tree, comments))
        case syntax.Sketch():
            key = item(tree.key, lambda: f"key {format_type(tree.key)}")
            parts = [_part("rows", tree.rows, comments), _part("columns", tree.columns, comments)]
            return (f"sketch {name} ", format_parts([key, *parts], tree.name, tree, comments))
        case syntax.Ring():
            weight = f" weight {tree.weight.text}" if tree.weight else ""
            slots: Doc = (" slots ", format_expression(tree.slots, comments)) if tree.slots else ()
            return (f"ring {name} of {tree.list.text} by {tree.by.text}{weight}", slots)
        case _:
            assert_never(tree)


def format_parts(items: list[Item], head: syntax.Node, tree: syntax.Node, comments: Comments) -> Doc:
    """Return parts in braces that stay on one line if they fit and have no comments."""
    start, end = end_of(head.span), end_of(tree.span)
    if not items or comments.are_between(start, end):
        return braced(items, comments.bracket_after(start, "{"), end, comments)
    rows: list[Doc] = []
    for each in items:
        rows += [Line("  ") if rows else SPACE, each.build()]
    return Group(("{", Nest(INDENT, tuple(rows)), SPACE, "}"))


def _part(word: str, tree: syntax.Expr, comments: Comments) -> Item:
    return item(tree, lambda: (f"{word} ", format_expression(tree, comments)))


def _default(tree: syntax.Expr | None, comments: Comments) -> Doc:
    return (" = ", format_expression(tree, comments)) if tree else ()


def _table_item(tree: syntax.TableItem, comments: Comments) -> Doc:
    match tree:
        case syntax.TableKey():
            return f"{'key':<{_WORD_WIDTH}} {tree.name.text}: {format_type(tree.type)}"
        case syntax.TableUnique():
            return f"unique {tree.name.text}: {format_type(tree.type)}"
        case syntax.TableValue():
            start = f"{'value':<{_WORD_WIDTH}} {tree.name.text}: {format_type(tree.type)}"
            return (start, _default(tree.default, comments))
        case syntax.TableTimer():
            start = f"{'timer':<{_WORD_WIDTH}} {tree.name.text}"
            return (start, _default(tree.lifetime, comments))
        case syntax.TableCapacity():
            return ("capacity ", format_expression(tree.value, comments))
        case _:
            assert_never(tree)
