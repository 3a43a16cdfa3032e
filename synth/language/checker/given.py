"""The arguments of a call, matched with the names that it takes."""

from collections.abc import Mapping, Sequence

from synth.diagnostics.diagnostic import Note
from synth.diagnostics.spans import Span
from synth.language import syntax, typed
from synth.language.checker.names import report_unknown_member
from synth.language.checker.scope import Scope
from synth.language.checker.words import backticks, quote, spell
from synth.language.errors.names import DuplicateName
from synth.language.errors.types import (
    MissingArgument,
    NotAllowedHere,
    UnnamedArgument,
    WrongArgumentCount,
)
from synth.language.types import Type

Given = dict[str, syntax.Expr]


def as_expression(scope: Scope, value: syntax.ValueExpr) -> syntax.Expr | None:
    """Return an argument that is an expression; lists and maps are reported."""
    if not isinstance(value, syntax.ListValue | syntax.MapValue):
        return value
    what = "a list" if isinstance(value, syntax.ListValue) else "a map"
    scope.report(
        NotAllowedHere(
            span=value.span, what=what, place=scope.place,
            expected="an expression; lists and maps are given to parameters of NFs in a chain",
        )
    )  # fmt: skip
    return None


def take_positional(
    scope: Scope, written: syntax.Call, names: Sequence[str]
) -> tuple[syntax.Expr, ...] | None:
    """Return the arguments of a call that takes them in order."""
    arguments = written.arguments
    named = next((argument for argument in arguments if argument.name is not None), None)
    if len(arguments) != len(names) or named is not None:
        scope.report(
            WrongArgumentCount(
                span=written.span if named is None else named.span,
                function=spell(written.function),
                expected=_count(len(names)),
                found=_count(len(arguments)) if named is None else "a named one",
            )
        )
        return None
    found = [as_expression(scope, argument.value) for argument in arguments]
    values = tuple(value for value in found if value is not None)
    return values if len(values) == len(found) else None


def _count(number: int) -> str:
    return {0: "no arguments", 1: "one argument"}.get(number, f"{number} arguments")


def take_named(
    scope: Scope,
    arguments: Sequence[syntax.Argument],
    owner: str,
    wanted: Mapping[str, Type | typed.Bucket],
    optional: Sequence[str],
    span: Span,
) -> Given | None:
    """Return the arguments of a call that takes them by name; None when one is wrong or missing."""
    given: Given = {}
    first: dict[str, Span] = {}
    is_right = True
    for argument in arguments:
        value = as_expression(scope, argument.value)
        if value is None:
            is_right = False
        if argument.name is None:
            scope.report(
                UnnamedArgument(
                    span=argument.span, function=owner, expected=backticks(f"{name}:" for name in wanted)
                )
            )
            return None
        name = argument.name.text
        if name not in wanted:
            report_unknown_member(scope, argument.name, f"`{owner}`", "parameter", tuple(wanted))
            is_right = False
        elif name in first:
            note = Note(first[name], "it stands here")
            scope.report(DuplicateName(span=argument.name.span, what="argument", name=name, notes=(note,)))
            is_right = False
        elif value is not None:
            given[name] = value
        first.setdefault(name, argument.name.span)
    for name, of in wanted.items():
        if name not in first and name not in optional and not isinstance(of, typed.Bucket):
            scope.report(MissingArgument(span=span, function=owner, name=name, type=quote(of)))
            is_right = False
    return given if is_right else None
