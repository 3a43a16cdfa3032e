"""A keyed table over Z3 terms.

Times are integers: `now` never goes back and stays below 2^63 ns, so the signed 64-bit difference is
the plain one. The handle to an entry is its key. What is live depends on `now` alone; how many entries
are live (for "full") is a ghost count, as cardinality is not first-order.

A lookup by unique key asks the owner's own unique key back, so `owner` may hold stale keys. That a live
entry *is* its unique key's owner is an invariant of the table: with an unknown initial state, state it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

import z3

from synth.graph.nodes import BucketColumn, Column, KeyedTable, TokenBucket
from synth.proof.z3_domain import constant
from synth.proof.z3_maps import Row, Term, TermMap, constant_map, unknown_map

PARTS_PER_BYTE = 8 * 1_000_000_000


@dataclass(frozen=True, slots=True)
class SymbolicChoice:
    """A `choose` on one path: any free value, if there is one.

    Attributes:
        value: the unknown that stands for it.
        exists: the unknown Boolean that says whether a value is free.
        is_free: tells of any value whether it could be chosen.
        law: what is known of both. That nothing is free when `exists` is false is left to who
            needs it: it speaks of all values of the range.
    """

    table: str
    value: Term
    exists: Term
    low: int
    high: int
    is_free: Callable[[Term], Term]

    @property
    def law(self) -> Term:
        within = z3.And(z3.ULE(self.low, self.value), z3.ULE(self.value, self.high))
        return z3.Implies(self.exists, z3.And(within, self.is_free(self.value)))


@dataclass(slots=True)
class Z3Table:
    """A table on one path. `columns` are its scalars but the key; `choices` were made on this path."""

    shape: KeyedTable
    present: TermMap
    timer: TermMap
    touched: TermMap
    owner: tuple[TermMap, ...]
    columns: Mapping[str, TermMap]
    tokens: Mapping[str, TermMap]
    filled: Mapping[str, TermMap]
    live_count: Term
    choices: list[SymbolicChoice] = field(default_factory=list)

    def fork(self) -> "Z3Table":
        return replace(self, choices=list(self.choices))

    def is_live(self, key: Row, now: Term) -> Term:
        """Return that there is a live entry with this key."""
        if not self.shape.timers:
            return self.present.read(key)
        return z3.And(self.present.read(key), now - self.touched.read(key) < self._lifetime(key))

    def _lifetime(self, key: Row) -> Term:
        timer = self.timer.read(key)
        lifetime = z3.IntVal(self.shape.timers[0][1])
        for number, (_, other) in enumerate(self.shape.timers[1:], start=1):
            lifetime = z3.If(timer == number, z3.IntVal(other), lifetime)
        return lifetime

    def owner_of(self, unique: Row) -> Row:
        """Return the key of the entry that has this unique key, if any has."""
        return tuple(part.read(unique) for part in self.owner)

    def unique_of(self, key: Row) -> Row:
        """Return an entry's unique key."""
        return tuple(self.columns[column.name].read(key) for column in self.shape.unique)

    def is_taken(self, unique: Row, now: Term) -> Term:
        """Return that a live entry has this unique key."""
        key = self.owner_of(unique)
        own = self.unique_of(key)
        return z3.And(
            self.is_live(key, now), *(mine == asked for mine, asked in zip(own, unique, strict=True))
        )

    def find(self, index: Literal["key", "unique"], key: Row, now: Term) -> tuple[Term, Row]:
        if index == "key":
            return self.is_live(key, now), key
        return self.is_taken(key, now), self.owner_of(key)

    def insert(
        self,
        key: Row,
        unique: tuple[Term | None, ...],
        values: Row,
        choose: tuple[int, int, int] | None,
        now: Term,
    ) -> tuple[Term, Row]:
        second, is_free = self._second_key(unique, choose, now)
        room = self.live_count < self.shape.capacity
        done = z3.And(room, z3.Not(self.is_live(key, now)), is_free)
        self.present = self.present.write_if(done, key, z3.BoolVal(True))  # noqa: FBT003 - a term's value
        self.timer = self.timer.write_if(done, key, z3.IntVal(0))
        self.touched = self.touched.write_if(done, key, now)
        self.owner = tuple(
            part.write_if(done, second, own) for part, own in zip(self.owner, key, strict=bool(self.owner))
        )
        names = [
            column.name for column in (*self.shape.unique, *self.shape.values) if isinstance(column, Column)
        ]
        written = {
            name: self.columns[name].write_if(done, key, value)
            for name, value in zip(names, (*second, *values), strict=True)
        }
        self.columns = {**self.columns, **written}
        self._fill(done, key, now)
        self.live_count = z3.If(done, self.live_count + 1, self.live_count)
        return done, key

    def _second_key(
        self, unique: tuple[Term | None, ...], choose: tuple[int, int, int] | None, now: Term
    ) -> tuple[Row, Term]:
        """Return the unique key, its choice made, and that it is free."""
        if choose is None:
            second = tuple(unique)
            return second, z3.Not(self.is_taken(second, now)) if second else z3.BoolVal(True)  # noqa: FBT003
        position, low, high = choose
        name = f"{self.shape.name}.choice!{len(self.choices)}"
        value = z3.BitVec(name, self.shape.unique[position].width)
        before = replace(self)

        def with_value(of: Term) -> Row:
            return (*unique[:position], of, *unique[position + 1 :])

        choice = SymbolicChoice(
            table=self.shape.name,
            value=value,
            exists=z3.Bool(f"{name}.exists"),
            low=low,
            high=high,
            is_free=lambda of: z3.Not(before.is_taken(with_value(of), now)),
        )
        self.choices.append(choice)
        return with_value(value), choice.exists

    def _fill(self, done: Term, key: Row, now: Term) -> None:
        for column in self._bucket_columns():
            full = z3.IntVal(column.burst * PARTS_PER_BYTE)
            self.tokens = {**self.tokens, column.name: self.tokens[column.name].write_if(done, key, full)}
            self.filled = {**self.filled, column.name: self.filled[column.name].write_if(done, key, now)}

    def _bucket_columns(self) -> list[BucketColumn]:
        return [column for column in self.shape.values if isinstance(column, BucketColumn)]

    def read(self, entry: Row, column: str) -> Term:
        for own, part in zip(self.shape.key, entry, strict=True):
            if own.name == column:
                return part
        return self.columns[column].read(entry)

    def write(self, entry: Row, column: str, value: Term) -> None:
        self.columns = {**self.columns, column: self.columns[column].write(entry, value)}

    def touch(self, entry: Row, timer: str, now: Term) -> None:
        number = [name for name, _ in self.shape.timers].index(timer)
        self.timer = self.timer.write(entry, z3.IntVal(number))
        self.touched = self.touched.write(entry, now)

    def remove(self, entry: Row) -> None:
        self.present = self.present.write(entry, z3.BoolVal(False))  # noqa: FBT003 - a term's value
        self.live_count = self.live_count - 1

    def take(self, entry: Row, bucket: str, amount: Term, now: Term) -> Term:
        column = next(column for column in self._bucket_columns() if column.name == bucket)
        before, filled = self.tokens[bucket].read(entry), self.filled[bucket].read(entry)
        taken, after = take_tokens(column, before, now - filled, amount)
        self.tokens = {**self.tokens, bucket: self.tokens[bucket].write(entry, after)}
        self.filled = {**self.filled, bucket: self.filled[bucket].write(entry, now)}
        return taken


def take_tokens(
    bucket: BucketColumn | TokenBucket, tokens: Term, passed: Term, amount: Term
) -> tuple[Term, Term]:
    """Return whether an amount is in a bucket after a time, and the tokens left."""
    full = z3.IntVal(bucket.burst * PARTS_PER_BYTE)
    grown = tokens + passed * bucket.rate
    filled = z3.If(grown < full, grown, full)
    wanted = z3.BV2Int(amount) * PARTS_PER_BYTE
    taken = wanted <= filled
    return taken, z3.If(taken, filled - wanted, filled)


def column_sort(column: Column) -> z3.SortRef:
    """Return the sort of a column's scalars."""
    return z3.BoolSort() if column.is_bool else z3.BitVecSort(column.width)


def unknown_table(shape: KeyedTable) -> Z3Table:
    """Return a table in an unknown state."""
    name = shape.name
    scalars = [column for column in (*shape.unique, *shape.values) if isinstance(column, Column)]
    buckets = [column.name for column in shape.values if isinstance(column, BucketColumn)]
    return Z3Table(
        shape=shape,
        present=unknown_map(f"{name}.present", z3.BoolSort()),
        timer=unknown_map(f"{name}.timer", z3.IntSort()),
        touched=unknown_map(f"{name}.touched", z3.IntSort()),
        owner=tuple(
            unknown_map(f"{name}.owner.{part.name}", column_sort(part)) for part in _owner_parts(shape)
        ),
        columns={part.name: unknown_map(f"{name}.{part.name}", column_sort(part)) for part in scalars},
        tokens={bucket: unknown_map(f"{name}.{bucket}.tokens", z3.IntSort()) for bucket in buckets},
        filled={bucket: unknown_map(f"{name}.{bucket}.filled", z3.IntSort()) for bucket in buckets},
        live_count=z3.Int(f"{name}.live_count"),
    )


def empty_table(shape: KeyedTable) -> Z3Table:
    """Return the table that a chain starts with."""
    scalars = [column for column in (*shape.unique, *shape.values) if isinstance(column, Column)]
    buckets = [column.name for column in shape.values if isinstance(column, BucketColumn)]
    zero = constant_map(z3.IntVal(0))
    return Z3Table(
        shape=shape,
        present=constant_map(z3.BoolVal(False)),  # noqa: FBT003 - a term's value
        timer=zero,
        touched=zero,
        owner=tuple(_zeros(part) for part in _owner_parts(shape)),
        columns={part.name: _zeros(part) for part in scalars},
        tokens=dict.fromkeys(buckets, zero),
        filled=dict.fromkeys(buckets, zero),
        live_count=z3.IntVal(0),
    )


def _owner_parts(shape: KeyedTable) -> tuple[Column, ...]:
    return shape.key if shape.unique else ()


def _zeros(column: Column) -> TermMap:
    return constant_map(constant(0, column.width, is_bool=column.is_bool))
