"""Linear algebra over GF(2). A vector is an int, a bit for each coordinate; addition is XOR."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field


@dataclass(slots=True)
class Rows:
    """The span of the rows that were added, in echelon form: each row is kept under its highest bit."""

    pivots: dict[int, int] = field(default_factory=dict)

    def add(self, row: int) -> bool:
        """Add a row; tell whether the span grew."""
        pivots = self.pivots
        while row:
            top = row.bit_length() - 1
            pivot = pivots.get(top)
            if pivot is None:
                pivots[top] = row
                return True
            row ^= pivot
        return False

    def holds(self, row: int) -> bool:
        """Tell whether a row is in the span."""
        while row:
            pivot = self.pivots.get(row.bit_length() - 1)
            if pivot is None:
                return False
            row ^= pivot
        return True

    @property
    def rank(self) -> int:
        """The dimension of the span."""
        return len(self.pivots)

    def below(self, width: int) -> "Rows":
        """Return the rows that use only the lowest `width` coordinates.

        These are the consequences of the equations for those coordinates when all others can be anything:
        the exact projection of their solutions.
        """
        return Rows({top: row for top, row in self.pivots.items() if top < width})

    def reduced(self) -> dict[int, int]:
        """Return the reduced echelon form: no row holds another's highest bit."""
        done: dict[int, int] = {}
        mask = 0
        for top in sorted(self.pivots):
            row = self.pivots[top]
            for other in bits(row & mask):
                row ^= done[other]
            done[top] = row
            mask |= 1 << top
        return done

    def null_space(self, width: int) -> tuple[int, ...]:
        """Return a basis of the vectors of `width` coordinates that every row is orthogonal to."""
        basis = {free: 1 << free for free in range(width) if free not in self.pivots}
        for top, row in self.reduced().items():
            for free in bits(row ^ 1 << top):
                basis[free] |= 1 << top
        return tuple(basis.values())


def span(rows: Iterable[int]) -> Rows:
    """Return the span of rows."""
    found = Rows()
    for row in rows:
        found.add(row)
    return found


def bits(row: int) -> Iterator[int]:
    """Yield the coordinates that are one, lowest first."""
    while row:
        low = row & -row
        yield low.bit_length() - 1
        row ^= low


def elements(generators: Iterable[int]) -> tuple[int, ...]:
    """Return every sum of some generators, once, in ascending order."""
    found = [0]
    for row in span(generators).pivots.values():
        found += [row ^ other for other in found]
    return tuple(sorted(found))


def transpose(rows: tuple[int, ...], width: int) -> tuple[int, ...]:
    """Return the columns of a matrix: bit r of column c is bit c of row r."""
    return tuple(
        sum((row >> column & 1) << place for place, row in enumerate(rows)) for column in range(width)
    )
