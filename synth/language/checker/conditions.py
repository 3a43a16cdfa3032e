"""Conditions: truth values, and what their outcome says about packets."""

from typing import Literal

from synth.diagnostics.spans import Span
from synth.language import syntax, typed
from synth.language.checker import expressions
from synth.language.checker.names import resolve_packet
from synth.language.checker.patterns import check_pattern
from synth.language.checker.scope import Facts, Scope, join_facts
from synth.language.checker.words import describe_kinds
from synth.language.errors.packets import DecidedTest
from synth.language.types import Bool
from synth.net.kinds import Kind

Outcome = tuple[typed.Expr | None, Facts, Facts]
"""A condition, and the facts when it holds and when it does not."""


def check_condition(scope: Scope, written: syntax.Expr) -> Outcome:
    """Check a truth value. Leaves the scope's facts as they were."""
    match written:
        case syntax.Binary(op="&&"):
            return _check_logic(scope, written, "&&")
        case syntax.Binary(op="||"):
            return _check_logic(scope, written, "||")
        case syntax.Unary(op="!", operand=operand):
            found, if_true, if_false = check_condition(scope, operand)
            negated = found and typed.Unary(type=Bool(), op="!", operand=found, span=written.span)
            return negated, if_false, if_true
        case syntax.IsKind():
            return _check_kind(scope, written)
        case _:
            return expressions.check(scope, written, Bool()), scope.facts, scope.facts


def _check_logic(scope: Scope, written: syntax.Binary, op: Literal["&&", "||"]) -> Outcome:
    before = scope.facts
    left, left_true, left_false = check_condition(scope, written.left)
    scope.facts = left_true if op == "&&" else left_false
    right, right_true, right_false = check_condition(scope, written.right)
    scope.facts = before
    if_true, if_false = right_true, right_false
    if op == "&&":
        if_false = join_facts(left_false, right_false)
    else:
        if_true = join_facts(left_true, right_true)
    if left is None or right is None:
        return None, if_true, if_false
    right_runs = left_true if op == "&&" else left_false
    if right_runs.is_impossible and not before.is_impossible:
        return left, if_true, if_false
    return typed.Logic(type=Bool(), op=op, left=left, right=right, span=written.span), if_true, if_false


def _check_kind(scope: Scope, written: syntax.IsKind) -> Outcome:
    packet = resolve_packet(scope, written.operand)
    pattern, passing = check_pattern(written.pattern, scope.program.reporter)
    if packet is None:
        return None, scope.facts, scope.facts
    kinds = scope.facts.kinds[packet.name]
    if kinds and (kinds <= passing or not kinds & passing):
        report_decided(scope, written.span, packet.name, kinds, passing)
    found = typed.IsKind(type=Bool(), packet=packet, pattern=pattern, span=written.span)
    if_true = scope.facts.narrow(packet.name, kinds & passing)
    return found, if_true, scope.facts.narrow(packet.name, kinds - passing)


def report_decided(
    scope: Scope, span: Span, packet: str, kinds: frozenset[Kind], passing: frozenset[Kind]
) -> None:
    """Warn of a test on what a packet is that has only one outcome."""
    outcome = "true" if kinds <= passing else "false"
    scope.report(DecidedTest(span=span, packet=packet, outcome=outcome, kinds=describe_kinds(kinds)))


def is_kind_test(condition: typed.Expr) -> bool:
    """Tell whether a condition only tests what packets are, so that it can be left out when decided."""
    match condition:
        case typed.IsKind():
            return True
        case typed.Unary(operand=operand):
            return is_kind_test(operand)
        case typed.Logic(left=left, right=right):
            return is_kind_test(left) and is_kind_test(right)
        case _:
            return False
