"""Checks that need values, of parameters too: sizes, rates, lifetimes, and what they bound."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass

from synth.diagnostics.diagnostic import Note
from synth.diagnostics.spans import Span
from synth.language import static, typed
from synth.language.checker.program import Program
from synth.language.checker.words import quote
from synth.language.errors.states import EmitsToNobody
from synth.language.errors.values import CannotCompute, EmptyRingList, OutOfBounds, SizeTooLarge
from synth.language.types import Duration, List, Rate, Record, Size, UInt, scalars
from synth.language.values import ListValue, Value

_MOST_SLOTS = 2**28
_MOST_ROWS = 16
_NOT_WALKED = ("type", "span", "function")
"""Functions know no parameters, and may be shared by many calls."""
_LONGEST = 2**63 - 1
"""Lifetimes are compared by signed differences of nanoseconds."""


@dataclass(frozen=True, slots=True)
class _Checker:
    program: Program
    nf: typed.TypedNf
    places: Mapping[str, Span]
    arguments: Mapping[str, Value]

    def bound(self, expression: typed.Expr, what: str, low: int, high: int) -> None:
        """Report a static expression whose value is out of bounds, at the argument that makes it so."""
        value = self.value(expression)
        if value is None or low <= value <= high:
            return
        unit = {Duration: "ns", Rate: "bit/s", Size: "B"}.get(type(expression.type), "")
        expected = f"at least {low}{unit}" if value < low else f"at most {high}{unit}"
        span, notes = self.place(expression, what)
        self.program.reporter.report(
            OutOfBounds(span=span, what=what, value=f"{value}{unit}", expected=expected, notes=notes)
        )

    def value(self, expression: typed.Expr) -> int | None:
        """Return the value of a static integer; None, and reported, when it has none."""
        try:
            return static.evaluate_integer(expression, self.arguments)
        except static.UnknownParameterError:
            return None
        except static.StaticError as error:
            span, notes = self.place(expression, "what is computed")
            at = error.span if span == expression.span else span
            self.program.reporter.report(CannotCompute(span=at, reason=error.reason, notes=notes))
            return None

    def place(self, expression: typed.Expr, what: str) -> tuple[Span, tuple[Note, ...]]:
        """Return where the value of an expression comes from: the one parameter in it, or itself."""
        names = {name for node in walk(expression) if (name := _parameter_of(node)) is not None}
        if len(names) != 1:
            return expression.span, ()
        return self.places[names.pop()], (Note(expression.span, f"this is {what}"),)


def _parameter_of(node: object) -> str | None:
    match node:
        case typed.Parameter(name=name):
            return name
        case typed.StaticSize(parameter=name) | typed.RangeBound(parameter=name):
            return name
        case _:
            return None


def walk(root: object) -> Iterator[object]:
    """Yield every typed node below a statement, expression, block or handler, itself included."""
    stack = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, tuple):
            stack.extend(node)
        elif is_dataclass(node):
            yield node
            stack.extend(getattr(node, it.name) for it in fields(node) if it.name not in _NOT_WALKED)


def check_declared(program: Program, nf: typed.TypedNf) -> None:
    """Report what is wrong with an NF's state whatever its parameters are."""
    checker = _Checker(program, nf, {}, {})
    for state in nf.states:
        _check_state(checker, state)


def check_instance(program: Program, instance: typed.Instance, places: Mapping[str, Span]) -> None:
    """Report what is wrong with an NF's state and handlers given the values of its parameters.

    `places` tells where each parameter has its value from.
    """
    checker = _Checker(program, instance.nf, places, dict(instance.arguments))
    for state in instance.nf.states:
        _check_state(checker, state)
    _check_sizes(checker)
    if instance.nf.sides is None and len(instance.sides) == 1:
        _check_others(program, instance)


def _check_state(checker: _Checker, state: typed.State) -> None:
    match state:
        case typed.TableState():
            _check_table(checker, state)
        case typed.VectorState():
            checker.bound(state.size, f"the size of `{state.name}`", 1, _MOST_SLOTS)
            if state.initial is not None:
                checker.value(state.initial)
        case typed.BucketState():
            _check_bucket(checker, state.name, state.rate, state.burst)
        case typed.SketchState():
            checker.bound(state.rows, f"the number of rows of `{state.name}`", 1, _MOST_ROWS)
            checker.bound(state.columns, f"the number of columns of `{state.name}`", 1, _MOST_SLOTS)
        case typed.RingState():
            _check_ring(checker, state)
        case typed.CounterState():
            pass


def _check_table(checker: _Checker, table: typed.TableState) -> None:
    checker.bound(table.capacity, f"the capacity of `{table.name}`", 1, _MOST_SLOTS)
    for timer, lifetime in table.timers:
        checker.bound(lifetime, f"the lifetime of `{timer}`", 1, _LONGEST)
    for value in table.values:
        if isinstance(value.type, typed.Bucket):
            _check_bucket(checker, value.name, value.type.rate, value.type.burst)
        elif value.default is not None:
            checker.value(value.default)


def _check_bucket(checker: _Checker, name: str, rate: typed.Expr, burst: typed.Expr) -> None:
    checker.bound(rate, f"the rate of `{name}`", 1, 2**64 - 1)
    checker.bound(burst, f"the burst of `{name}`", 1, 2**64 - 1)


def _check_ring(checker: _Checker, ring: typed.RingState) -> None:
    value = checker.arguments.get(ring.list)
    parameter = next((it for it in checker.nf.parameters if it.name == ring.list), None)
    if not isinstance(value, ListValue) or parameter is None or not isinstance(parameter.type, List):
        return
    record = parameter.type.element
    place = checker.places[ring.list]
    note = Note(ring.span, "this picks from it")
    if not value.rows:
        checker.program.reporter.report(
            EmptyRingList(span=place, parameter=ring.list, ring=ring.name, record=record.name, notes=(note,))
        )
        return
    if ring.slots is not None:
        checker.bound(ring.slots, f"the number of slots of `{ring.name}`", len(value.rows), _MOST_SLOTS)
    if ring.weight is not None:
        start = _scalar_index(record, ring.weight)
        total = sum(row[start] for row in value.rows)
        if total == 0:
            what = f"the sum of the weights of `{ring.list}`"
            checker.program.reporter.report(
                OutOfBounds(span=place, what=what, value="0", expected="at least 1", notes=(note,))
            )


def _scalar_index(record: Record, member: int) -> int:
    return sum(len(scalars(of)) for _, of in record.members[:member])


def _check_sizes(checker: _Checker) -> None:
    """Report `.size` where it does not fit into the integer that is wanted."""
    for node in walk(checker.nf.handlers):
        if not isinstance(node, typed.StaticSize) or not isinstance(node.type, UInt):
            continue
        value = checker.arguments.get(node.parameter)
        size = 0 if value is None else static.size_of(value)
        if size >> node.type.width:
            checker.program.reporter.report(
                SizeTooLarge(
                    span=checker.places[node.parameter],
                    parameter=node.parameter,
                    size=size,
                    type=quote(node.type),
                    notes=(Note(node.span, "it is wanted here"),),
                )
            )


def _check_others(program: Program, instance: typed.Instance) -> None:
    for node in walk(instance.nf.handlers):
        if isinstance(node, typed.Emit) and node.side is None:
            note = Note(node.span, "this emits on all sides but the one of arrival")
            program.reporter.report(EmitsToNobody(span=instance.span, nf=instance.name, notes=(note,)))
            return
