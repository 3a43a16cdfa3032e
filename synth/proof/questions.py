"""Questions to Z3, each under known facts. *Unknown* is an answer of its own, and means no."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import z3

Term = Any
"""A Z3 expression; Z3 publishes no types."""
Facts = tuple[Term, ...]

TIMEOUT_MS = 5_000


@dataclass(slots=True)
class Questions:
    """A solver with a memory: the same question is asked once.

    `asked` and `unknown` are counts for the report. `laws` hold everywhere.
    """

    laws: Facts = ()
    timeout_ms: int = TIMEOUT_MS
    asked: int = 0
    unknown: int = 0
    _answers: dict[tuple[frozenset[int], int], bool] = field(default_factory=dict)
    _kept: list[Any] = field(default_factory=list)

    def is_implied(self, facts: Facts, claim: Term) -> bool:
        """Tell whether the facts imply the claim; *unknown* is no."""
        claim = z3.simplify(claim)
        if z3.is_true(claim):
            return True
        if any(claim.eq(fact) for fact in facts):
            return True
        key = (frozenset(fact.get_id() for fact in facts), claim.get_id())
        if key not in self._answers:
            # Terms are kept alive, or Z3 may give their identity to others.
            self._kept += [claim, *facts]
            self._answers[key] = self.find_model((*facts, z3.Not(claim))) is None
        return self._answers[key]

    def is_possible(self, facts: Facts) -> bool:
        """Tell whether the facts can hold together; *unknown* is yes."""
        return not self.is_implied(facts, z3.BoolVal(val=False))

    def find_model(self, facts: Iterable[Term]) -> Any:
        """Return a model of the facts, None when there is none, or the reason why it is unknown."""
        solver = z3.Solver()
        solver.set("timeout", self.timeout_ms)
        solver.add(*self.laws, *facts)
        self.asked += 1
        answer = solver.check()
        if answer == z3.unsat:
            return None
        if answer == z3.unknown:
            self.unknown += 1
            return solver.reason_unknown()
        return solver.model()
