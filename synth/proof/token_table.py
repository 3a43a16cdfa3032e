"""A keyed table as tokens: see `tokens.py`."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import z3

from synth.graph.nodes import BucketColumn, KeyedTable
from synth.proof.symbols import Term
from synth.proof.token_terms import ENTRY, VERSION, apply, scalar_sort


@dataclass(frozen=True, slots=True)
class Asked:
    """What an operation presupposes.

    That `what` is a live entry of the table `name` at a version of its membership; or, without a version,
    that `what` holds.
    """

    name: str
    membership: Term | None
    what: Term


@dataclass(slots=True)
class TokenTable:
    """A keyed table: `membership`, `timers`, and a version for each value column.

    `asked` takes what operations on entries presuppose.
    """

    shape: KeyedTable
    membership: Term
    timers: Term
    columns: dict[str, Term]
    asked: list[Asked]

    @classmethod
    def initial(cls, shape: KeyedTable, asked: list[Asked]) -> "TokenTable":
        """Return the table in an unknown state."""
        name = shape.name
        return cls(
            shape,
            z3.Const(f"{name}", VERSION),
            z3.Const(f"{name}.timers", VERSION),
            {column.name: z3.Const(f"{name}.{column.name}", VERSION) for column in shape.values},
            asked,
        )

    def copy(self, asked: list[Asked]) -> "TokenTable":
        """Return the same table, to change apart."""
        return TokenTable(self.shape, self.membership, self.timers, dict(self.columns), asked)

    def _ask(self, entry: Term) -> None:
        self.asked.append(Asked(self.shape.name, self.membership, entry))

    def find(self, index: Literal["key", "unique"], key: tuple[Term, ...], now: object) -> tuple[Term, Term]:
        """Answer a lookup."""
        del now
        operands = (self.membership, *key)
        name = f"{self.shape.name}.find.{index}"
        return apply(f"{name}.found", operands, z3.BoolSort()), apply(f"{name}.entry", operands, ENTRY)

    def insert(
        self,
        key: tuple[Term, ...],
        unique: tuple[Term | None, ...],
        values: tuple[Term, ...],
        choose: tuple[int, int, int] | None,
        now: object,
    ) -> tuple[Term, Term]:
        """Insert: success and entry depend on membership alone; everything has a new version."""
        del now
        name = f"{self.shape.name}.insert" + (f".choose{choose}" if choose else "")
        asked = (self.membership, *key, *(scalar for scalar in unique if scalar is not None))
        done, entry = apply(f"{name}.done", asked, z3.BoolSort()), apply(f"{name}.entry", asked, ENTRY)
        for column, value in zip(self.shape.values, _padded(values, len(self.shape.values)), strict=True):
            before = self.columns[column.name]
            given = (before, *asked) if value is None else (before, value, *asked)
            self.columns[column.name] = apply(f"{name}.{column.name}", given, VERSION)
        self.timers = apply(f"{name}.timers", (self.timers, *asked), VERSION)
        self.membership = apply(f"{name}.membership", asked, VERSION)
        return done, entry

    def read(self, entry: Term, column: str) -> Term:
        """Read a column; keys and unique keys never change while an entry lives."""
        self._ask(entry)
        for own in (*self.shape.key, *self.shape.unique):
            if own.name == column:
                sort = scalar_sort(own.width, is_bool=own.is_bool)
                return apply(f"{self.shape.name}.{column}", (self.membership, entry), sort)
        held = next(value for value in self.shape.values if value.name == column)
        if isinstance(held, BucketColumn):
            raise TypeError(f"{column} is a bucket: it is taken from, not read")
        sort = scalar_sort(held.width, is_bool=held.is_bool)
        return apply(f"{self.shape.name}.read.{column}", (self.columns[column], entry), sort)

    def write(self, entry: Term, column: str, value: Term) -> None:
        """Write a value column."""
        self._ask(entry)
        self.columns[column] = apply(
            f"{self.shape.name}.write.{column}", (self.columns[column], entry, value), VERSION
        )

    def touch(self, entry: Term, timer: str, now: object) -> None:
        """Refresh an entry: only its timers change."""
        del now
        self._ask(entry)
        self.timers = apply(f"{self.shape.name}.touch.{timer}", (self.timers, entry), VERSION)

    def remove(self, entry: Term) -> None:
        """Remove an entry: everything has a new version."""
        self._ask(entry)
        name = f"{self.shape.name}.remove"
        self.columns = {
            column: apply(f"{name}.{column}", (before, entry), VERSION)
            for column, before in self.columns.items()
        }
        self.timers = apply(f"{name}.timers", (self.timers, entry), VERSION)
        self.membership = apply(f"{name}.membership", (self.membership, entry), VERSION)

    def take(self, entry: Term, bucket: str, amount: Term, now: object) -> Term:
        """Take from a bucket column."""
        del now
        self._ask(entry)
        operands = (self.columns[bucket], entry, amount)
        taken = apply(f"{self.shape.name}.take.{bucket}", operands, z3.BoolSort())
        self.columns[bucket] = apply(f"{self.shape.name}.taken.{bucket}", operands, VERSION)
        return taken

    def versions(self) -> dict[str, Term]:
        """Return every version by name."""
        name = self.shape.name
        named = {f"{name}.{column}": version for column, version in self.columns.items()}
        return {name: self.membership, f"{name}.timers": self.timers, **named}

    def set_versions(self, versions: Mapping[str, Term]) -> None:
        """Put versions by name in place."""
        name = self.shape.name
        self.membership, self.timers = versions[name], versions[f"{name}.timers"]
        self.columns = {column: versions[f"{name}.{column}"] for column in self.columns}


def _padded(values: tuple[Term, ...], count: int) -> tuple[Term | None, ...]:
    """Return an insert's values with None for the bucket columns, which take none."""
    return (*values, *[None] * (count - len(values)))
