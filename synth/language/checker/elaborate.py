"""From plans to the typed chain: nested chains are flattened, parameters get their values."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from synth.diagnostics.spans import Span
from synth.language import syntax, typed
from synth.language.checker.arguments import evaluate_argument
from synth.language.checker.bindings import Bindings
from synth.language.checker.instances import check_instance
from synth.language.checker.names import report_unknown_member
from synth.language.checker.plans import Part, Plan
from synth.language.checker.program import Program
from synth.language.checker.settings import Settings
from synth.language.checker.words import quote
from synth.language.errors.names import DuplicateName
from synth.language.errors.types import UnnamedArgument
from synth.language.errors.values import MissingParameter
from synth.language.errors.wiring import CycleWithoutBudget, EmitsNowhere, IdleBudget, NothingBetween
from synth.language.reach import find_cycles, find_reach, find_round_trip
from synth.language.values import Value


@dataclass(frozen=True, slots=True)
class _Edge:
    """The side of a nested chain: where packets enter it, or leave it."""

    chain: str
    side: str
    is_entrance: bool


_End = typed.Endpoint | _Edge


@dataclass(slots=True)
class _Expansion:
    """What is gathered while chains are expanded."""

    program: Program
    settings: Settings
    instances: list[typed.Instance] = field(default_factory=list)
    links: dict[_End, tuple[_End, Span]] = field(default_factory=dict)
    budgets: list[int] = field(default_factory=list)


def elaborate(program: Program, plan: Plan, settings: Settings) -> typed.TypedChain:
    """Return the whole chain. Its parts are complete only when nothing has been reported."""
    expansion = _Expansion(program, settings)
    values = {
        parameter.name: value
        for parameter in plan.parameters
        if (value := _own_value(expansion, plan, parameter)) is not None
    }
    _expand(expansion, plan, values, "")
    wires = _join_wires(expansion)
    budget = plan.budget if plan.budget is not None else max(expansion.budgets, default=None)
    chain = typed.TypedChain(
        name=plan.name,
        interfaces=plan.interfaces,
        instances=tuple(expansion.instances),
        wires=wires,
        budget=budget,
        span=plan.item.span,
    )
    _check_cycles(program, chain, plan)
    return chain


def check_arguments(program: Program, plan: Plan) -> None:
    """Check the arguments of a chain that is not built: with its parameters, but without their values."""
    bindings = Bindings(program, plan.unit, {it.name: it.type for it in plan.parameters})
    for part in plan.parts.values():
        _bind(program, bindings, part, {})


def _own_value(expansion: _Expansion, plan: Plan, parameter: typed.NfParameter) -> Value | None:
    bindings = Bindings(expansion.program, plan.unit)
    given = expansion.settings.take("", parameter.name)
    if given is not None:
        return evaluate_argument(bindings, given, parameter.type)
    if parameter.default is None and parameter.span not in expansion.program.broken_defaults:
        advice = f"for example `--set {parameter.name}=...`"
        _report_missing(expansion.program, plan.item.name.span, plan.name, parameter, advice)
    return parameter.default


# ---------------------------------------------------------------- expansion


def _expand(expansion: _Expansion, plan: Plan, values: Mapping[str, Value], prefix: str) -> None:
    chain = prefix.removesuffix(".")
    types = {parameter.name: parameter.type for parameter in plan.parameters}
    bindings = Bindings(expansion.program, plan.unit, types, values)
    for wire in plan.wires:
        source = _end(plan, wire.source, chain, prefix, is_source=True)
        target = _end(plan, wire.target, chain, prefix, is_source=False)
        expansion.links.setdefault(source, (target, wire.span))
    if plan.budget is not None and prefix:
        expansion.budgets.append(plan.budget)
    for part in plan.parts.values():
        if part.content is None:
            continue
        name = f"{prefix}{part.name}"
        overrides = expansion.settings.take_all(name, [it.name for it in parameters_of(part)])
        arguments = _bind(expansion.program, bindings, part, overrides)
        if isinstance(part.content, Plan):
            _expand(expansion, part.content, arguments, f"{name}.")
            continue
        instance = typed.Instance(
            name=name,
            nf=part.content,
            arguments=tuple(arguments.items()),
            sides=part.sides,
            span=part.span,
        )
        check_instance(expansion.program, instance, _places(part, overrides))
        expansion.instances.append(instance)


def _places(part: Part, overrides: Mapping[str, syntax.ValueExpr]) -> dict[str, Span]:
    """Return where each parameter has its value from."""
    declared = {parameter.name: parameter.span for parameter in parameters_of(part)}
    written = {it.name.text: it.value.span for it in part.arguments if it.name is not None}
    return {**declared, **written, **{name: value.span for name, value in overrides.items()}}


def parameters_of(part: Part) -> tuple[typed.NfParameter, ...]:
    """Return the parameters of what a part is made of."""
    return () if part.content is None else part.content.parameters


def _end(plan: Plan, endpoint: typed.Endpoint, chain: str, prefix: str, *, is_source: bool) -> _End:
    """Return what an endpoint of a plan is in the whole chain."""
    if not endpoint.owner:
        return _Edge(chain, endpoint.side, is_entrance=is_source)
    part = plan.parts.get(endpoint.owner)
    name = f"{prefix}{endpoint.owner}"
    if part is not None and isinstance(part.content, Plan):
        return _Edge(name, endpoint.side, is_entrance=not is_source)
    return typed.Endpoint(name, endpoint.side)


def _bind(
    program: Program, bindings: Bindings, part: Part, overrides: Mapping[str, syntax.ValueExpr]
) -> dict[str, Value]:
    """Return the values of a part's parameters: from outside, as written, or the defaults."""
    given = _given(bindings, part)
    here = Bindings(program, bindings.unit, bindings.types, bindings.values, _side_names(part))
    found: dict[str, Value] = {}
    for parameter in parameters_of(part):
        written = overrides.get(parameter.name, given.get(parameter.name))
        value = parameter.default
        if written is not None:
            value = evaluate_argument(here, written, parameter.type)
        elif value is None and parameter.span not in program.broken_defaults:
            _report_missing(program, part.span, part.name, parameter, "")
        if value is not None:
            found[parameter.name] = value
    return found


def _side_names(part: Part) -> tuple[str, ...]:
    return part.sides if isinstance(part.content, typed.TypedNf) else ()


def _given(bindings: Bindings, part: Part) -> dict[str, syntax.ValueExpr]:
    names = tuple(parameter.name for parameter in parameters_of(part))
    found: dict[str, syntax.ValueExpr] = {}
    for argument in part.arguments:
        if part.content is None:
            break
        name = argument.name
        if name is None:
            expected = ", ".join(f"`{it}:`" for it in names) or "no arguments"
            bindings.report(
                UnnamedArgument(span=argument.span, function=part.content.name, expected=expected)
            )
        elif name.text not in names:
            report_unknown_member(bindings.scope(), name, f"`{part.content.name}`", "parameter", names)
        elif name.text in found:
            bindings.report(DuplicateName(span=name.span, what="argument", name=name.text))
        else:
            found[name.text] = argument.value
    return found


def _report_missing(
    program: Program, at: Span, owner: str, parameter: typed.NfParameter, advice: str
) -> None:
    program.reporter.report(
        MissingParameter(span=at, owner=owner, name=parameter.name, type=quote(parameter.type), advice=advice)
    )


# ---------------------------------------------------------------- wires and cycles


def _join_wires(expansion: _Expansion) -> tuple[typed.Wire, ...]:
    """Return wires between real ends: those through the sides of nested chains are joined."""
    wires: list[typed.Wire] = []
    bare: set[Span] = set()
    for source, (target, span) in expansion.links.items():
        if isinstance(source, _Edge):
            continue
        end: _End = target
        seen: set[_Edge] = set()
        while isinstance(end, _Edge) and end in expansion.links and end not in seen:
            seen.add(end)
            end, _ = expansion.links[end]
        if isinstance(end, typed.Endpoint):
            if not source.side and not end.side and span not in bare:
                bare.add(span)
                expansion.program.reporter.report(
                    NothingBetween(span=span, source=source.owner, target=end.owner)
                )
            wires.append(typed.Wire(source=source, target=end, span=span))
        elif end.chain:
            endpoint = f"{end.chain}.{end.side}"
            expansion.program.reporter.report(EmitsNowhere(span=span, endpoint=endpoint))
    return tuple(wires)


def _check_cycles(program: Program, chain: typed.TypedChain, plan: Plan) -> None:
    reach = find_reach(chain)
    groups = find_cycles(reach)
    if not groups and plan.budget_span is not None:
        program.reporter.report(IdleBudget(span=plan.budget_span))
    if chain.budget is not None:
        return
    spans = {wire.target: wire.span for wire in chain.wires}
    for group in groups:
        way = find_round_trip(reach, group)
        names = [f"{endpoint.owner}.{endpoint.side}" for endpoint in (*way, way[0])]
        program.reporter.report(CycleWithoutBudget(span=spans[way[0]], cycle=" -> ".join(names)))
