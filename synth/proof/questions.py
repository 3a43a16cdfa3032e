"""Questions to Z3, each under known facts. *Unknown* is an answer of its own, and means no."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import z3

from synth.proof.symbols import Symbols, Term

Facts = tuple[Term, ...]

TIMEOUT_MS = 5_000
MOST_QUESTIONS = 2_000
"""A solver is made anew after so many: it keeps what it has learned, and grows."""


@dataclass(slots=True)
class Questions:
    """A solver with a memory: the same question is asked once.

    `asked` and `unknown` are counts for the report. `laws` hold everywhere; `define` gives some unknowns
    a meaning that holds wherever they are spoken of. One incremental solver
    holds the laws, facts come and go: measured on chains of NAPTs, eight times faster than a new
    solver for each question.
    """

    laws: Facts = ()
    timeout_ms: int = TIMEOUT_MS
    asked: int = 0
    unknown: int = 0
    _solver: Any = None
    _definitions: dict[str, Term] = field(default_factory=dict)
    _symbols: Symbols = field(default_factory=Symbols)
    _answers: dict[tuple[frozenset[int], int], bool] = field(default_factory=dict)
    _kept: list[Any] = field(default_factory=list)

    def is_implied(self, facts: Facts, claim: Term) -> bool:
        """Tell whether the facts imply the claim; *unknown* is no."""
        claim = z3.simplify(claim)
        if z3.is_true(claim):
            return True
        known = frozenset(fact.get_id() for fact in facts)
        if claim.get_id() in known:
            return True
        if opposite(claim).get_id() in known:
            # Facts are those of a way that can be gone, so they do not imply everything. ("No" is safe.)
            return False
        key = (known, claim.get_id())
        if key not in self._answers:
            # Terms are kept alive, or Z3 may give their identity to others.
            self._kept += [claim, *facts]
            self._answers[key] = self.find_model((*facts, z3.Not(claim))) is None
        return self._answers[key]

    def is_implied_after_all(self, facts: Facts, claim: Term) -> bool:
        """Tell whether facts and definitions imply the claim; *unknown* is no.

        Definitions are large and seldom needed, so they are asked last.
        """
        if self.is_implied(facts, claim):
            return True
        defined = self._definitions_of((*facts, claim))
        return bool(defined) and self.is_implied((*facts, *defined), claim)

    def is_possible(self, facts: Facts) -> bool:
        """Tell whether facts and definitions can hold together; *unknown* is yes."""
        return not self.is_implied_after_all(facts, z3.BoolVal(val=False))

    def define(self, unknown: Term, meaning: Term) -> None:
        """Say what an unknown is."""
        self._definitions[unknown.decl().name()] = unknown == meaning

    def meaning_of(self, unknown: Term) -> Term | None:
        """Return what an unknown has been said to be, or None."""
        defined = self._definitions.get(unknown.decl().name())
        return None if defined is None else defined.arg(1)

    def _definitions_of(self, terms: Facts) -> Facts:
        """Return the definitions of all unknowns in terms, and in these definitions."""
        found: dict[str, Term] = {}
        todo = list(terms)
        while todo:
            names = self._symbols.of(todo.pop()) & self._definitions.keys() - found.keys()
            for name in sorted(names):
                found[name] = self._definitions[name]
                todo.append(found[name])
        return tuple(found.values())

    def find_model(self, facts: Iterable[Term]) -> Any:
        """Return a model of the facts, None when there is none, or the reason why it is unknown."""
        if self._solver is None or self.asked % MOST_QUESTIONS == 0:
            self._solver = z3.SimpleSolver()
            self._solver.set("timeout", self.timeout_ms)
            self._solver.add(*self.laws)
        solver = self._solver
        self.asked += 1
        solver.push()
        try:
            solver.add(*facts)
            answer = solver.check()
            if answer == z3.unsat:
                return None
            if answer == z3.unknown:
                self.unknown += 1
                return solver.reason_unknown()
            return solver.model()
        finally:
            solver.pop()


def opposite(claim: Term) -> Term:
    """Return a claim's negation without a negation twice over."""
    return claim.arg(0) if z3.is_not(claim) else z3.Not(claim)
