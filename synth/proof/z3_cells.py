"""Vectors, counters, token buckets and sketches over Z3 terms."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import z3

from synth.graph.nodes import Sketch, TokenBucket, Vector
from synth.proof.z3_maps import Row, Term, TermMap
from synth.proof.z3_table import take_tokens


@dataclass(slots=True)
class Z3Vector:
    """A function of the index for each column."""

    shape: Vector
    columns: tuple[TermMap, ...]

    def fork(self) -> "Z3Vector":
        return replace(self)

    def read(self, index: Term) -> Row:
        return tuple(column.read((index,)) for column in self.columns)

    def write(self, index: Term, values: Row) -> None:
        self.columns = tuple(
            column.write((index,), value) for column, value in zip(self.columns, values, strict=True)
        )


@dataclass(slots=True)
class Z3Counter:
    """What this run added, modulo 2^64."""

    added: Term

    def fork(self) -> "Z3Counter":
        return replace(self)

    def add(self, amount: Term) -> None:
        self.added = self.added + amount


@dataclass(slots=True)
class Z3Bucket:
    shape: TokenBucket
    tokens: Term
    filled: Term

    def fork(self) -> "Z3Bucket":
        return replace(self)

    def take(self, amount: Term, now: Term) -> Term:
        taken, self.tokens = take_tokens(self.shape, self.tokens, now - self.filled, amount)
        self.filled = now
        return taken


@dataclass(slots=True)
class Z3Sketch:
    """A function from row and column to a counter of 32 bits."""

    shape: Sketch
    counters: TermMap
    hash_function: Callable[[Sequence[Term]], Term]

    def fork(self) -> "Z3Sketch":
        return replace(self)

    def add(self, key: Row, amount: Term) -> None:
        limit = z3.BitVecVal(0xFFFFFFFF, 65)
        for cell in self._cells(key):
            wide = z3.ZeroExt(33, self.counters.read(cell)) + z3.ZeroExt(65 - amount.size(), amount)
            after = z3.Extract(31, 0, z3.If(z3.UGT(wide, limit), limit, wide))
            self.counters = self.counters.write(cell, after)

    def estimate(self, key: Row) -> Term:
        least = z3.BitVecVal(0xFFFFFFFF, 32)
        for cell in self._cells(key):
            count = self.counters.read(cell)
            least = z3.If(z3.ULT(count, least), count, least)
        return least

    def _cells(self, key: Row) -> list[Row]:
        rows = [z3.BitVecVal(row, 8) for row in range(self.shape.rows)]
        return [(row, z3.URem(self.hash_function((*key, row)), self.shape.columns)) for row in rows]
