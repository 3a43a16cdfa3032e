"""State as tokens: what an object answers is an unknown function of its version and the question.

Two graphs that ask the same object the same questions in the same order get the same answers,
whatever the object holds: that is all a proof needs when no pass looks into a table. Every
operation that changes an object gives it a new version, an uninterpreted function of the old one and
of the operands, so equal versions at the end mean equal states. A keyed table has one version for
membership, one for its timers and one for each value column: a touch or a column's write changes no
lookup at the same `now`, since every lifetime is positive (`KeyedTable` guarantees it).

Sound: every real state object is one instance of these functions. Not complete: what follows from a
table's own laws (a found entry's key is the key that was looked up) is added where it is named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import z3

from synth.graph.nodes import (
    BucketColumn,
    ChainGraph,
    Counter,
    KeyedTable,
    ListTable,
    Ring,
    RouteTable,
    RuleTable,
    Sketch,
    StateObject,
    TokenBucket,
    Vector,
)

VERSION = z3.DeclareSort("Version")
ENTRY = z3.DeclareSort("Entry")
Term = Any
"""A Z3 expression; Z3 publishes no types."""


def _apply(name: str, arguments: Sequence[Term], result: Any) -> Any:
    """Apply the unknown function of this name to the arguments."""
    return z3.Function(name, *(argument.sort() for argument in arguments), result)(*arguments)


def _scalar_sort(width: int, *, is_bool: bool) -> Any:
    return z3.BoolSort() if is_bool else z3.BitVecSort(width)


@dataclass(slots=True)
class TokenTable:
    """A keyed table: `membership`, `timers`, and a version for each value column."""

    shape: KeyedTable
    membership: Term
    timers: Term
    columns: dict[str, Term]

    @classmethod
    def initial(cls, shape: KeyedTable) -> "TokenTable":
        """Return the table in an unknown state."""
        name = shape.name
        return cls(
            shape,
            z3.Const(f"{name}", VERSION),
            z3.Const(f"{name}.timers", VERSION),
            {column.name: z3.Const(f"{name}.{column.name}", VERSION) for column in shape.values},
        )

    def copy(self) -> "TokenTable":
        """Return the same table, to change apart."""
        return TokenTable(self.shape, self.membership, self.timers, dict(self.columns))

    def find(self, index: Literal["key", "unique"], key: tuple[Term, ...], now: object) -> tuple[Term, Term]:
        """Answer a lookup."""
        del now
        operands = (self.membership, *key)
        name = f"{self.shape.name}.find.{index}"
        return _apply(f"{name}.found", operands, z3.BoolSort()), _apply(f"{name}.entry", operands, ENTRY)

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
        done, entry = _apply(f"{name}.done", asked, z3.BoolSort()), _apply(f"{name}.entry", asked, ENTRY)
        for column, value in zip(self.shape.values, _padded(values, len(self.shape.values)), strict=True):
            before = self.columns[column.name]
            given = (before, *asked) if value is None else (before, value, *asked)
            self.columns[column.name] = _apply(f"{name}.{column.name}", given, VERSION)
        self.timers = _apply(f"{name}.timers", (self.timers, *asked), VERSION)
        self.membership = _apply(f"{name}.membership", asked, VERSION)
        return done, entry

    def read(self, entry: Term, column: str) -> Term:
        """Read a column; keys and unique keys never change while an entry lives."""
        for own in (*self.shape.key, *self.shape.unique):
            if own.name == column:
                sort = _scalar_sort(own.width, is_bool=own.is_bool)
                return _apply(f"{self.shape.name}.{column}", (self.membership, entry), sort)
        held = next(value for value in self.shape.values if value.name == column)
        if isinstance(held, BucketColumn):
            raise TypeError(f"{column} is a bucket: it is taken from, not read")
        sort = _scalar_sort(held.width, is_bool=held.is_bool)
        return _apply(f"{self.shape.name}.read.{column}", (self.columns[column], entry), sort)

    def write(self, entry: Term, column: str, value: Term) -> None:
        """Write a value column."""
        self.columns[column] = _apply(
            f"{self.shape.name}.write.{column}", (self.columns[column], entry, value), VERSION
        )

    def touch(self, entry: Term, timer: str, now: object) -> None:
        """Refresh an entry: only its timers change."""
        del now
        self.timers = _apply(f"{self.shape.name}.touch.{timer}", (self.timers, entry), VERSION)

    def remove(self, entry: Term) -> None:
        """Remove an entry: everything has a new version."""
        name = f"{self.shape.name}.remove"
        self.columns = {
            column: _apply(f"{name}.{column}", (before, entry), VERSION)
            for column, before in self.columns.items()
        }
        self.timers = _apply(f"{name}.timers", (self.timers, entry), VERSION)
        self.membership = _apply(f"{name}.membership", (self.membership, entry), VERSION)

    def take(self, entry: Term, bucket: str, amount: Term, now: object) -> Term:
        """Take from a bucket column."""
        del now
        operands = (self.columns[bucket], entry, amount)
        taken = _apply(f"{self.shape.name}.take.{bucket}", operands, z3.BoolSort())
        self.columns[bucket] = _apply(f"{self.shape.name}.taken.{bucket}", operands, VERSION)
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


@dataclass(slots=True)
class TokenObject:
    """Any other mutable object: one version, `ask` and `change` by the operation's name."""

    name: str
    version: Term

    def ask(self, question: str, operands: tuple[Term, ...], sort: Any) -> Term:
        """Return the answer to a question that changes nothing."""
        answer: Term = _apply(f"{self.name}.{question}", (self.version, *operands), sort)
        return answer

    def change(self, what: str, operands: tuple[Term, ...]) -> None:
        """Give the object its next version."""
        self.version = _apply(f"{self.name}.{what}", (self.version, *operands), VERSION)


@dataclass(slots=True)
class TokenVector:
    """A vector of rows."""

    shape: Vector
    tokens: TokenObject

    def read(self, index: Term) -> tuple[Term, ...]:
        """Read a cell."""
        return tuple(
            self.tokens.ask(
                f"read.{column.name}", (index,), _scalar_sort(column.width, is_bool=column.is_bool)
            )
            for column in self.shape.columns
        )

    def write(self, index: Term, values: tuple[Term, ...]) -> None:
        """Write a cell."""
        self.tokens.change("write", (index, *values))


@dataclass(slots=True)
class TokenBucketObject:
    """A token bucket."""

    tokens: TokenObject

    def take(self, amount: Term, now: object) -> Term:
        """Take, or not."""
        del now
        taken = self.tokens.ask("take", (amount,), z3.BoolSort())
        self.tokens.change("taken", (amount,))
        return taken


@dataclass(slots=True)
class TokenSketch:
    """A count-min sketch."""

    tokens: TokenObject

    def add(self, key: tuple[Term, ...], amount: Term) -> None:
        """Add to a key."""
        self.tokens.change("add", (*key, amount))

    def estimate(self, key: tuple[Term, ...]) -> Term:
        """Estimate a key."""
        return self.tokens.ask("estimate", key, z3.BitVecSort(32))


@dataclass(slots=True)
class CounterSum:
    """A counter as the sum of what is added, so that additions may pass each other."""

    sum: Term

    def add(self, amount: Term) -> None:
        """Add 64 bits, modulo 2^64."""
        self.sum = z3.simplify(self.sum + amount)


@dataclass(frozen=True, slots=True)
class TokenRules:
    """A rule set: an unknown function of all that a rule can ask of a packet."""

    name: str

    def decide(self, packet: Any) -> tuple[Term, Term, Term]:
        """Decide a packet."""
        asked = packet.rule_inputs()
        return (
            _apply(f"{self.name}.matched", asked, z3.BoolSort()),
            _apply(f"{self.name}.permits", asked, z3.BoolSort()),
            _apply(f"{self.name}.index", asked, z3.BitVecSort(32)),
        )


@dataclass(frozen=True, slots=True)
class TokenRows:
    """A static table that gives rows: routes and lists (`has_presence`), rings."""

    name: str
    sorts: tuple[Any, ...]
    has_presence: bool

    def look_up(self, by: Term) -> tuple[Term, ...]:
        """Look a row up."""
        row = tuple(_apply(f"{self.name}.{place}", (by,), sort) for place, sort in enumerate(self.sorts))
        return (_apply(f"{self.name}.present", (by,), z3.BoolSort()), *row) if self.has_presence else row


@dataclass(slots=True)
class TokenState:
    """All state objects of a chain, as the evaluator asks for them."""

    tables: dict[str, TokenTable] = field(default_factory=dict)
    vectors: dict[str, TokenVector] = field(default_factory=dict)
    counters: dict[str, CounterSum] = field(default_factory=dict)
    buckets: dict[str, TokenBucketObject] = field(default_factory=dict)
    sketches: dict[str, TokenSketch] = field(default_factory=dict)
    rules: dict[str, TokenRules] = field(default_factory=dict)
    rows: dict[str, TokenRows] = field(default_factory=dict)
    unobserved: frozenset[str] = frozenset()

    def fork(self) -> "TokenState":
        """Return a state that changes apart."""
        return TokenState(
            tables={name: table.copy() for name, table in self.tables.items()},
            vectors={n: TokenVector(v.shape, replace(v.tokens)) for n, v in self.vectors.items()},
            counters={name: replace(counter) for name, counter in self.counters.items()},
            buckets={n: TokenBucketObject(replace(b.tokens)) for n, b in self.buckets.items()},
            sketches={n: TokenSketch(replace(s.tokens)) for n, s in self.sketches.items()},
            rules=self.rules,
            rows=self.rows,
            unobserved=self.unobserved,
        )

    def _observed_tables(self) -> list[TokenTable]:
        return [table for name, table in self.tables.items() if name not in self.unobserved]

    def _observed_objects(self) -> list[TokenObject]:
        groups = (self.vectors.values(), self.buckets.values(), self.sketches.values())
        objects = [one.tokens for group in groups for one in group]
        return [found for found in objects if found.name not in self.unobserved]

    def versions(self) -> dict[str, Term]:
        """Return all that can have changed and that somebody can observe, by name."""
        found: dict[str, Term] = {}
        for table in self._observed_tables():
            found |= table.versions()
        found |= {one.name: one.version for one in self._observed_objects()}
        return found | {name: counter.sum for name, counter in self.counters.items()}

    def set_versions(self, versions: Mapping[str, Term]) -> None:
        """Put versions by name in place."""
        for table in self._observed_tables():
            table.set_versions(versions)
        for one in self._observed_objects():
            one.version = versions[one.name]
        for name, counter in self.counters.items():
            counter.sum = versions[name]


def initial_state(graph: ChainGraph, unobserved: frozenset[str] = frozenset()) -> TokenState:
    """Return a chain's state objects, each in an unknown state. Nobody can see the `unobserved`."""
    state = TokenState(unobserved=unobserved)
    columns = {found.name: found.columns for found in graph.states if isinstance(found, ListTable)}
    for found in graph.states:
        _add(state, found, columns)
    return state


def _add(state: TokenState, found: StateObject, list_columns: Mapping[str, Any]) -> None:
    name = found.name
    match found:
        case KeyedTable():
            state.tables[name] = TokenTable.initial(found)
        case Vector():
            state.vectors[name] = TokenVector(found, _object(name))
        case Counter():
            state.counters[name] = CounterSum(z3.BitVec(name, 64))
        case TokenBucket():
            state.buckets[name] = TokenBucketObject(_object(name))
        case Sketch():
            state.sketches[name] = TokenSketch(_object(name))
        case RuleTable():
            state.rules[name] = TokenRules(name)
        case RouteTable(columns=columns) | ListTable(columns=columns):
            state.rows[name] = TokenRows(name, _sorts(columns), has_presence=True)
        case Ring(list=rows):
            state.rows[name] = TokenRows(name, _sorts(list_columns[rows]), has_presence=False)


def _sorts(columns: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(_scalar_sort(column.width, is_bool=column.is_bool) for column in columns)


def _object(name: str) -> TokenObject:
    return TokenObject(name, z3.Const(name, VERSION))
