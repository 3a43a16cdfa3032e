"""What every part of the tree builder needs: access to children, docs, checks on places and names."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from synth.diagnostics.reporter import Reporter
from synth.diagnostics.spans import Span
from synth.language.errors.syntax import MissingSeparator, ReservedName
from synth.language.parse_tree import Branch, Leaf, ParseTree
from synth.language.syntax import Name

EXPRESSION_WORDS = frozenset({"if", "then", "else", "choose", "true", "false", "or", "in", "is"})
"""Words that no reader could use as a name in an expression."""

STATEMENT_WORDS = EXPRESSION_WORDS | {
    "let", "match", "touch", "remove", "count", "drop", "emit", "give", "return",
}  # fmt: skip
"""Words that no statement can begin with when they are names."""

SIDE_WORDS = EXPRESSION_WORDS | {"any", "others"}


@dataclass(frozen=True, slots=True)
class Context:
    """The text that the tree was parsed from, and where findings go."""

    text: str
    lines: tuple[str, ...]
    reporter: Reporter

    def doc_above(self, span: Span) -> str:
        """Return the `///` lines directly above a declaration that begins its line, joined."""
        if self.lines[span.line - 1][: span.column - 1].strip():
            return ""
        first = span.line - 1
        while first > 0 and is_doc(self.lines[first - 1]):
            first -= 1
        lines = (line.strip().removeprefix("///") for line in self.lines[first : span.line - 1])
        return "\n".join(line.removeprefix(" ") for line in lines)

    def check_apart(self, parts: Sequence[ParseTree], separators: str = ";") -> None:
        """Report neighbours that stand on one line with none of the separators between them."""
        for left, right in pairwise(parts):
            between = self.text[left.end : right.start]
            if not any(mark in between for mark in (*separators, "\n")):
                span = right.span
                here = Span(span.file, span.line, span.column, span.line, span.column + 1)
                self.reporter.report(MissingSeparator(span=here, separator=separators[0]))

    def declared(self, leaf: Leaf, reserved: frozenset[str] = EXPRESSION_WORDS) -> Name:
        """Return the name that a declaration gives, which must not be a reserved word."""
        if leaf.text in reserved:
            self.reporter.report(ReservedName(span=leaf.span, word=leaf.text))
        return name(leaf)


def is_doc(line: str) -> bool:
    """Tell whether a line is a documentation comment: three slashes, not more."""
    return line.lstrip().startswith("///") and not line.lstrip().startswith("////")


def name(leaf: Leaf) -> Name:
    """Return the name that a terminal spells."""
    return Name(span=leaf.span, text=leaf.text)


def leaves(branch: Branch) -> tuple[Leaf, ...]:
    """Return the terminals among the children."""
    return tuple(child for child in branch.children if isinstance(child, Leaf))


def branches(branch: Branch, *rules: str) -> tuple[Branch, ...]:
    """Return the children that are rules, of the given ones if any are given."""
    found = (child for child in branch.children if isinstance(child, Branch))
    return tuple(child for child in found if not rules or child.rule in rules)


def branch_at(branch: Branch, index: int) -> Branch:
    """Return a child that the grammar says is a rule."""
    child = branch.children[index]
    assert isinstance(child, Branch)
    return child


def leaf_at(branch: Branch, index: int) -> Leaf:
    """Return a child that the grammar says is a terminal."""
    child = branch.children[index]
    assert isinstance(child, Leaf)
    return child
