"""From `.chain` text to the syntax tree. The only module that imports lark."""

from pathlib import Path

from synth.diagnostics.spans import Span
from synth.language import syntax


def parse_file(path: Path | str, at: Span | None = None) -> syntax.File:
    """Parse a file. `at` is the place that names it, if any: there a missing file is reported.

    Raises:
        UserError: the file cannot be read, is not UTF-8, or is not a chain file.
    """
    raise NotImplementedError


def parse_text(text: str, path: str) -> syntax.File:
    """Parse the text of a file; `path` is how its spans name it.

    Raises:
        UserError: every syntax error found.
    """
    raise NotImplementedError
