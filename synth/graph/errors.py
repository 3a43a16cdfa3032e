"""What can go wrong with a graph: its text (the user's), a pass that broke it (ours), or drawing it."""

from dataclasses import dataclass
from typing import ClassVar

from synth.diagnostics.diagnostic import Diagnostic


@dataclass(frozen=True, kw_only=True)
class BadGraphText(Diagnostic):
    """The text form of a graph cannot be read."""

    code: ClassVar[str] = "E900"
    title: ClassVar[str] = "this is not the text of a graph: found {found}"
    label: ClassVar[str] = "expected {expected}"

    found: str
    expected: str


class InvalidGraph(Exception):
    """A graph breaks the rules of `verify`: an error of ours, whoever built the graph."""

    def __init__(self, violations: tuple[str, ...]) -> None:
        super().__init__("invalid graph:\n  " + "\n  ".join(violations))
        self.violations = violations


class GraphvizError(Exception):
    """Graphviz is missing or failed: the toolchain's error, with what mends it."""
