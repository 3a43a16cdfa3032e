"""Builds the syntax tree of a file from its parse tree.

Assumes a parse tree of `grammar/chain.lark` that is not too deep to recurse. Checks what the
grammar does not say: separators within a line, reserved names, and that something is declared.
"""

from synth.diagnostics.reporter import Reporter
from synth.diagnostics.spans import Span
from synth.language import syntax
from synth.language.errors.syntax import NothingInFile
from synth.language.parse_tree import Branch
from synth.language.tree_builder_context import (
    SIDE_WORDS,
    STATEMENT_WORDS,
    Context,
    branch_at,
    branches,
    leaf_at,
    leaves,
    name,
)  # fmt: skip
from synth.language.tree_builder_expressions import (
    build_arguments,
    build_expression,
    build_pattern,
    build_type,
    build_value,
)  # fmt: skip
from synth.language.tree_builder_state import STATE_RULES, build_state
from synth.language.tree_builder_statements import build_block, build_let


def build_file(tree: Branch, text: str) -> syntax.File:
    """Build from `start`.

    Raises:
        UserError: the file declares nothing, or breaks a rule that the grammar does not say.
    """
    context = Context(text, tuple(text.split("\n")), Reporter())
    parts = branches(tree)
    path = tree.span.file
    if all(part.rule == "use" for part in parts):
        context.reporter.report(NothingInFile(span=Span(path, 1, 1, 1, 1)))
    context.check_apart(parts)
    items = tuple(_item(part, context) for part in parts)
    context.reporter.raise_if_errors()
    return syntax.File(span=tree.span, path=path, items=items)


def _item(tree: Branch, context: Context) -> syntax.Item:
    match tree.rule:
        case "use":
            return _use(tree)
        case "record":
            return _record(tree, context)
        case "function":
            return _function(tree, context)
        case "nf":
            return _nf(tree, context)
        case "chain":
            return _chain(tree, context)
        case rule:
            raise AssertionError(f"no item: {rule}")


def _use(tree: Branch) -> syntax.Use:
    origin, *names = leaves(tree)
    is_file = origin.kind == "STRING"
    text = origin.text[1:-1] if is_file else origin.text
    return syntax.Use(
        span=tree.span,
        origin=syntax.Name(span=origin.span, text=text),
        is_file=is_file,
        names=tuple(name(leaf) for leaf in names),
    )


def _record(tree: Branch, context: Context) -> syntax.Record:
    fields = branches(tree)
    context.check_apart(fields, ",")
    return syntax.Record(
        span=tree.span,
        name=context.declared(leaf_at(tree, 0)),
        fields=tuple(_field(each, context) for each in fields),
        doc=context.doc_above(tree.span),
    )


def _field(tree: Branch, context: Context) -> syntax.FieldDeclaration:
    kind, *default = branches(tree)
    return syntax.FieldDeclaration(
        span=tree.span,
        name=context.declared(leaf_at(tree, 0)),
        type=build_type(kind),
        default=build_expression(default[0], context) if default else None,
    )


def _function(tree: Branch, context: Context) -> syntax.Function:
    parts = [part for part in branches(tree) if part.rule != "parameters"]
    result, *lets, value = parts
    context.check_apart([*lets, value])
    return syntax.Function(
        span=tree.span,
        name=context.declared(leaf_at(tree, 0), STATEMENT_WORDS),
        parameters=_parameters(tree, context),
        result=build_type(result),
        lets=tuple(build_let(let, context) for let in lets),
        value=build_expression(value, context),
        doc=context.doc_above(tree.span),
    )


def _parameters(tree: Branch, context: Context) -> tuple[syntax.Parameter, ...]:
    lists = branches(tree, "parameters")
    return tuple(_parameter(each, context) for each in branches(lists[0])) if lists else ()


def _parameter(tree: Branch, context: Context) -> syntax.Parameter:
    kind, *default = branches(tree)
    return syntax.Parameter(
        span=tree.span,
        name=context.declared(leaf_at(tree, 0), STATEMENT_WORDS),
        type=build_type(kind),
        default=build_value(default[0], context) if default else None,
        doc=context.doc_above(tree.span),
    )


def _nf(tree: Branch, context: Context) -> syntax.Nf:
    items = branches(tree, "sides", "handler", *STATE_RULES)
    context.check_apart(items)
    return syntax.Nf(
        span=tree.span,
        name=context.declared(leaf_at(tree, 0)),
        parameters=_parameters(tree, context),
        items=tuple(_nf_item(item, context) for item in items),
        doc=context.doc_above(tree.span),
    )


def _nf_item(tree: Branch, context: Context) -> syntax.Sides | syntax.State | syntax.Handler:
    match tree.rule:
        case "sides":
            return _sides(tree, context)
        case "handler":
            return _handler(tree, context)
        case _:
            return build_state(tree, context)


def _sides(tree: Branch, context: Context) -> syntax.Sides:
    found = leaves(tree)
    is_any = found[0].kind == "ANY"
    names = None if is_any else tuple(context.declared(leaf, SIDE_WORDS) for leaf in found)
    return syntax.Sides(span=tree.span, names=names)


def _handler(tree: Branch, context: Context) -> syntax.Handler:
    *sides, packet = leaves(tree)
    patterns = branches(tree, "pattern")
    return syntax.Handler(
        span=tree.span,
        sides=None if sides[0].kind == "ANY" else tuple(name(side) for side in sides),
        packet=context.declared(packet, STATEMENT_WORDS),
        pattern=build_pattern(patterns[0]) if patterns else None,
        body=build_block(branch_at(tree, -1), context),
    )


def _chain(tree: Branch, context: Context) -> syntax.Chain:
    items = branches(tree, "sides", "interface", "instance", "wire", "budget")
    context.check_apart(items)
    return syntax.Chain(
        span=tree.span,
        name=context.declared(leaf_at(tree, 0)),
        parameters=_parameters(tree, context),
        items=tuple(_chain_item(item, context) for item in items),
        doc=context.doc_above(tree.span),
    )


def _chain_item(tree: Branch, context: Context) -> syntax.ChainItem:
    match tree.rule:
        case "sides":
            return _sides(tree, context)
        case "interface":
            return _interface(tree)
        case "instance":
            declared, kind = leaves(tree)
            arguments = build_arguments(tree, context)
            return syntax.Instance(span=tree.span, name=name(declared), nf=name(kind), arguments=arguments)
        case "wire":
            return _wire(tree)
        case "budget":
            return syntax.Budget(span=tree.span, visits=_literal(tree, 0))
        case rule:
            raise AssertionError(f"no part of a chain: {rule}")


def _interface(tree: Branch) -> syntax.Interface:
    """Build from `interface`. Its parts need nothing between them: each begins with its word."""
    return syntax.Interface(
        span=tree.span,
        name=name(leaf_at(tree, 0)),
        items=tuple(_interface_item(item) for item in branches(tree)),
    )


def _interface_item(tree: Branch) -> syntax.InterfaceMac | syntax.InterfaceAddress:
    if tree.rule == "interface_mac":
        return syntax.InterfaceMac(span=tree.span, value=_literal(tree, 0))
    return syntax.InterfaceAddress(span=tree.span, value=_literal(tree, 0))


def _literal(tree: Branch, index: int) -> syntax.Literal:
    leaf = leaf_at(tree, index)
    return syntax.Literal(span=leaf.span, token=leaf.kind, text=leaf.text)


def _wire(tree: Branch) -> syntax.Wire:
    return syntax.Wire(
        span=tree.span,
        endpoints=tuple(_endpoint(end) for end in branches(tree, "endpoint")),
        arrows=tuple(leaf.text for leaf in leaves(tree)),
    )


def _endpoint(tree: Branch) -> syntax.Endpoint:
    owner, *side = leaves(tree)
    return syntax.Endpoint(span=tree.span, owner=name(owner), side=name(side[0]) if side else None)
