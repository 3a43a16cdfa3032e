"""Gathers diagnostics, so that one run tells everything it found."""

from synth.diagnostics.diagnostic import Diagnostic, UserError


class Reporter:
    """Collects diagnostics. The same finding at the same place is kept once."""

    def __init__(self) -> None:
        self._found: dict[tuple[object, ...], Diagnostic] = {}

    def report(self, found: Diagnostic) -> None:
        """Keep a diagnostic."""
        self._found.setdefault((found.span, found.code, found.message), found)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All that was found, ordered by file, place and code."""
        return tuple(sorted(self._found.values(), key=source_order))

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
