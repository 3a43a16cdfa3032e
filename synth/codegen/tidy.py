"""Statements that say the same in fewer words.

    if (p != NULL) { A }  if (p == NULL) { leave }   ->  if (p == NULL) { leave }  A
    if (a) { leave }  if (b) { leave }               ->  if (a || b) { leave }
    if (a) { if (b) { A } }                          ->  if (a && b) { A }
    T x;  if (a) { x = b; } else { x = c; }          ->  const T x = a ? b : c;

The second and third only where both tests come from one source line: short-circuit conditions.
"""

from collections.abc import Sequence
from dataclasses import replace

from synth.codegen.layout import Assign, Declare, If, Line, Statement, has_end, outermost, place


def tidied(statements: Sequence[Statement]) -> list[Statement]:
    """Return statements with the same effect, in the forms above."""
    result: list[Statement] = []
    for statement in statements:
        result.append(_inside(statement) if isinstance(statement, If) else statement)
        while len(result) > 1 and (joined := _join(result[-2], result[-1])) is not None:
            result[-2:] = joined
    return result


def _inside(statement: If) -> If:
    tidy = replace(
        statement, then=tuple(tidied(statement.then)), otherwise=tuple(tidied(statement.otherwise))
    )
    match tidy:
        case If(outer, (If(inner, then, (), span),), ()) if place(span) == place(statement.span):
            return replace(tidy, condition=_both(outer, inner), then=then)
        case _:
            return tidy


def _join(first: Statement, second: Statement) -> list[Statement] | None:
    """Return what two statements that follow each other become, if they become something else."""
    match first, second:
        case If(one, then, (), span), If(other, leave, (), second_span) if has_end(leave):
            if _excludes(one, other):
                return [second, *then]
            if then == leave and place(span) == place(second_span):
                return [replace(first, condition=_either(one, other))]
        case Declare(type_, name, is_once), If(
            condition, (Assign(then_name, then),), (Assign(name_2, otherwise),), span
        ) if name == then_name == name_2:
            value = _chosen(type_, condition, then, otherwise)
            return [Line(f"{'const ' if is_once else ''}{type_} {name} = {value};", span)]
    return None


def _excludes(condition: str, guard: str) -> bool:
    return condition.endswith(" != NULL") and guard == condition.replace(" != ", " == ")


def _chosen(type_: str, condition: str, then: str, otherwise: str) -> str:
    if type_ == "bool" and otherwise == "false":
        return _both(condition, then)
    if type_ == "bool" and then == "true":
        return _either(condition, otherwise)
    return f"{_within(condition, ' ? ')} ? {_within(then, ' ? ')} : {otherwise}"


def _both(left: str, right: str) -> str:
    return f"{_within(left, ' || ', ' ? ')} && {_within(right, ' || ', ' ? ')}"


def _either(left: str, right: str) -> str:
    return f"{_within(left, ' && ', ' ? ')} || {_within(right, ' && ', ' ? ')}"


def _within(text: str, *weaker: str) -> str:
    return f"({text})" if any(outermost(text, mark) for mark in weaker) else text
