"""One source line with a stretch of it marked, fitted to a terminal."""

import unicodedata
from dataclasses import dataclass

from synth.diagnostics.spans import Span

TAB_WIDTH = 4
MAX_WIDTH = 120
"""Columns that an excerpt may take; of a longer line only the part around the mark is shown."""

_NEAR = 1000
"""Characters before and behind a mark that are looked at: a damaged file can have lines of megabytes."""

_ELLIPSIS = "..."


@dataclass(frozen=True, slots=True, kw_only=True)
class Excerpt:
    """A line as it is shown, and where the mark stands below it, both in terminal columns."""

    line: str
    indent: int
    width: int


def cut_excerpt(text: str, span: Span) -> Excerpt | None:
    """Return the line where the span begins, or None when the text has no such line.

    A span over several lines is marked to the end of its first one.
    """
    lines = text.split("\n")
    if not 1 <= span.line <= len(lines):
        return None
    line = lines[span.line - 1].removesuffix("\r")
    first = min(span.column - 1, len(line))
    last = span.end_column - 1 if span.end_line == span.line else len(line.rstrip())
    skipped = max(first - _NEAR, 0)
    cells = _cells(line[skipped : first + _NEAR])
    first, last = first - skipped, last - skipped
    last = min(max(last, first + 1), max(len(cells), first + 1))
    return _fit(cells, first, last)


def visible(text: str) -> str:
    """Return a text with what a terminal would obey, or not show, made visible."""
    return "".join(_shown(character) for character in text)


def _shown(character: str) -> str:
    is_hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
    return "\ufffd" if is_hidden else character


def _cells(line: str) -> list[str]:
    """Return how each character of a line is shown: tabs as spaces up to the next tab stop."""
    cells, column = [], 0
    for character in line:
        is_tab = character == "\t"
        cells.append(" " * (TAB_WIDTH - column % TAB_WIDTH) if is_tab else _shown(character))
        column += _width(cells[-1])
    return cells


def _width(cell: str) -> int:
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in cell
    )


def _fit(cells: list[str], first: int, last: int) -> Excerpt:
    start, end = 0, len(cells)
    if sum(map(_width, cells)) > MAX_WIDTH:
        # Two thirds before the mark at most, so that what follows it can be seen too.
        start = _back(cells, first, 2 * MAX_WIDTH // 3 - _width("".join(cells[first:last])))
        end = _forth(cells, start, MAX_WIDTH)
    last = max(min(last, end), first + 1)
    before = (_ELLIPSIS if start else "") + "".join(cells[start:first])
    marked = "".join(cells[first:last])
    after = "".join(cells[last:end]) + (_ELLIPSIS if end < len(cells) else "")
    return Excerpt(
        line=(before + marked + after).rstrip(), indent=_width(before), width=max(_width(marked), 1)
    )


def _back(cells: list[str], index: int, room: int) -> int:
    """Return the leftmost index that keeps the width up to `index` within the room."""
    room = max(room, MAX_WIDTH // 4)
    while index and room >= _width(cells[index - 1]):
        index -= 1
        room -= _width(cells[index])
    return index


def _forth(cells: list[str], index: int, room: int) -> int:
    while index < len(cells) and room >= _width(cells[index]):
        room -= _width(cells[index])
        index += 1
    return index
