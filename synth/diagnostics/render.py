"""Diagnostics as text for a terminal, and as objects for scripts."""

from collections.abc import Callable, Iterable, Mapping

from synth.diagnostics.diagnostic import Diagnostic, Note
from synth.diagnostics.excerpt import cut_excerpt, visible
from synth.diagnostics.spans import NOWHERE, Span

_BOLD, _RED, _YELLOW, _BLUE, _CYAN, _RESET = (
    "\x1b[1m", "\x1b[1;31m", "\x1b[1;33m", "\x1b[1;34m", "\x1b[1;36m", "\x1b[0m",
)  # fmt: skip
_Painter = Callable[[str, str], str]
_SEVERITY_COLOURS = {"error": _RED, "warning": _YELLOW}


def render(diagnostics: Iterable[Diagnostic], sources: Mapping[str, str], *, colour: bool) -> str:
    """Return the diagnostics as a person reads them.

    `sources` maps the files that spans name to their texts (`sources.load_sources`); where a file
    is missing there, the place is told without its line. Ends in a newline unless empty.
    """
    paint = _paint if colour else _plain
    return "\n".join("".join(_diagnostic(each, sources, paint)) for each in diagnostics)


def to_json(diagnostics: Iterable[Diagnostic]) -> list[dict[str, object]]:
    """Return the diagnostics as JSON objects, in the given order."""
    return [
        {
            "code": found.code,
            "severity": found.severity,
            **_place(found.span),
            "message": found.message,
            "label": found.label_text,
            "help": found.help_text,
            "notes": [{**_place(note.span), "text": note.text} for note in found.notes],
        }
        for found in diagnostics
    ]


def _place(span: Span) -> dict[str, object]:
    return {
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


def _paint(text: str, colour: str) -> str:
    return f"{colour}{text}{_RESET}" if text else text


def _plain(text: str, _colour: str) -> str:
    return text


def _diagnostic(found: Diagnostic, sources: Mapping[str, str], paint: _Painter) -> Iterable[str]:
    colour = _SEVERITY_COLOURS[found.severity]
    margin = _margin(found)
    yield paint(f"{found.severity}[{found.code}]", colour)
    yield paint(f": {visible(found.message)}", _BOLD) + "\n"
    yield from _snippet(found.span, found.label_text, "^", colour, sources, margin, paint)
    for note in found.notes:
        yield from _note(note, sources, margin, paint)
    if found.help_text:
        for line in found.help_text.split("\n"):
            yield f"{' ' * margin} {paint('=', _BLUE)} {paint('help', _CYAN)}: {visible(line)}\n"


def _note(note: Note, sources: Mapping[str, str], margin: int, paint: _Painter) -> Iterable[str]:
    yield f"{' ' * margin} {paint('=', _BLUE)} {paint('note', _BOLD)}: {visible(note.text)}\n"
    if note.span != NOWHERE:
        yield from _snippet(note.span, "", "-", _BLUE, sources, margin, paint)


def _margin(found: Diagnostic) -> int:
    """Return the width of the longest line number that will be shown."""
    spans = [found.span, *(note.span for note in found.notes)]
    return max(len(str(span.line)) for span in spans)


def _snippet(
    span: Span,
    label: str,
    mark: str,
    colour: str,
    sources: Mapping[str, str],
    margin: int,
    paint: _Painter,
) -> Iterable[str]:
    space = " " * margin
    yield f"{space}{paint('-->', _BLUE)} {visible(str(span))}\n"
    is_shown = span.file in sources and not span.is_whole_file
    excerpt = cut_excerpt(sources[span.file], span) if is_shown else None
    if excerpt is None:
        if label:
            yield f"{space} {paint('=', _BLUE)} {visible(label)}\n"
        return
    bar = paint("|", _BLUE)
    yield f"{space} {bar}\n"
    yield f"{paint(f'{span.line:>{margin}}', _BLUE)} {bar} {excerpt.line}".rstrip() + "\n"
    marked = paint(f"{mark * excerpt.width} {visible(label)}".rstrip(), colour)
    yield f"{space} {bar} {' ' * excerpt.indent}{marked}\n"
