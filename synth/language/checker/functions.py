"""The user's pure functions: checked once, never recursive, and small enough to be inlined."""

from synth.diagnostics.diagnostic import Note
from synth.language import syntax, typed
from synth.language.checker import expressions, statements
from synth.language.checker.program import FunctionInfo, Program
from synth.language.checker.scope import LocalName, Scope
from synth.language.checker.type_names import is_value_type, resolve_type, resolve_value_type
from synth.language.checker.units import Declared, Unit
from synth.language.checker.words import quote, spell_pattern
from synth.language.errors.names import DuplicateName, Recursion, TooLarge
from synth.language.errors.types import NotAllowedHere, NotAValue
from synth.language.types import Packet, Type

_MOST_CALLS = 256
"""Functions are lowered in place: so many may stand in for one call."""


def find_function(program: Program, declared: Declared, at: syntax.Name) -> FunctionInfo | None:
    """Return a function that is called at a place; None, and reported, when it is wrong."""
    assert isinstance(declared.item, syntax.Function)
    cycle = program.cycle_to(declared.item)
    if cycle is not None:
        program.reporter.report(Recursion(span=at.span, cycle=cycle))
        return None
    if program.is_too_deep(at.span):
        return None
    return check_function(program, declared)


def check_function(program: Program, declared: Declared) -> FunctionInfo | None:
    """Check a function, once, and return it."""
    item = declared.item
    assert isinstance(item, syntax.Function)
    if id(item) not in program.functions:
        program.open.append(declared)
        program.functions[id(item)] = _check_function(program, declared.unit, item)
        program.open.pop()
    return program.functions[id(item)]


def _check_function(program: Program, unit: Unit, item: syntax.Function) -> FunctionInfo | None:
    scope = Scope(program, unit, "a function", "")
    parameters: list[tuple[str, Type]] = []
    wanted: dict[str, str] = {}
    is_known = True
    for parameter in item.parameters:
        of = _check_parameter(scope, parameter)
        is_known = is_known and of is not None
        if of is not None:
            parameters.append((parameter.name.text, of))
        if isinstance(parameter.type, syntax.PacketType):
            wanted[parameter.name.text] = spell_pattern(parameter.type.pattern)
    result = resolve_value_type(program, unit, item.result, "a result")
    lets = tuple(
        let for written in item.lets if isinstance(let := statements.check_let(scope, written), typed.Let)
    )
    if result is None:
        value = expressions.infer(scope, item.value)
    else:
        value = expressions.check(scope, item.value, result)
    calls = scope.calls + 1
    if calls > _MOST_CALLS:
        scope.report(
            TooLarge(
                span=item.name.span, what="function", name=item.name.text, size=calls, unit="calls",
                limit=_MOST_CALLS,
            )
        )  # fmt: skip
        return None
    if not is_known:
        return None
    function = None
    if value is not None and result is not None and len(lets) == len(item.lets):
        function = typed.TypedFunction(
            name=item.name.text, parameters=tuple(parameters), result=result, lets=lets, value=value,
            span=item.span,
        )  # fmt: skip
    return FunctionInfo(tuple(parameters), wanted, result, function, calls)


def _check_parameter(scope: Scope, parameter: syntax.Parameter) -> Type | None:
    of = resolve_type(scope.program, scope.unit, parameter.type)
    name = parameter.name
    if of is not None and not (is_value_type(of) or isinstance(of, Packet)):
        scope.report(
            NotAValue(
                span=parameter.type.span, found=quote(of), use="given to a function",
                expected="a type of values, or `packet(PATTERN)`",
            )
        )  # fmt: skip
        of = None
    if parameter.default is not None:
        scope.report(
            NotAllowedHere(
                span=parameter.default.span, what="a default", place="the parameters of a function",
                expected="only a name and a type",
            )
        )  # fmt: skip
    if name.text in scope.locals[0]:
        note = Note(scope.locals[0][name.text].span, "it stands here")
        scope.report(DuplicateName(span=name.span, what="parameter", name=name.text, notes=(note,)))
        return None
    local: LocalName = scope.bind(name.text, of, name.span)
    if isinstance(of, Packet):
        scope.facts = scope.facts.narrow(local.unique, of.kinds)
    return of
