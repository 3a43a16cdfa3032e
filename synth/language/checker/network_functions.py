"""NFs: parameters, sides, state and handlers; every side's handlers take every packet."""

from dataclasses import dataclass

from synth.diagnostics.diagnostic import Note
from synth.diagnostics.spans import Span
from synth.diagnostics.suggest import did_you_mean
from synth.language import syntax, typed
from synth.language.checker.instances import check_declared
from synth.language.checker.parameters import check_parameters
from synth.language.checker.patterns import ANY_PACKET, check_pattern
from synth.language.checker.program import Program
from synth.language.checker.scope import (
    NOUNS,
    Facts,
    Known,
    LocalName,
    OwnSide,
    ParameterName,
    Scope,
    StateName,
)
from synth.language.checker.statements import check_body
from synth.language.checker.states import check_state
from synth.language.checker.units import Declared, Unit
from synth.language.checker.words import backticks, describe_kinds
from synth.language.errors.names import DuplicateName
from synth.language.errors.packets import HandlersIncomplete, UnreachableHandler
from synth.language.errors.wiring import UnknownSide
from synth.language.types import Packet
from synth.net.kinds import UNIVERSE, Kind

DEFAULT_SIDES = ("inside", "outside")
"""The sides of an NF that names none."""


@dataclass(frozen=True, slots=True)
class _Checked:
    handler: typed.Handler
    kinds: frozenset[Kind]
    is_broken: bool
    """Its pattern or its sides are wrong, so that nothing is known of what it takes."""


def check_nf(program: Program, declared: Declared) -> typed.TypedNf | None:
    """Check an NF, once, and return it; it may be used for wiring even when it has errors inside."""
    item = declared.item
    assert isinstance(item, syntax.Nf)
    if id(item) not in program.nfs:
        program.nfs[id(item)] = _check_nf(program, declared.unit, item)
    return program.nfs[id(item)]


def _check_nf(program: Program, unit: Unit, item: syntax.Nf) -> typed.TypedNf:
    sides = check_sides(program, item.name, [it for it in item.items if isinstance(it, syntax.Sides)])
    parameters = check_parameters(program, unit, item.parameters, sides or ())
    known: dict[str, Known] = {}
    for written, parameter in zip(item.parameters, parameters, strict=True):
        of = None if parameter is None else parameter.type
        _add(program, known, written.name, ParameterName(type=of, span=written.name.span))
    for position, side in enumerate(sides or ()):
        span = _side_span(item, position)
        _add(program, known, syntax.Name(text=side, span=span), OwnSide(span=span))
    static = Scope(program, unit, "a static expression", "this", known=known)
    states: list[typed.State] = []
    for written_state in item.items:
        if isinstance(written_state, syntax.Sides | syntax.Handler):
            continue
        state = check_state(static, written_state)
        if state is not None:
            states.append(state)
        _add(program, known, written_state.name, StateName(state=state, span=written_state.name.span))
    handlers = [
        _check_handler(program, unit, item, sides, known, it)
        for it in item.items
        if isinstance(it, syntax.Handler)
    ]
    reachable = _check_coverage(program, item, sides, handlers)
    nf = typed.TypedNf(
        name=item.name.text,
        doc=item.doc,
        parameters=tuple(parameter for parameter in parameters if parameter is not None),
        sides=sides,
        states=tuple(states),
        handlers=reachable,
        span=item.span,
    )
    check_declared(program, nf)
    return nf


def check_sides(program: Program, owner: syntax.Name, items: list[syntax.Sides]) -> tuple[str, ...] | None:
    """Return the sides that are declared; None for `sides any`."""
    for again in items[1:]:
        note = Note(items[0].span, "they stand here")
        program.reporter.report(
            DuplicateName(span=again.span, what="sides of", name=owner.text, notes=(note,))
        )
    if not items:
        return DEFAULT_SIDES
    names = items[0].names
    if names is None:
        return None
    first: dict[str, Span] = {}
    for name in names:
        if name.text in first:
            note = Note(first[name.text], "it stands here")
            program.reporter.report(DuplicateName(span=name.span, what="side", name=name.text, notes=(note,)))
        first.setdefault(name.text, name.span)
    return tuple(first)


def _side_span(item: syntax.Nf, position: int) -> Span:
    declared = next((it for it in item.items if isinstance(it, syntax.Sides)), None)
    if declared is None or declared.names is None:
        return item.name.span
    texts = list(dict.fromkeys(name.text for name in declared.names))
    return next(name.span for name in declared.names if name.text == texts[position])


def _add(program: Program, known: dict[str, Known], name: syntax.Name, what: Known) -> None:
    earlier = known.get(name.text)
    if earlier is None:
        known[name.text] = what
        return
    program.reporter.report(
        DuplicateName(
            span=name.span,
            what=NOUNS[type(earlier)],
            name=name.text,
            notes=(Note(earlier.span, "it stands here"),),
        )
    )


# ---------------------------------------------------------------- handlers


def _check_handler(
    program: Program,
    unit: Unit,
    nf: syntax.Nf,
    sides: tuple[str, ...] | None,
    known: dict[str, Known],
    handler: syntax.Handler,
) -> _Checked:
    scope = Scope(program, unit, "a handler", "", known=known, owner=nf.name.text, sides=sides)
    pattern: typed.Pattern = ANY_PACKET
    kinds = UNIVERSE
    if handler.pattern is not None:
        pattern, kinds = check_pattern(handler.pattern, program.reporter)
    name = handler.packet
    earlier = known.get(name.text)
    if earlier is not None:
        note = Note(earlier.span, "it stands here")
        program.reporter.report(
            DuplicateName(span=name.span, what=NOUNS[type(earlier)], name=name.text, notes=(note,))
        )
    local: LocalName = scope.bind(name.text, Packet(kinds), name.span)
    scope.packet = name.text
    scope.facts = Facts().narrow(local.unique, kinds)
    body = check_body(scope, handler.body)
    checked = typed.Handler(
        sides=_handler_sides(program, nf, sides, handler),
        packet=local.unique,
        pattern=pattern,
        body=body,
        span=handler.span,
    )
    named = handler.sides or ()
    is_broken = (handler.pattern is not None and pattern is ANY_PACKET) or (
        checked.sides is not None and len(checked.sides) < len(named)
    )
    return _Checked(checked, kinds, is_broken)


def _handler_sides(
    program: Program, nf: syntax.Nf, sides: tuple[str, ...] | None, handler: syntax.Handler
) -> tuple[str, ...] | None:
    if handler.sides is None:
        return None
    found: dict[str, Span] = {}
    for name in handler.sides:
        if name.text in found:
            note = Note(found[name.text], "it stands here")
            program.reporter.report(DuplicateName(span=name.span, what="side", name=name.text, notes=(note,)))
        elif name.text in (sides or ()):
            found[name.text] = name.span
        else:
            expected = backticks(sides) if sides else "`from any`: the chain names the sides of this NF"
            program.reporter.report(
                UnknownSide(
                    span=name.span, owner=nf.name.text, side=name.text, expected=expected,
                    hint=did_you_mean(name.text, sides or ()),
                )
            )  # fmt: skip
    return tuple(found)


def _check_coverage(
    program: Program, nf: syntax.Nf, sides: tuple[str, ...] | None, handlers: list[_Checked]
) -> tuple[typed.Handler, ...]:
    """Report sides whose handlers leave packets over; return the handlers that packets get to."""
    names: tuple[str | None, ...] = (None,) if sides is None else sides
    remaining: dict[str | None, frozenset[Kind]] = dict.fromkeys(names, UNIVERSE)
    receiving: dict[str | None, Span] = {}
    reachable: list[typed.Handler] = []
    for checked in handlers:
        handler = checked.handler
        if checked.is_broken:
            return tuple(it.handler for it in handlers)
        here = names if handler.sides is None else handler.sides
        if here and not any(remaining[side] & checked.kinds for side in here if side in remaining):
            program.reporter.report(UnreachableHandler(span=handler.span))
        else:
            reachable.append(handler)
        for side in here:
            if side in remaining:
                remaining[side] -= checked.kinds
                receiving.setdefault(side, handler.span)
    for side in names:
        # A side with no handler at all only emits; the wiring shows whether something arrives there.
        if side in receiving and remaining[side]:
            program.reporter.report(
                HandlersIncomplete(
                    span=nf.name.span, nf=nf.name.text, side=side or "any",
                    kinds=describe_kinds(remaining[side]),
                )
            )  # fmt: skip
    return tuple(reachable)
