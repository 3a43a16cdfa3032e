"""The parse tree as `parser.py` hands it to the tree builder: rules and terminals of the grammar."""

from dataclasses import dataclass

from synth.diagnostics.spans import Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """A terminal. `start` and `end` are offsets in the text."""

    kind: str
    text: str
    span: Span
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    """A rule, or the alias of one of its alternatives. None stands for an option left out."""

    rule: str
    children: tuple["ParseTree | None", ...]
    span: Span
    start: int
    end: int


ParseTree = Leaf | Branch
