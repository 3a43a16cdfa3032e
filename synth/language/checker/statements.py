"""Statements of handlers: from syntax to typed statements, and what holds between them."""

from dataclasses import replace
from typing import assert_never

from synth.diagnostics.diagnostic import Note
from synth.diagnostics.spans import Span
from synth.diagnostics.suggest import did_you_mean
from synth.language import syntax, typed
from synth.language.checker import assignments, conditions, entries, expressions, fallbacks, packets
from synth.language.checker.names import declare, is_storable
from synth.language.checker.scope import Facts, Scope, StateName, join_facts
from synth.language.checker.words import backticks, quote
from synth.language.errors.names import DuplicateName
from synth.language.errors.types import GiveOutside, MissingEnd, NeverRuns, NotAValue
from synth.language.errors.wiring import UnknownSide
from synth.language.types import Entry, Packet


def check_body(scope: Scope, block: syntax.Block) -> typed.Block:
    """Return a handler's body. Every way through it must end in a drop, or emit."""
    body = check_block(scope, block)
    if not scope.facts.is_ended and not scope.facts.has_emitted:
        silent = scope.facts.silent
        notes = () if silent is None else (Note(silent, "this way neither emits nor drops"),)
        scope.report(MissingEnd(span=end_of(block), notes=notes))
    return body


def end_of(block: syntax.Block) -> Span:
    """Return the place of a block's closing brace."""
    span = block.span
    return Span(span.file, span.end_line, max(span.end_column - 1, 1), span.end_line, span.end_column)


def check_block(scope: Scope, block: syntax.Block) -> typed.Block:
    """Return a block's statements. Wrong ones are left out: they have been reported."""
    scope.locals.append({})
    found: list[typed.Statement] = []
    for statement in block.statements:
        if scope.facts.is_ended:
            scope.report(NeverRuns(span=statement.span))
            break
        found.extend(check_statement(scope, statement))
    scope.locals.pop()
    return tuple(found)


def check_statement(scope: Scope, statement: syntax.Statement) -> tuple[typed.Statement, ...]:
    """Return what a statement means; nothing when it is wrong."""
    match statement:
        case syntax.Let():
            return _listed(check_let(scope, statement))
        case syntax.Assign():
            return _listed(assignments.check_assign(scope, statement))
        case syntax.Perform():
            return _listed(fallbacks.check_perform(scope, statement))
        case syntax.If():
            return _check_if(scope, statement)
        case syntax.Match():
            return packets.check_match(scope, statement)
        case syntax.Touch():
            return _listed(entries.check_touch(scope, statement))
        case syntax.Remove():
            return _listed(entries.check_remove(scope, statement))
        case syntax.Count():
            return _listed(entries.check_count(scope, statement))
        case syntax.Drop():
            scope.facts = Facts(is_ended=True)
            return (check_drop(scope, statement),)
        case syntax.Emit():
            return _listed(packets.check_emit(scope, statement))
        case syntax.Give():
            return _listed(_check_give(scope, statement))
        case _:
            assert_never(statement)


def _listed(found: typed.Statement | None) -> tuple[typed.Statement, ...]:
    return () if found is None else (found,)


def check_drop(scope: Scope, written: syntax.Drop) -> typed.Drop:
    """Return a drop. Its reason and the NF's counters are reported side by side, so their names differ."""
    known = scope.find(written.reason.text)
    if isinstance(known, StateName) and isinstance(known.state, typed.CounterState):
        name, note = written.reason, Note(known.span, "it stands here")
        scope.report(DuplicateName(span=name.span, what="counter", name=name.text, notes=(note,)))
    return typed.Drop(reason=written.reason.text, span=written.span)


def check_let(scope: Scope, statement: syntax.Let) -> typed.Let | None:
    """Return a `let`; its name is bound even when its value is wrong."""
    value = fallbacks.check_fallible(scope, statement.value, None)
    if value is not None and not isinstance(value, typed.Fallback) and not is_storable(value.type):
        advice = ""
        if isinstance(value.type, Entry):
            advice = "an entry has the one name that its `find` or `insert` was bound to"
        scope.report(
            NotAValue(
                span=statement.value.span, found=quote(value.type), use="bound to another name",
                expected="a value", advice=advice,
            )
        )  # fmt: skip
        value = None
    local = declare(scope, statement.name, None if value is None else value.type, statement.name.span)
    if value is None:
        return None
    if isinstance(value.type, Packet):
        scope.facts = scope.facts.narrow(local.unique, value.type.kinds)
    return typed.Let(name=local.unique, value=value, span=statement.span)


def _check_if(scope: Scope, statement: syntax.If) -> tuple[typed.Statement, ...]:
    before = scope.facts
    condition, if_true, if_false = conditions.check_condition(scope, statement.condition)
    scope.facts = if_true
    then = check_block(scope, statement.then)
    after_then = scope.facts
    scope.facts = if_false
    otherwise: typed.Block = ()
    match statement.otherwise:
        case syntax.Block() as block:
            otherwise = check_block(scope, block)
        case syntax.If() as nested:
            otherwise = _check_if(scope, nested)
        case None:
            pass
        case _:
            assert_never(statement.otherwise)
    # A branch that no packet gets into is left out: there may be reads of headers in it that no packet has.
    if if_false.is_impossible and not before.is_impossible:
        scope.facts = after_then
        return (*_effects(scope, condition), *then)
    if if_true.is_impossible and not before.is_impossible:
        return (*_effects(scope, condition), *otherwise)
    scope.facts = join_ways(after_then, scope.facts, statement)
    if condition is None:
        return ()
    return (typed.If(condition=condition, then=then, otherwise=otherwise, span=statement.span),)


def _effects(scope: Scope, condition: typed.Expr | None) -> tuple[typed.Statement, ...]:
    """Return what is left of a condition whose outcome is known: its arithmetic may drop the packet."""
    if condition is None or conditions.is_kind_test(condition):
        return ()
    return (typed.Let(name=scope.take_unique("decided"), value=condition, span=condition.span),)


def join_ways(then: Facts, otherwise: Facts, statement: syntax.If) -> Facts:
    """Join the ends of both ways, and remember the one that has not emitted."""
    joined = join_facts(then, otherwise)
    if joined.is_ended or joined.silent is not None or then.is_ended or otherwise.is_ended:
        return joined
    if then.has_emitted == otherwise.has_emitted:
        return joined
    place = statement.then.span
    if then.has_emitted:
        place = statement.condition.span if statement.otherwise is None else statement.otherwise.span
    return remember_silent(joined, place)


def remember_silent(facts: Facts, place: Span) -> Facts:
    """Return the facts with the place of a way that has not emitted."""
    return replace(facts, silent=place)


def remember_emission(facts: Facts) -> Facts:
    """Return the facts after an emission."""
    return replace(facts, has_emitted=True, silent=None)


def report_unknown_side(scope: Scope, name: syntax.Name) -> None:
    """Report a side that the NF does not have."""
    sides = scope.sides or ()
    scope.report(
        UnknownSide(
            span=name.span, owner=scope.owner, side=name.text, expected=backticks(sides),
            hint=did_you_mean(name.text, [*sides, *scope.visible()]),
        )
    )  # fmt: skip


def _check_give(scope: Scope, statement: syntax.Give) -> typed.Give | None:
    target = scope.gives[-1] if scope.gives else None
    if target is None or target.is_unwanted:
        scope.report(GiveOutside(span=statement.span))
        scope.facts = Facts(is_ended=True)
        return None
    if target.type is None:
        value = expressions.infer(scope, statement.value)
    else:
        value = expressions.check(scope, statement.value, target.type)
    if not scope.facts.is_impossible:
        target.facts.append(scope.facts)
    scope.facts = Facts(is_ended=True)
    return None if value is None else typed.Give(value=value, span=statement.span)
