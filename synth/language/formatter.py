"""The one canonical layout of `.chain` files (`synth fmt`).

Comments stay: alone on their lines above what they stood above, or behind what they stood behind;
one in the middle of an expression moves above its statement. Blank lines stay, at most one in a
row, and there is one between the items of a file.
"""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from typing import assert_never

from synth.language import syntax
from synth.language.comments import Comments, Position, end_of, start_of
from synth.language.format_expressions import (
    format_arguments,
    format_expression,
    format_pattern,
    format_type,
    format_value,
)
from synth.language.format_lists import Item, bracketed, item, stacked
from synth.language.format_state import format_parts, format_state
from synth.language.format_statements import braced, format_let, headed
from synth.language.layout import INDENT, SPACE, Doc, Group, Nest, join, print_document
from synth.language.parser import parse_text


def format_text(text: str, path: str) -> str:
    """Return the file in its canonical layout, comments kept.

    Raises:
        UserError: the text does not parse.
    """
    text = text.removeprefix("\ufeff")
    tree = parse_text(text, path)
    comments = Comments(text)
    items = [_file_item(before, each, comments) for before, each in pairwise((None, *tree.items)) if each]
    lines = text.split("\n")
    return print_document(tuple(stacked(items, (len(lines) + 1, 1), comments)))


def _file_item(before: syntax.Item | None, tree: syntax.Item, comments: Comments) -> Item:
    is_use = isinstance(tree, syntax.Use)
    has_room = not (is_use and isinstance(before, syntax.Use))
    return Item(
        start=start_of(tree.span),
        end=end_of(tree.span),
        build=partial(_item, tree, comments),
        doc=None if isinstance(tree, syntax.Use) else tree.doc,
        has_room=has_room,
    )


def _item(tree: syntax.Item, comments: Comments) -> Doc:
    match tree:
        case syntax.Use():
            origin = f'"{tree.origin.text}"' if tree.is_file else tree.origin.text
            return (f"use {origin}: ", _names(tree.names))
        case syntax.Record():
            items = [item(each, partial(_field, each, comments)) for each in tree.fields]
            return (f"record {tree.name.text} ", _body(items, tree.name, tree, comments))
        case syntax.Function():
            return _function(tree, comments)
        case syntax.Nf():
            head = (f"nf {tree.name.text}", _parameters(tree.parameters, comments))
            parts = [item(each, partial(_nf_item, each, comments)) for each in tree.items]
            return (*head, " ", _body(parts, _last(tree), tree, comments))
        case syntax.Chain():
            head = (f"chain {tree.name.text}", _parameters(tree.parameters, comments))
            return (*head, " ", _body(_chain_items(tree, comments), _last(tree), tree, comments))
        case _:
            assert_never(tree)


def _names(names: Sequence[syntax.Name]) -> Doc:
    return Group(Nest(INDENT, join((",", SPACE), [name.text for name in names])))


def _last(tree: syntax.Nf | syntax.Chain) -> syntax.Node:
    return tree.parameters[-1] if tree.parameters else tree.name


def _body(items: list[Item], head: syntax.Node, tree: syntax.Node, comments: Comments) -> Doc:
    """Return the parts of a declaration in braces. `head` is the last node before them."""
    inside = comments.bracket_after(end_of(head.span), "{")
    return braced(items, inside, end_of(tree.span), comments)


def _field(tree: syntax.FieldDeclaration, comments: Comments) -> Doc:
    default: Doc = (" = ", format_expression(tree.default, comments)) if tree.default else ()
    return (f"{tree.name.text}: {format_type(tree.type)}", default)


def _parameters(parameters: Sequence[syntax.Parameter], comments: Comments) -> Doc:
    if not parameters:
        return ()
    end = comments.bracket_after(end_of(parameters[-1].span), ")")
    items = [item(each, partial(_parameter, each, comments), doc=each.doc) for each in parameters]
    return bracketed("()", items, end, comments)


def _parameter(tree: syntax.Parameter, comments: Comments) -> Doc:
    default: Doc = (" = ", format_value(tree.default, comments)) if tree.default else ()
    return (f"{tree.name.text}: {format_type(tree.type)}", default)


def _function(tree: syntax.Function, comments: Comments) -> Doc:
    parameters = _parameters(tree.parameters, comments) or "()"
    head = (f"fn {tree.name.text}", parameters, f" -> {format_type(tree.result)} ")
    start, end = end_of(tree.result.span), end_of(tree.span)
    if not tree.lets and not comments.are_between(start, end):
        value = _return(tree.value, comments)
        return (*head, Group(("{", Nest(INDENT, (SPACE, value)), SPACE, "}")))
    items = [item(each, partial(format_let, each, comments)) for each in tree.lets]
    items.append(item(tree.value, partial(_return, tree.value, comments)))
    return (*head, braced(items, comments.bracket_after(start, "{"), end, comments))


def _return(tree: syntax.Expr, comments: Comments) -> Doc:
    return ("return ", format_expression(tree, comments))


def _nf_item(tree: syntax.Sides | syntax.State | syntax.Handler, comments: Comments) -> Doc:
    match tree:
        case syntax.Sides():
            return _sides(tree)
        case syntax.Handler():
            names = "any" if tree.sides is None else ", ".join(side.text for side in tree.sides)
            pattern: Doc = (": ", format_pattern(tree.pattern)) if tree.pattern else ()
            return headed((f"from {names} ({tree.packet.text}", pattern, ")"), tree.body, comments)
        case _:
            return format_state(tree, comments)


def _sides(tree: syntax.Sides) -> Doc:
    return ("sides ", "any" if tree.names is None else _names(tree.names))


def _chain_items(tree: syntax.Chain, comments: Comments) -> list[Item]:
    widths = _name_widths(tree.items, comments)
    return [
        item(each, partial(_chain_item, each, width, comments))
        for each, width in zip(tree.items, widths, strict=True)
    ]


def _name_widths(items: Sequence[syntax.ChainItem], comments: Comments) -> list[int]:
    """Return how wide the name of each instance is made: as the widest of its neighbours."""
    runs: list[list[syntax.ChainItem]] = []
    for each in items:
        is_next = runs and _is_next(runs[-1][-1], each, comments)
        runs[-1:] = [[*runs[-1], each]] if is_next else [*runs[-1:], [each]]
    return [width for run in runs for width in [max(map(_name_width, run))] * len(run)]


def _is_next(upper: syntax.ChainItem, lower: syntax.ChainItem, comments: Comments) -> bool:
    """Tell whether two instances stand in neighbouring lines with no comment above the second."""
    if not (isinstance(upper, syntax.Instance) and isinstance(lower, syntax.Instance)):
        return False
    next_line: Position = (upper.span.end_line + 1, 1)
    is_near = lower.span.line <= next_line[0]
    return is_near and not comments.are_between(next_line, end_of(lower.span))


def _name_width(tree: syntax.ChainItem) -> int:
    return len(tree.name.text) if isinstance(tree, syntax.Instance) else 0


def _chain_item(tree: syntax.ChainItem, width: int, comments: Comments) -> Doc:
    match tree:
        case syntax.Sides():
            return _sides(tree)
        case syntax.Interface():
            items = [item(each, partial(_interface_item, each)) for each in tree.items]
            return (f"interface {tree.name.text} ", format_parts(items, tree.name, tree, comments))
        case syntax.Instance():
            arguments = format_arguments(tree.arguments, tree, comments)
            return (f"{tree.name.text:<{width}} = {tree.nf.text}", arguments)
        case syntax.Wire():
            rest = [
                (SPACE, f"{arrow} ", _endpoint(end))
                for arrow, end in zip(tree.arrows, tree.endpoints[1:], strict=True)
            ]
            return Group((_endpoint(tree.endpoints[0]), Nest(INDENT, tuple(rest))))
        case syntax.Budget():
            return f"budget {tree.visits.text}"
        case _:
            assert_never(tree)


def _endpoint(tree: syntax.Endpoint) -> str:
    return tree.owner.text + (f".{tree.side.text}" if tree.side else "")


def _interface_item(tree: syntax.InterfaceMac | syntax.InterfaceAddress) -> Doc:
    word = "mac" if isinstance(tree, syntax.InterfaceMac) else "address"
    return f"{word} {tree.value.text}"
