"""Diagnostics as text for a terminal, and as objects for scripts."""

from collections.abc import Iterable, Mapping

from synth.diagnostics.diagnostic import Diagnostic


def render(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str], colour: bool) -> str:
    """Return the diagnostics as a person reads them.

    `sources` maps the files that spans name to their texts (`sources.load_sources`); where a file
    is missing there, the place is told without its line. Ends in a newline unless empty.
    """
    return "".join(f"{d.severity}[{d.code}]: {d.message}\n --> {d.span}\n" for d in diagnostics)


def to_json(diagnostics: Iterable[Diagnostic]) -> list[dict[str, object]]:
    """Return the diagnostics as JSON objects, in the given order."""
    return [
        {
            "code": found.code,
            "severity": found.severity,
            "file": found.span.file,
            "line": found.span.line,
            "column": found.span.column,
            "end_line": found.span.end_line,
            "end_column": found.span.end_column,
            "message": found.message,
            "label": found.label_text,
            "help": found.help_text,
            "notes": [
                {
                    "file": note.span.file,
                    "line": note.span.line,
                    "column": note.span.column,
                    "end_line": note.span.end_line,
                    "end_column": note.span.end_column,
                    "text": note.text,
                }
                for note in found.notes
            ],
        }
        for found in diagnostics
    ]
