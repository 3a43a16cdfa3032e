"""The comments of a file, handed out in source order to the parts of the formatted text."""

import re
from dataclasses import dataclass

from synth.diagnostics.spans import Span

Position = tuple[int, int]
"""Line and column, from 1."""

_PIECE = re.compile(r'"[^"\n]*"|(?P<comment>//[^\n]*)')
_TO_BRACKET = {
    "{": re.compile(r"(?://[^\n]*|[^{/]|/(?!/))*\{"),
    ")": re.compile(r"(?://[^\n]*|[^)/]|/(?!/))*\)"),
}


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment without trailing blanks. `is_alone`: it has its line to itself."""

    text: str
    line: int
    column: int
    is_alone: bool

    @property
    def start(self) -> Position:
        return (self.line, self.column)


def start_of(span: Span) -> Position:
    """Return where a span begins."""
    return (span.line, span.column)


def end_of(span: Span) -> Position:
    """Return where a span ends."""
    return (span.end_line, span.end_column)


class Comments:
    """A queue of the comments that stand nowhere yet."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line_starts = [0, *(match.end() for match in re.finditer("\n", text))]
        self._waiting = [c for line, row in enumerate(text.split("\n"), 1) for c in _in_line(line, row)]
        self._next = 0

    def take_before(self, limit: Position) -> list[Comment]:
        """Take the comments that begin before a place."""
        first = self._next
        while self._next < len(self._waiting) and self._waiting[self._next].start < limit:
            self._next += 1
        return self._waiting[first : self._next]

    def take_behind(self, end: Position, limit: Position) -> Comment | None:
        """Take the next comment if it stands on the line where something ends, before the limit."""
        if self._next == len(self._waiting):
            return None
        found = self._waiting[self._next]
        if found.line != end[0] or not end <= found.start < limit:
            return None
        self._next += 1
        return found

    def are_between(self, start: Position, end: Position) -> bool:
        """Tell whether the file has a comment between two places, taken or not."""
        return any(start <= comment.start < end for comment in self._waiting)

    def bracket_after(self, place: Position, bracket: str) -> Position:
        """Return the place behind the next `{` or `)`, which must be the next bracket."""
        found = _TO_BRACKET[bracket].match(self._text, self._line_starts[place[0] - 1] + place[1] - 1)
        if found is None:
            raise AssertionError(f"no {bracket} after {place}")
        before = self._text[: found.end()]
        return (before.count("\n") + 1, found.end() - before.rfind("\n"))


def _in_line(line: int, row: str) -> list[Comment]:
    for piece in _PIECE.finditer(row):
        if piece["comment"] is not None:
            is_alone = not row[: piece.start()].strip()
            return [Comment(piece["comment"].rstrip(), line, piece.start() + 1, is_alone)]
    return []
