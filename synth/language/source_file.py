"""Reads the text of a `.chain` file."""

from pathlib import Path

from synth.diagnostics.diagnostic import UserError
from synth.diagnostics.sources import read_file
from synth.diagnostics.spans import Span
from synth.language.errors.syntax import CannotRead, NotText


def read_text(path: Path | str, at: Span | None = None) -> str:
    """Return the text. `at` is the place that names the file, if any.

    Raises:
        UserError: there is no such file, it cannot be read, or it is not UTF-8.
    """
    place = at or Span(str(path), 1, 1, 1, 1)
    try:
        content = read_file(Path(path))
    except OSError as error:
        raise UserError((CannotRead(span=place, path=str(path), reason=_reason(error)),)) from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError((_not_text(str(path), content, error.start),)) from None


def _reason(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "there is no such file"
    return (error.strerror or "it cannot be opened").lower()


def _not_text(path: str, content: bytes, offset: int) -> NotText:
    line = content.count(b"\n", 0, offset) + 1
    before = content[content.rfind(b"\n", 0, offset) + 1 : offset]
    column = len(before.decode("utf-8-sig")) + 1
    return NotText(span=Span(path, line, column, line, column + 1), byte=content[offset])
