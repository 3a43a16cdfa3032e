"""Which unknowns a term speaks of."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import z3

Term = Any
"""A Z3 expression; Z3 publishes no types."""


@dataclass(slots=True)
class Symbols:
    """The names of the constants in terms; what is known of one term is kept for those that hold it."""

    _known: dict[int, frozenset[str]] = field(default_factory=dict)
    _kept: list[Term] = field(default_factory=list)

    def of(self, *terms: Term) -> frozenset[str]:
        """Return the names in all these terms."""
        return frozenset[str]().union(*(self._of(term) for term in terms))

    def _of(self, term: Term) -> frozenset[str]:
        todo = [term]
        while todo:
            at = todo[-1]
            missing = [child for child in at.children() if child.get_id() not in self._known]
            if missing:
                todo += missing
                continue
            todo.pop()
            # Terms are kept alive, or Z3 may give their identity to others.
            self._kept.append(at)
            self._known[at.get_id()] = self._own(at)
        return self._known[term.get_id()]

    def _own(self, term: Term) -> frozenset[str]:
        if z3.is_const(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            return frozenset((term.decl().name(),))
        parts: Iterable[frozenset[str]] = (self._known[child.get_id()] for child in term.children())
        return frozenset[str]().union(*parts)
