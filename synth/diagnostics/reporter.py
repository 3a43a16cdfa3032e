"""Gathers diagnostics, so that one run tells everything it found."""

from dataclasses import replace

from synth.diagnostics.diagnostic import Diagnostic, Note, UserError
from synth.diagnostics.spans import Span


class Reporter:
    """Collects diagnostics. The same finding at the same place is kept once."""

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], Diagnostic] = {}
        self._described: list[tuple[Span, Note]] = []

    def report(self, found: Diagnostic) -> None:
        """Keep a diagnostic."""
        self._found.setdefault((found.span, found.code, found.message), found)

    def describe(self, place: Span, note: Note) -> None:
        """Add a note to everything that is found within a place."""
        self._described.append((place, note))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that was found, ordered by file, place and code."""
        return tuple(sorted(map(self._with_notes, self._found.values()), key=source_order))

    def _with_notes(self, found: Diagnostic) -> Diagnostic:
        added = tuple(note for place, note in self._described if place.holds(found.span))
        return replace(found, notes=(*found.notes, *added)) if added else found

    @property
    def has_errors(self) -> bool:
        """Tell whether anything was found that is more than a warning."""
        return any(found.severity == "error" for found in self._found.values())

    def raise_if_errors(self) -> None:
        """Raise a `UserError` with everything found (warnings too) when there is an error."""
        if self.has_errors:
            raise UserError(self.diagnostics)


def source_order(found: Diagnostic) -> tuple[str, int, int, str, str]:
    """Return the key that sorts diagnostics by file, place, code and message."""
    return (found.span.file, found.span.line, found.span.column, found.code, found.message)
