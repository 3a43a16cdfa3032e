"""What a user is told when the input is wrong.

A kind of diagnostic is a small frozen dataclass, a subclass of `Diagnostic`, that lives beside
the code that finds it (`language/errors/*.py` and so on): its stable code and severity are class
variables, its facts are typed fields, and its texts are templates over those fields.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

from synth.diagnostics.spans import Span

Severity = Literal["error", "warning"]

LONGEST_WORD = 300
"""Characters of a word that a message repeats; paths are rarely longer."""


@dataclass(frozen=True, slots=True)
class Note:
    """A second place that helps to understand the first."""

    span: Span
    text: str


@dataclass(frozen=True, kw_only=True)
class Diagnostic:
    """One thing that is wrong, at one place.

    Subclasses set `code` (`E` or `W` and three digits; never reused), `severity`, `title` and, where
    they can, `label` (beside the carets: what was expected) and `help`; each is formatted
    with the subclass's own fields (`str.format` over them).
    """

    code: ClassVar[str]
    severity: ClassVar[Severity] = "error"
    title: ClassVar[str]
    label: ClassVar[str] = ""
    help: ClassVar[str] = ""

    span: Span
    notes: tuple[Note, ...] = ()

    @property
    def message(self) -> str:
        """The title with the facts filled in: one line, no full stop."""
        return self.title.format(**self._facts())

    @property
    def label_text(self) -> str:
        """The text beside the carets, or the empty string."""
        return self.label.format(**self._facts())

    @property
    def help_text(self) -> str:
        """What the user can do about it, or the empty string."""
        return self.help.format(**self._facts())

    def _facts(self) -> dict[str, object]:
        return {name: _cut(fact) for name, fact in vars(self).items()}


def _cut(fact: object) -> object:
    """Shorten a fact that is one endless word: a damaged file has words of megabytes."""
    if not isinstance(fact, str) or len(fact) <= LONGEST_WORD or any(map(str.isspace, fact)):
        return fact
    return f"{fact[:LONGEST_WORD]}..."


class UserError(Exception):
    """The input is wrong. Carries everything found in one run, in source order."""

    def __init__(self, diagnostics: tuple[Diagnostic, ...]) -> None:
        super().__init__("; ".join(f"{found.span}: {found.message}" for found in diagnostics))
        self.diagnostics = diagnostics


def complain(found: Diagnostic) -> UserError:
    """Return the error that says one thing."""
    return UserError((found,))
