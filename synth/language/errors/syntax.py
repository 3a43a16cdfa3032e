"""What can be wrong with the text of a `.chain` file before anything has a meaning: E001 to E015."""

from dataclasses import dataclass
from typing import ClassVar

from synth.diagnostics.diagnostic import Diagnostic


@dataclass(frozen=True, kw_only=True)
class Unexpected(Diagnostic):
    """Something stands where the language wants something else."""

    code: ClassVar[str] = "E001"
    title: ClassVar[str] = "expected {expected}, found {found}"
    label: ClassVar[str] = "expected {expected}"
    help: ClassVar[str] = "{hint}"

    expected: str
    found: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class UnexpectedEnd(Diagnostic):
    """The file ends in the middle of a declaration."""

    code: ClassVar[str] = "E002"
    title: ClassVar[str] = "the file ends where {expected} is expected"
    label: ClassVar[str] = "expected {expected}"

    expected: str


@dataclass(frozen=True, kw_only=True)
class UnterminatedString(Diagnostic):
    """A string begins and its line ends before the closing quote. Strings hold no line breaks."""

    code: ClassVar[str] = "E003"
    title: ClassVar[str] = "this string never ends"
    label: ClassVar[str] = 'expected a closing `"` on this line'


@dataclass(frozen=True, kw_only=True)
class OddCharacter(Diagnostic):
    """A character that the language does not use outside strings and comments."""

    code: ClassVar[str] = "E004"
    title: ClassVar[str] = "{shown} has no place outside strings and comments"
    help: ClassVar[str] = "{hint}"

    shown: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class NothingInFile(Diagnostic):
    """The file declares nothing: it is empty, or holds comments and `use` lines only."""

    code: ClassVar[str] = "E005"
    title: ClassVar[str] = "no chain or nf in this file"
    help: ClassVar[str] = "`synth new NAME` makes a small chain to begin with"


@dataclass(frozen=True, kw_only=True)
class MissingSeparator(Diagnostic):
    """Two parts stand on one line with nothing between them."""

    code: ClassVar[str] = "E006"
    title: ClassVar[str] = "expected `{separator}` or a new line"
    label: ClassVar[str] = "the next one begins here"
    help: ClassVar[str] = "{hint}"

    separator: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class TooDeep(Diagnostic):
    """Blocks or expressions are nested so deeply that no one could read them."""

    code: ClassVar[str] = "E007"
    title: ClassVar[str] = "nested more than {limit} levels deep"
    help: ClassVar[str] = "name parts of it with `let`, or move them into an `fn`"

    limit: int


@dataclass(frozen=True, kw_only=True)
class MisspelledWord(Diagnostic):
    """A word that is no keyword stands where only a keyword can, and looks like one."""

    code: ClassVar[str] = "E008"
    title: ClassVar[str] = "`{word}` has no meaning here"
    label: ClassVar[str] = "did you mean `{meant}`?"

    word: str
    meant: str


@dataclass(frozen=True, kw_only=True)
class BadNumber(Diagnostic):
    """Digits that form no number, address, range or quantity with a known unit."""

    code: ClassVar[str] = "E009"
    title: ClassVar[str] = "`{text}` is not a number, an address or a quantity"
    label: ClassVar[str] = "{reason}"
    help: ClassVar[str] = "{hint}"

    text: str
    reason: str = ""
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class NeverClosed(Diagnostic):
    """A bracket is open where the file ends or the next top-level item begins."""

    code: ClassVar[str] = "E010"
    title: ClassVar[str] = "this `{bracket}` is never closed"
    label: ClassVar[str] = "expected a matching `{closing}`"

    bracket: str
    closing: str


@dataclass(frozen=True, kw_only=True)
class ReservedName(Diagnostic):
    """A declaration takes a word of the language as its name, so that no one could use it."""

    code: ClassVar[str] = "E011"
    title: ClassVar[str] = "`{word}` is a word of the language and cannot be a name here"
    label: ClassVar[str] = "choose another name"

    word: str


@dataclass(frozen=True, kw_only=True)
class CannotRead(Diagnostic):
    """A chain file is missing, is a folder, or may not be read."""

    code: ClassVar[str] = "E012"
    title: ClassVar[str] = "cannot read {path}: {reason}"

    path: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class NotText(Diagnostic):
    """A chain file is not UTF-8 text."""

    code: ClassVar[str] = "E013"
    title: ClassVar[str] = "this file is not UTF-8 text: byte 0x{byte:02x} cannot stand here"

    byte: int


@dataclass(frozen=True, kw_only=True)
class TooManyErrors(Diagnostic):
    """So many syntax errors that the rest of the file was not looked at."""

    code: ClassVar[str] = "E014"
    title: ClassVar[str] = "stopped after {limit} syntax errors"

    limit: int


@dataclass(frozen=True, kw_only=True)
class ClosesNothing(Diagnostic):
    """A closing bracket without an opening one."""

    code: ClassVar[str] = "E015"
    title: ClassVar[str] = "this `{bracket}` closes nothing"

    bracket: str
