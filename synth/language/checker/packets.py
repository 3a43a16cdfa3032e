"""Statements on packets: `match` and `emit`."""

from synth.language import syntax, typed
from synth.language.checker import expressions, statements
from synth.language.checker.names import resolve_packet
from synth.language.checker.patterns import ANY_PACKET, check_pattern
from synth.language.checker.scope import Facts, Scope, join_facts
from synth.language.checker.words import backticks, describe_kinds, quote
from synth.language.errors.packets import MatchIncomplete, UnreachableCase
from synth.language.errors.states import EmitsToNobody
from synth.language.errors.types import TypeMismatch
from synth.language.types import Bool, Packet, Side


def check_match(scope: Scope, statement: syntax.Match) -> tuple[typed.Statement, ...]:
    """Return a `match` as a row of tests. Cases that no packet gets into are left out."""
    reference = syntax.Reference(name=statement.packet, span=statement.packet.span)
    packet = resolve_packet(scope, reference)
    if packet is None:
        return ()
    if not scope.facts.kinds[packet.name]:
        _check_dead(scope, packet, [case.body for case in statement.cases])
        _check_dead(scope, packet, [statement.otherwise] if statement.otherwise else [])
        return ()
    return _check_cases(scope, statement, packet, statement.cases)


def _check_dead(scope: Scope, packet: typed.Local, blocks: list[syntax.Block]) -> None:
    """Check blocks that no packet gets into, for the errors in them."""
    before = scope.facts
    for block in blocks:
        scope.facts = before.narrow(packet.name, frozenset())
        statements.check_block(scope, block)
    scope.facts = before


def _check_cases(
    scope: Scope, statement: syntax.Match, packet: typed.Local, cases: tuple[syntax.Case, ...]
) -> tuple[typed.Statement, ...]:
    before = scope.facts
    remaining = before.kinds[packet.name]
    first = 0
    pattern: typed.Pattern = ANY_PACKET
    passing = remaining
    for case in cases:
        pattern, passing = check_pattern(case.pattern, scope.program.reporter)
        if remaining & passing:
            break
        scope.report(UnreachableCase(span=case.pattern.span, packet=packet.name))
        _check_dead(scope, packet, [case.body])
        first += 1
    if first == len(cases):
        return _check_else(scope, statement, packet)
    case, rest = cases[first], cases[first + 1 :]
    scope.facts = before.narrow(packet.name, remaining & passing)
    body = statements.check_block(scope, case.body)
    after = scope.facts
    if remaining <= passing:
        _report_rest(scope, statement, packet, rest)
        scope.facts = after
        return body
    scope.facts = before.narrow(packet.name, remaining - passing)
    otherwise = _check_cases(scope, statement, packet, rest)
    scope.facts = _join(after, scope.facts, case)
    condition = typed.IsKind(type=Bool(), packet=packet, pattern=pattern, span=case.pattern.span)
    return (typed.If(condition=condition, then=body, otherwise=otherwise, span=case.span),)


def _join(after: Facts, others: Facts, case: syntax.Case) -> Facts:
    joined = join_facts(after, others)
    is_silent_here = not after.is_ended and not others.is_ended and not after.has_emitted
    if is_silent_here and others.has_emitted and joined.silent is None:
        return statements.remember_silent(joined, case.body.span)
    return joined


def _report_rest(
    scope: Scope, statement: syntax.Match, packet: typed.Local, rest: tuple[syntax.Case, ...]
) -> None:
    """Warn of what stands behind the case that took the last kinds."""
    for case in rest:
        scope.report(UnreachableCase(span=case.pattern.span, packet=packet.name))
        _check_dead(scope, packet, [case.body])
    if statement.otherwise is not None:
        scope.report(UnreachableCase(span=statement.otherwise.span, packet=packet.name))
        _check_dead(scope, packet, [statement.otherwise])


def _check_else(scope: Scope, statement: syntax.Match, packet: typed.Local) -> tuple[typed.Statement, ...]:
    if statement.otherwise is not None:
        return statements.check_block(scope, statement.otherwise)
    kinds = describe_kinds(scope.facts.kinds[packet.name])
    scope.report(MatchIncomplete(span=statement.packet.span, packet=packet.name, kinds=kinds))
    scope.facts = Facts(is_ended=True)
    return ()


def check_emit(scope: Scope, statement: syntax.Emit) -> typed.Emit | None:
    """Return an `emit`; without a packet, the handler's own."""
    side: typed.Expr | None = None
    is_right = True
    if statement.side is not None:
        side = _check_side(scope, statement.side)
        is_right = side is not None
    elif scope.sides is not None and len(scope.sides) < 2:
        scope.report(EmitsToNobody(span=statement.span, nf=scope.owner))
        is_right = False
    packet = _emitted_packet(scope, statement)
    scope.facts = statements.remember_emission(scope.facts)
    if packet is None or not is_right:
        return None
    return typed.Emit(side=side, packet=packet, span=statement.span)


def _check_side(scope: Scope, written: syntax.Expr) -> typed.Expr | None:
    known = scope.find(written.name.text) if isinstance(written, syntax.Reference) else None
    if isinstance(written, syntax.Reference) and known is None and scope.sides is not None:
        statements.report_unknown_side(scope, written.name)
        return None
    side = expressions.infer(scope, written)
    if side is None or isinstance(side.type, Side):
        return side
    advice = f"the sides of `{scope.owner}` are {backticks(scope.sides)}" if scope.sides else ""
    scope.report(TypeMismatch(span=written.span, expected="a side", found=quote(side.type), advice=advice))
    return None


def _emitted_packet(scope: Scope, statement: syntax.Emit) -> typed.Expr | None:
    if statement.packet is None:
        name = syntax.Name(text=scope.packet, span=statement.span)
        return resolve_packet(scope, syntax.Reference(name=name, span=statement.span))
    packet = expressions.infer(scope, statement.packet)
    if packet is None or isinstance(packet.type, Packet):
        return packet
    scope.report(TypeMismatch(span=statement.packet.span, expected="a packet", found=quote(packet.type)))
    return None
