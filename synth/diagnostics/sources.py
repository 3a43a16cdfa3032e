"""The texts of the files that diagnostics speak of."""

from collections.abc import Iterable
from pathlib import Path

from synth.diagnostics.diagnostic import Diagnostic


def load_sources(diagnostics: Iterable[Diagnostic]) -> dict[str, str]:
    """Return the text of each file that the diagnostics name; files that cannot be read are left out."""
    spans = [span for found in diagnostics for span in (found.span, *(n.span for n in found.notes))]
    texts: dict[str, str] = {}
    for name in dict.fromkeys(span.file for span in spans):
        try:
            texts[name] = Path(name).read_bytes().decode("utf-8-sig", errors="replace")
        except (OSError, ValueError):
            continue
    return texts
