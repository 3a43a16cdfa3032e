"""State as tokens: what an object answers is an unknown function of its version and the question.

Two graphs that ask the same object the same questions in the same order get the same answers,
whatever the object holds: that is all a proof needs when no pass looks into a table. Every
operation that changes an object gives it a new version, an uninterpreted function of the old one and
of the operands, so equal versions at the end mean equal states. A keyed table has one version for
membership, one for its timers and one for each value column: a touch or a column's write changes no
lookup at the same `now`, since every lifetime is positive (`KeyedTable` guarantees it).
An operation that presupposes something (a live entry, an index in range) is noted as `Asked`, for the
result must not do it where the chain as written would not.

Sound: every real state object is one instance of these functions. Not complete: what follows from a
table's own laws (a found entry's key is the key that was looked up) is added where it is named.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

import z3

from synth.graph.evaluator.domain import rows_by
from synth.graph.nodes import (
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
from synth.proof.rule_sets import ALL_ALIKE, Answers
from synth.proof.symbols import Term
from synth.proof.token_table import Asked, TokenTable
from synth.proof.token_terms import VERSION, apply, scalar_sort


@dataclass(slots=True)
class TokenObject:
    """Any other mutable object: one version, `ask` and `change` by the operation's name."""

    name: str
    version: Term

    def ask(self, question: str, operands: tuple[Term, ...], sort: Any) -> Term:
        """Return the answer to a question that changes nothing."""
        answer: Term = apply(f"{self.name}.{question}", (self.version, *operands), sort)
        return answer

    def change(self, what: str, operands: tuple[Term, ...]) -> None:
        """Give the object its next version."""
        self.version = apply(f"{self.name}.{what}", (self.version, *operands), VERSION)


@dataclass(slots=True)
class TokenVector:
    """A vector of rows."""

    shape: Vector
    tokens: TokenObject
    asked: list[Asked]

    def read(self, index: Term) -> tuple[Term, ...]:
        """Read a cell."""
        self._ask(index)
        return tuple(
            self.tokens.ask(
                f"read.{column.name}", (index,), scalar_sort(column.width, is_bool=column.is_bool)
            )
            for column in self.shape.columns
        )

    def write(self, index: Term, values: tuple[Term, ...]) -> None:
        """Write a cell."""
        self._ask(index)
        self.tokens.change("write", (index, *values))

    def _ask(self, index: Term) -> None:
        if self.shape.size < 1 << index.size():
            self.asked.append(Asked(self.shape.name, None, z3.ULT(index, self.shape.size)))


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
    """A rule set: an unknown function of all that a rule can ask of a packet.

    A packet that no rule matches is not permitted, and its rule is number 0. Answers that are not `alike`
    on both sides are functions of their own here.
    """

    name: str
    alike: Answers = ALL_ALIKE

    def decide(self, packet: Any) -> tuple[Term, Term, Term]:
        """Decide a packet."""
        asked = packet.rule_inputs()
        permits = self._answer("permits", asked, z3.BoolSort(), is_alike=self.alike.permits)
        # Whether a rule matches without permitting: with `permits` it says `matched`, and no law is needed.
        denies = self._answer(
            "denies", asked, z3.BoolSort(), is_alike=self.alike.matched and self.alike.permits
        )
        index = self._answer("index", asked, z3.BitVecSort(32), is_alike=self.alike.index)
        matched = z3.Or(permits, denies)
        return matched, permits, z3.If(matched, index, z3.BitVecVal(0, 32))

    def _answer(self, name: str, asked: Sequence[Term], sort: Any, *, is_alike: bool) -> Term:
        return apply(f"{self.name}.{name}{'' if is_alike else '.live'}", asked, sort)


@dataclass(frozen=True, slots=True)
class TokenRows:
    """A static table that gives rows: routes and lists (`has_presence`), rings."""

    name: str
    sorts: tuple[Any, ...]
    has_presence: bool

    def look_up(self, by: Term) -> tuple[Term, ...]:
        """Look a row up."""
        row = tuple(apply(f"{self.name}.{place}", (by,), sort) for place, sort in enumerate(self.sorts))
        return (apply(f"{self.name}.present", (by,), z3.BoolSort()), *row) if self.has_presence else row


@dataclass(slots=True)
class TokenState:
    """All state objects of a chain, as the evaluator asks for them.

    `asked` is what operations presupposed since somebody last looked.
    """

    tables: dict[str, TokenTable] = field(default_factory=dict)
    vectors: dict[str, TokenVector] = field(default_factory=dict)
    counters: dict[str, CounterSum] = field(default_factory=dict)
    buckets: dict[str, TokenBucketObject] = field(default_factory=dict)
    sketches: dict[str, TokenSketch] = field(default_factory=dict)
    rules: dict[str, TokenRules] = field(default_factory=dict)
    rows: dict[str, TokenRows] = field(default_factory=dict)
    unobserved: frozenset[str] = frozenset()
    asked: list[Asked] = field(default_factory=list)

    def fork(self) -> "TokenState":
        """Return a state that changes apart."""
        asked = list(self.asked)
        return TokenState(
            tables={name: table.copy(asked) for name, table in self.tables.items()},
            vectors={n: TokenVector(v.shape, replace(v.tokens), asked) for n, v in self.vectors.items()},
            counters={name: replace(counter) for name, counter in self.counters.items()},
            buckets={n: TokenBucketObject(replace(b.tokens)) for n, b in self.buckets.items()},
            sketches={n: TokenSketch(replace(s.tokens)) for n, s in self.sketches.items()},
            rules=self.rules,
            rows=self.rows,
            unobserved=self.unobserved,
            asked=asked,
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


def initial_state(
    graph: ChainGraph,
    unobserved: frozenset[str] = frozenset(),
    alike: Mapping[str, Answers] = MappingProxyType({}),
) -> TokenState:
    """Return a chain's state objects, each in an unknown state. Nobody can see the `unobserved`.

    `alike` are the rule sets that answer only in part as those of the other side do.
    """
    state = TokenState(unobserved=unobserved)
    state.rules |= {name: TokenRules(name, answers) for name, answers in alike.items()}
    columns = {found.name: found.columns for found in graph.states if isinstance(found, ListTable)}
    for found in graph.states:
        _add(state, found, columns)
    return state


def _add(state: TokenState, found: StateObject, list_columns: Mapping[str, Any]) -> None:
    name = found.name
    match found:
        case KeyedTable():
            state.tables[name] = TokenTable.initial(found, state.asked)
        case Vector():
            state.vectors[name] = TokenVector(found, _object(name), state.asked)
        case Counter():
            state.counters[name] = CounterSum(z3.BitVec(name, 64))
        case TokenBucket():
            state.buckets[name] = TokenBucketObject(_object(name))
        case Sketch():
            state.sketches[name] = TokenSketch(_object(name))
        case RuleTable():
            state.rules.setdefault(name, TokenRules(name))
        case RouteTable(columns=columns):
            state.rows[name] = TokenRows(name, _sorts(columns), has_presence=True)
        case ListTable(columns=columns):
            for rows in (name, *(rows_by(name, at) for at in range(len(columns)))):
                state.rows[rows] = TokenRows(rows, _sorts(columns), has_presence=True)
        case Ring(list=rows):
            state.rows[name] = TokenRows(name, _sorts(list_columns[rows]), has_presence=False)


def _sorts(columns: Sequence[Any]) -> tuple[Any, ...]:
    return tuple(scalar_sort(column.width, is_bool=column.is_bool) for column in columns)


def _object(name: str) -> TokenObject:
    return TokenObject(name, z3.Const(name, VERSION))
