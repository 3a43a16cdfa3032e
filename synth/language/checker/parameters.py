"""Declared parameters of NFs and chains: their types and defaults."""

from collections.abc import Sequence

from synth.language import syntax, typed
from synth.language.checker.arguments import evaluate_argument
from synth.language.checker.bindings import Bindings
from synth.language.checker.program import Program
from synth.language.checker.type_names import resolve_type
from synth.language.checker.units import Unit
from synth.language.checker.words import quote
from synth.language.errors.types import NotAValue
from synth.language.types import Packet, Type
from synth.language.values import Value


def check_parameters(
    program: Program, unit: Unit, parameters: Sequence[syntax.Parameter], sides: Sequence[str]
) -> list[typed.NfParameter | None]:
    """Return the parameters in order; None for those whose type is wrong."""
    return [_check_parameter(program, unit, parameter, sides) for parameter in parameters]


def _check_parameter(
    program: Program, unit: Unit, parameter: syntax.Parameter, sides: Sequence[str]
) -> typed.NfParameter | None:
    of = resolve_type(program, unit, parameter.type)
    if isinstance(of, Packet):
        program.reporter.report(
            NotAValue(
                span=parameter.type.span, found=quote(of), use="a parameter here",
                expected="a type whose values are known when the chain is built",
            )
        )  # fmt: skip
        return None
    if of is None:
        return None
    return typed.NfParameter(
        name=parameter.name.text,
        type=of,
        default=_check_default(program, unit, parameter, of, sides),
        doc=parameter.doc,
        span=parameter.name.span,
    )


def _check_default(
    program: Program, unit: Unit, parameter: syntax.Parameter, of: Type, sides: Sequence[str]
) -> Value | None:
    if parameter.default is None:
        return None
    value = evaluate_argument(Bindings(program, unit, sides=tuple(sides)), parameter.default, of)
    if value is None:
        program.broken_defaults.add(parameter.name.span)
    return value
