"""Reading data files, and how loaders report."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from synth.diagnostics.diagnostic import Diagnostic
from synth.diagnostics.sources import read_file
from synth.diagnostics.spans import Span
from synth.language.errors.files import FileNotReadable, FileNotText, ManyMistakes

Report = Callable[[Diagnostic], None]
"""Where a loader puts what it finds, one at a time: a reporter's method, or `list.append`."""

MOST_MISTAKES = 20
"""So many wrong lines of one file are shown one by one; the rest are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReference:
    """A data file that a chain names.

    Attributes:
        path: where the file is.
        shown: the path in messages, as the user would write it.
        span: where the chain names it.
    """

    path: Path
    shown: str
    span: Span


class Mistakes:
    """Reports the wrong lines of one file: the first ones each, the others as a number."""

    def __init__(self, reference: FileReference, report: Report) -> None:
        self._reference = reference
        self._report = report
        self._count = 0
        self._first_untold: Span | None = None

    def add(self, found: Diagnostic) -> None:
        """Report one mistake, or count it when there were too many."""
        self._count += 1
        if self._count <= MOST_MISTAKES:
            self._report(found)
        elif self._first_untold is None:
            self._first_untold = found.span

    def close(self) -> None:
        """Report how many mistakes were not shown, if any."""
        if self._first_untold is not None:
            untold = self._count - MOST_MISTAKES
            self._report(ManyMistakes(span=self._first_untold, count=untold, path=self._reference.shown))


def read_lines(reference: FileReference, report: Report) -> tuple[str, ...]:
    """Return a file's lines without their ends; report, and return none, when it cannot be read."""
    text = read_text(reference, report)
    return () if text is None else tuple(text.split("\n"))


def read_text(reference: FileReference, report: Report) -> str | None:
    """Return a file's text with bare line feeds; report, and return None, when it cannot be read."""
    try:
        data = read_file(reference.path)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        is_option = reference.span.file.startswith("--")
        base = "the current folder" if is_option else "the file that names them"
        report(FileNotReadable(span=reference.span, path=reference.shown, reason=reason, base=base))
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        report(FileNotText(span=reference.span, path=reference.shown, line=line))
        return None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def line_start(shown: str, number: int) -> Span:
    """Return where a line of a file starts; lines count from 1."""
    return Span(shown, number, 1, number, 1)
