"""Values of parameters: expressions, lists, maps, and data files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from synth.diagnostics.diagnostic import Diagnostic
from synth.diagnostics.spans import NOWHERE, Span
from synth.language import static, syntax, typed
from synth.language.checker import data_arguments
from synth.language.checker.expressions import check
from synth.language.checker.program import Program
from synth.language.checker.record_arguments import evaluate_list, evaluate_record
from synth.language.checker.scope import Known, OwnSide, ParameterName, Scope
from synth.language.checker.units import Unit
from synth.language.checker.words import quote, spell
from synth.language.errors.values import CannotCompute, WrongForm
from synth.language.files.source import FileReference
from synth.language.types import List, Record, Routes, Rules, Type
from synth.language.values import Value


@dataclass(frozen=True, slots=True)
class Bindings:
    """Where an argument stands: its file, the chain's parameters, and the sides of the NF that gets it.

    `values` lacks parameters whose values are not known: of a chain that is only checked.
    """

    program: Program
    unit: Unit
    types: Mapping[str, Type] = field(default_factory=dict)
    values: Mapping[str, Value] = field(default_factory=dict)
    sides: tuple[str, ...] = ()

    def report(self, found: Diagnostic) -> None:
        """Report a diagnostic."""
        self.program.reporter.report(found)

    def scope(self) -> Scope:
        """Return a scope for static expressions here."""
        known: dict[str, Known] = {side: OwnSide(span=NOWHERE) for side in self.sides}
        known |= {name: ParameterName(type=of, span=NOWHERE) for name, of in self.types.items()}
        return Scope(self.program, self.unit, "a static expression", "an argument", known=known)

    def reference(self, literal: syntax.Literal) -> FileReference:
        """Return the data file that a text names, relative to the file that it stands in."""
        text = literal.text.strip('"')
        path = Path(literal.span.file).parent / text
        return FileReference(path=path, shown=str(path), span=literal.span)


def evaluate_argument(bindings: Bindings, written: syntax.ValueExpr, want: Type) -> Value | None:
    """Return the value of an argument; None when it is wrong (and reported) or not known."""
    match want:
        case Rules():
            return data_arguments.evaluate_rules(bindings, written)
        case Routes(result):
            return data_arguments.evaluate_routes(bindings, written, result)
        case List(element):
            return evaluate_list(bindings, written, element)
        case Record() if isinstance(written, syntax.MapValue):
            return evaluate_record(bindings, written, want)
        case _:
            return evaluate_expression(bindings, written, want)


def evaluate_expression(bindings: Bindings, written: syntax.ValueExpr, want: Type) -> Value | None:
    """Return the value of an argument that must be an expression."""
    if isinstance(written, syntax.ListValue | syntax.MapValue):
        found = "a list" if isinstance(written, syntax.ListValue) else "a map"
        bindings.report(WrongForm(span=written.span, found=found, type=quote(want), expected=quote(want)))
        return None
    checked = check(bindings.scope(), written, want)
    return None if checked is None else evaluate_checked(bindings, checked)


def evaluate_checked(bindings: Bindings, checked: typed.Expr) -> Value | None:
    """Return the value of a checked static expression; report when it cannot be computed."""
    try:
        return static.evaluate(checked, bindings.values, bindings.sides)
    except static.UnknownParameterError:
        return None
    except static.StaticError as error:
        bindings.report(CannotCompute(span=error.span, reason=error.reason))
        return None


def evaluate_reference(bindings: Bindings, written: syntax.ValueExpr, want: Type, forms: str) -> Value | None:
    """Return the value of a parameter of the chain that is handed on; `forms` are the other possibilities."""
    if isinstance(written, syntax.Reference) and written.name.text in bindings.types:
        return evaluate_expression(bindings, written, want)
    found = f"`{spell(written)}`" if isinstance(written, syntax.Reference | syntax.Literal | syntax.Call) else "this"
    bindings.report(WrongForm(span=written.span, found=found, type=quote(want), expected=forms))
    return None


