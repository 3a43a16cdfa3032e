"""Functions from rows of terms to terms, with writes: how state is held in the Z3 domain.

A write is expanded to `if key = k then v else old` when the function is read . Measured: with
functions and one query for each path, questions are answered in 0.01 s that with arrays were not in 60 s.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import z3

Term = Any
Row = tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class TermMap:
    """A function: what it was at first, and the writes since, oldest first."""

    initial: Callable[[Row], Term]
    writes: tuple[tuple[Row, Term], ...] = ()

    def read(self, key: Row) -> Term:
        """Return the function's value for a key."""
        value = self.initial(key)
        for written, new in self.writes:
            value = z3.If(equal(key, written), new, value)
        return value

    def write(self, key: Row, value: Term) -> "TermMap":
        """Return the function with another value for one key."""
        return TermMap(self.initial, (*self.writes, (key, value)))

    def write_if(self, condition: Term, key: Row, value: Term) -> "TermMap":
        """Return the function with another value for one key, where the condition holds."""
        return self.write(key, z3.If(condition, value, self.read(key)))


def unknown_map(name: str, result: z3.SortRef) -> TermMap:
    """Return a function of which nothing is known."""
    return TermMap(lambda key: z3.Function(name, *(part.sort() for part in key), result)(*key))


def constant_map(value: Term) -> TermMap:
    """Return the function that has one value everywhere."""
    return TermMap(lambda _: value)


def equal(left: Sequence[Term], right: Sequence[Term]) -> Term:
    """Return that two rows are equal."""
    return z3.And(*(one == other for one, other in zip(left, right, strict=True)))
