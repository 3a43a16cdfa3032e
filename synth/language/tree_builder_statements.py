"""Builds statements and blocks."""

from synth.language import syntax
from synth.language.parse_tree import Branch, Leaf
from synth.language.tree_builder_context import (
    STATEMENT_WORDS,
    Context,
    branch_at,
    branches,
    leaf_at,
    name,
)  # fmt: skip
from synth.language.tree_builder_expressions import build_expression, build_pattern


def build_block(tree: Branch, context: Context) -> syntax.Block:
    """Build from `block`."""
    statements = branches(tree)
    context.check_apart(statements)
    return syntax.Block(span=tree.span, statements=tuple(_statement(each, context) for each in statements))


def build_let(tree: Branch, context: Context) -> syntax.Let:
    """Build from `let`."""
    return syntax.Let(
        span=tree.span,
        name=context.declared(leaf_at(tree, 0), STATEMENT_WORDS),
        value=_fallible(branches(tree), context),
    )


def _statement(tree: Branch, context: Context) -> syntax.Statement:
    span, parts = tree.span, branches(tree)
    match tree.rule:
        case "let":
            return build_let(tree, context)
        case "assign":
            target = build_expression(parts[0], context)
            return syntax.Assign(span=span, target=target, value=_fallible(parts[1:], context))
        case "perform":
            return syntax.Perform(span=span, value=_fallible(parts, context))
        case "if":
            return _if(tree, context)
        case "match":
            return _match(tree, context)
        case "touch":
            return syntax.Touch(span=span, target=build_expression(parts[0], context))
        case "remove":
            return syntax.Remove(span=span, target=build_expression(parts[0], context))
        case "count":
            amount = build_expression(parts[0], context) if parts else None
            return syntax.Count(span=span, counter=name(leaf_at(tree, 0)), amount=amount)
        case "drop":
            return _drop(tree)
        case "emit":
            return _emit(tree, context)
        case "give":
            return syntax.Give(span=span, value=build_expression(parts[0], context))
        case rule:
            raise AssertionError(f"no statement: {rule}")


def _drop(tree: Branch) -> syntax.Drop:
    return syntax.Drop(span=tree.span, reason=name(leaf_at(tree, 0)))


def _fallible(parts: tuple[Branch, ...], context: Context) -> syntax.Fallible:
    value, *alternatives = parts
    return syntax.Fallible(
        span=value.span.to(parts[-1].span),
        value=build_expression(value, context),
        alternatives=tuple(_alternative(branch_at(each, 0), context) for each in alternatives),
    )


def _alternative(tree: Branch, context: Context) -> syntax.Expr | syntax.Drop | syntax.Block:
    match tree.rule:
        case "drop":
            return _drop(tree)
        case "block":
            return build_block(tree, context)
        case _:
            return build_expression(tree, context)


def _if(tree: Branch, context: Context) -> syntax.If:
    condition, then, *rest = branches(tree)
    otherwise: syntax.Block | syntax.If | None = None
    if rest:
        is_if = rest[0].rule == "if"
        otherwise = _if(rest[0], context) if is_if else build_block(rest[0], context)
    return syntax.If(
        span=tree.span,
        condition=build_expression(condition, context),
        then=build_block(then, context),
        otherwise=otherwise,
    )


def _match(tree: Branch, context: Context) -> syntax.Match:
    cases = branches(tree, "case")
    context.check_apart(cases)
    rest = branches(tree, "block")
    return syntax.Match(
        span=tree.span,
        packet=name(leaf_at(tree, 0)),
        cases=tuple(_case(each, context) for each in cases),
        otherwise=build_block(rest[0], context) if rest else None,
    )


def _case(tree: Branch, context: Context) -> syntax.Case:
    pattern, body = branches(tree)
    return syntax.Case(span=tree.span, pattern=build_pattern(pattern), body=build_block(body, context))


def _emit(tree: Branch, context: Context) -> syntax.Emit:
    side, *packet = [child for child in tree.children if child is not None]
    return syntax.Emit(
        span=tree.span,
        side=None if isinstance(side, Leaf) else build_expression(side, context),
        packet=build_expression(branches(tree)[-1], context) if packet else None,
    )
