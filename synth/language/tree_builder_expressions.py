"""Builds types, patterns and expressions."""

from synth.language import syntax
from synth.language.errors.syntax import BadNumber
from synth.language.parse_tree import Branch
from synth.language.tree_builder_context import Context, branch_at, branches, leaf_at, leaves, name


def build_type(tree: Branch) -> syntax.TypeExpr:
    """Build from `type`'s alternatives."""
    parts = branches(tree)
    match tree.rule:
        case "named_type":
            argument = build_type(parts[0]) if parts else None
            return syntax.NamedType(span=tree.span, name=name(leaf_at(tree, 0)), argument=argument)
        case "tuple_type":
            return syntax.TupleType(span=tree.span, items=tuple(build_type(part) for part in parts))
        case "packet_type":
            return syntax.PacketType(span=tree.span, pattern=build_pattern(parts[0]))
        case rule:
            raise AssertionError(f"no type: {rule}")


def build_pattern(tree: Branch) -> syntax.Pattern:
    """Build from `pattern` and what it is made of."""
    parts = branches(tree)
    match tree.rule:
        case "pattern":
            return build_pattern(parts[0])
        case "pattern_name":
            return syntax.PatternName(span=tree.span, name=leaf_at(tree, 0).text)
        case "pattern_not":
            return syntax.PatternNot(span=tree.span, inner=build_pattern(parts[0]))
        case "pattern_and":
            return syntax.PatternAll(span=tree.span, parts=tuple(build_pattern(p) for p in parts))
        case "pattern_or":
            return syntax.PatternAny(span=tree.span, parts=tuple(build_pattern(p) for p in parts))
        case rule:
            raise AssertionError(f"no pattern: {rule}")


def build_value(tree: Branch, context: Context) -> syntax.ValueExpr:
    """Build from `value`: an expression, a list or a map."""
    match tree.rule:
        case "list":
            items = tuple(build_value(item, context) for item in branches(tree))
            return syntax.ListValue(span=tree.span, items=items)
        case "map":
            entries = tuple(_map_entry(entry, context) for entry in branches(tree))
            return syntax.MapValue(span=tree.span, entries=entries)
        case _:
            return build_expression(tree, context)


def build_expression(tree: Branch, context: Context) -> syntax.Expr:
    """Build from `expression` and what it is made of. Groups leave no trace."""
    span = tree.span
    match tree.rule:
        case "group":
            return build_expression(branch_at(tree, 0), context)
        case "name":
            return syntax.Reference(span=span, name=name(leaf_at(tree, 0)))
        case "literal":
            leaf = leaf_at(tree, 0)
            return syntax.Literal(span=span, token=leaf.kind, text=leaf.text)
        case "tuple":
            return syntax.Tuple(span=span, items=_expressions(tree, context))
        case "unary":
            (operand,) = _expressions(tree, context)
            return syntax.Unary(span=span, op=leaf_at(tree, 0).text, operand=operand)
        case "binary":
            left, right = _expressions(tree, context)
            return syntax.Binary(span=span, op=leaf_at(tree, 1).text, left=left, right=right)
        case "contains":
            item, container = _expressions(tree, context)
            return syntax.Contains(span=span, item=item, container=container)
        case "is_kind":
            operand = build_expression(branch_at(tree, 0), context)
            return syntax.IsKind(span=span, operand=operand, pattern=build_pattern(branch_at(tree, 1)))
        case "conditional":
            condition, then, otherwise = _expressions(tree, context)
            return syntax.Conditional(span=span, condition=condition, then=then, otherwise=otherwise)
        case "choose":
            (operand,) = _expressions(tree, context)
            return syntax.Choose(span=span, operand=operand)
        case "index":
            operand, index = _expressions(tree, context)
            return syntax.Index(span=span, operand=operand, index=index)
        case "member":
            return _member(tree, context)
        case "call":
            function = build_expression(branch_at(tree, 0), context)
            return syntax.Call(span=span, function=function, arguments=build_arguments(tree, context))
        case rule:
            raise AssertionError(f"no expression: {rule}")


def build_arguments(tree: Branch, context: Context) -> tuple[syntax.Argument, ...]:
    """Build the arguments of a call or an instance; none when there are none."""
    lists = branches(tree, "arguments")
    return tuple(_argument(argument, context) for argument in branches(lists[0])) if lists else ()


def _expressions(tree: Branch, context: Context) -> tuple[syntax.Expr, ...]:
    return tuple(build_expression(child, context) for child in branches(tree))


def _member(tree: Branch, context: Context) -> syntax.Member:
    operand, member = branch_at(tree, 0), leaf_at(tree, 1)
    if operand.rule == "literal" and member.kind == "INTEGER":
        text = context.text[tree.start : tree.end]
        hint = "numbers are whole; only quantities such as `1.5s` have a fraction"
        context.reporter.report(BadNumber(span=tree.span, text=text, hint=hint))
    return syntax.Member(span=tree.span, operand=build_expression(operand, context), member=name(member))


def _argument(tree: Branch, context: Context) -> syntax.Argument:
    names = leaves(tree)
    (value,) = branches(tree)
    return syntax.Argument(
        span=tree.span,
        name=name(names[0]) if names else None,
        value=build_value(value, context),
    )


def _map_entry(tree: Branch, context: Context) -> syntax.MapEntry:
    leaf = leaf_at(tree, 0)
    key: syntax.Literal | syntax.Name = name(leaf)
    if leaf.kind != "NAME":
        key = syntax.Literal(span=leaf.span, token=leaf.kind, text=leaf.text)
    return syntax.MapEntry(span=tree.span, key=key, value=build_value(branch_at(tree, 1), context))
