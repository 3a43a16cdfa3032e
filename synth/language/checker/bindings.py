"""Where an argument stands, and what it can refer to there."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeGuard

from synth.diagnostics.diagnostic import Diagnostic, Note
from synth.diagnostics.spans import NOWHERE, Span
from synth.language import syntax
from synth.language.checker.names import report_unknown_member
from synth.language.checker.program import Program
from synth.language.checker.scope import Known, OwnSide, ParameterName, Scope
from synth.language.checker.units import Unit
from synth.language.checker.words import backticks
from synth.language.errors.names import DuplicateName
from synth.language.errors.types import UnnamedArgument, WrongArgumentCount
from synth.language.files.source import FileReference
from synth.language.types import Type
from synth.language.values import Value

Call = tuple[FileReference | None, Mapping[str, syntax.ValueExpr]]
"""A data file (None: wrong, and reported) with the named arguments behind it."""


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


def is_text(value: syntax.ValueExpr | None) -> TypeGuard[syntax.Literal]:
    """Tell whether a value is a text between quotes."""
    match value:
        case syntax.Literal(token="STRING"):
            return True
        case _:
            return False


def inside_quotes(literal: syntax.Literal) -> tuple[str, Span]:
    """Return what stands between the quotes of a text, and where."""
    span = literal.span
    inner = Span(span.file, span.line, span.column + 1, span.end_line, max(span.end_column - 1, 1))
    return literal.text.strip('"'), inner


def take_file(
    bindings: Bindings, written: syntax.ValueExpr, word: str, options: tuple[str, ...]
) -> Call | None:
    """Return what `word("file", option: ...)` names; None when it is something else."""
    if not isinstance(written, syntax.Call) or not isinstance(written.function, syntax.Reference):
        return None
    if written.function.name.text != word:
        return None
    first = written.arguments[0] if written.arguments else None
    literal = first.value if first is not None and first.name is None else None
    if not is_text(literal):
        bindings.report(
            WrongArgumentCount(
                span=written.span, function=word, expected="a file's name between quotes",
                found="none" if first is None else "something else",
            )
        )  # fmt: skip
        return None, {}
    named = _named(bindings, written.arguments[1:], word, options)
    return (None, {}) if named is None else (bindings.reference(literal), named)


def _named(
    bindings: Bindings, written: tuple[syntax.Argument, ...], word: str, options: tuple[str, ...]
) -> Mapping[str, syntax.ValueExpr] | None:
    found: dict[str, syntax.ValueExpr] = {}
    for argument in written:
        name = argument.name
        if name is None:
            expected = backticks(f"{option}:" for option in options) or "nothing behind the file"
            bindings.report(UnnamedArgument(span=argument.span, function=word, expected=expected))
            return None
        if name.text not in options:
            report_unknown_member(bindings.scope(), name, f"`{word}`", "parameter", options)
            return None
        if name.text in found:
            note = Note(found[name.text].span, "it stands here")
            bindings.report(DuplicateName(span=name.span, what="argument", name=name.text, notes=(note,)))
            return None
        found[name.text] = argument.value
    return found
