"""Values of parameters: expressions, lists, maps, and data files."""

from synth.language import static, syntax, typed
from synth.language.checker import data_arguments, record_arguments
from synth.language.checker.bindings import Bindings
from synth.language.checker.expressions import check
from synth.language.checker.words import quote, spell
from synth.language.errors.values import CannotCompute, WrongForm
from synth.language.types import List, Record, Routes, Rules, Type
from synth.language.values import Value


def evaluate_argument(bindings: Bindings, written: syntax.ValueExpr, want: Type) -> Value | None:
    """Return the value of an argument; None when it is wrong (and reported) or not known."""
    match want:
        case Rules():
            return data_arguments.evaluate_rules(bindings, written)
        case Routes(result):
            return data_arguments.evaluate_routes(bindings, written, result)
        case List(element):
            return record_arguments.evaluate_list(bindings, written, element)
        case Record() if isinstance(written, syntax.MapValue):
            return record_arguments.evaluate_record(bindings, written, want)
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
    is_short = isinstance(written, syntax.Reference | syntax.Literal | syntax.Call)
    found = f"`{spell(written)}`" if is_short else "this"
    bindings.report(WrongForm(span=written.span, found=found, type=quote(want), expected=forms))
    return None
