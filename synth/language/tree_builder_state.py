"""Builds the state of an NF: tables, vectors, counters, buckets, sketches and rings."""

from synth.language import syntax
from synth.language.parse_tree import Branch
from synth.language.tree_builder_context import (
    STATEMENT_WORDS,
    Context,
    branch_at,
    branches,
    leaf_at,
    leaves,
    name,
)  # fmt: skip
from synth.language.tree_builder_expressions import build_expression, build_type

STATE_RULES = ("table", "vector", "counter", "bucket", "sketch", "ring")


def build_state(tree: Branch, context: Context) -> syntax.State:
    """Build from one of `STATE_RULES`."""
    span, parts = tree.span, branches(tree)
    declared = context.declared(leaf_at(tree, 0), STATEMENT_WORDS)
    match tree.rule:
        case "table":
            context.check_apart(parts)
            items = tuple(_table_item(part, context) for part in parts)
            return syntax.Table(span=span, name=declared, items=items)
        case "vector":
            initial = build_expression(parts[2], context) if len(parts) > 2 else None
            return syntax.Vector(
                span=span,
                name=declared,
                element=build_type(parts[0]),
                size=build_expression(parts[1], context),
                initial=initial,
            )
        case "counter":
            return syntax.Counter(span=span, name=declared)
        case "bucket":
            rate, burst = (build_expression(part, context) for part in parts)
            return syntax.Bucket(span=span, name=declared, rate=rate, burst=burst)
        case "sketch":
            rows, columns = (build_expression(part, context) for part in parts[1:])
            return syntax.Sketch(
                span=span, name=declared, key=build_type(parts[0]), rows=rows, columns=columns
            )
        case "ring":
            return _ring(tree, declared, context)
        case rule:
            raise AssertionError(f"no state: {rule}")


def _ring(tree: Branch, declared: syntax.Name, context: Context) -> syntax.Ring:
    _, rows, by, *weight = leaves(tree)
    slots = branches(tree)
    return syntax.Ring(
        span=tree.span,
        name=declared,
        list=name(rows),
        by=name(by),
        weight=name(weight[0]) if weight else None,
        slots=build_expression(slots[0], context) if slots else None,
    )


def _table_item(tree: Branch, context: Context) -> syntax.TableItem:
    span, parts = tree.span, branches(tree)
    if tree.rule == "table_capacity":
        return syntax.TableCapacity(span=span, value=build_expression(parts[0], context))
    declared = context.declared(leaf_at(tree, 0))
    match tree.rule:
        case "table_key":
            return syntax.TableKey(span=span, name=declared, type=build_type(branch_at(tree, 1)))
        case "table_unique":
            return syntax.TableUnique(span=span, name=declared, type=build_type(branch_at(tree, 1)))
        case "table_value":
            default = build_expression(parts[1], context) if len(parts) > 1 else None
            return syntax.TableValue(span=span, name=declared, type=build_type(parts[0]), default=default)
        case "table_timer":
            lifetime = build_expression(parts[0], context) if parts else None
            return syntax.TableTimer(span=span, name=declared, lifetime=lifetime)
        case rule:
            raise AssertionError(f"no part of a table: {rule}")
