"""What the evaluator asks of a domain: scalars, packets, state objects, and the choice at a branch.

A domain is what values are made of. Over integers the evaluator is the interpreter; over Z3 terms it says
what a graph means for proofs. A domain's operations are asked for once, when a graph is prepared, and
come as functions. Type variables: V a scalar, P a packet, C a path condition.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeVar

from synth.graph.nodes import BinaryOp, Type, UnaryOp

V = TypeVar("V")
P = TypeVar("P")
P_contra = TypeVar("P_contra", contravariant=True)
V_co = TypeVar("V_co", covariant=True)
V_contra = TypeVar("V_contra", contravariant=True)
C = TypeVar("C")
Handle = Any
"""A handle to an entry, or a packet or scalar where any will do: passes through the evaluator untouched."""
Time = Any
"""A time: the domain's own affair too."""


class Domain(Protocol[V, P, C]):
    """Scalars and packets, with the meaning that `nodes.py` states for each operation."""

    def constant(self, value: int, of: Type) -> V: ...

    def unary(self, op: UnaryOp, of: Type) -> Callable[[V], V]: ...

    def binary(self, op: BinaryOp, of: Type) -> Callable[[V, V], V]: ...

    def select(self, of: Type) -> Callable[[V, Handle, Handle], Handle]: ...

    def resize(self, of: Type, to: Type) -> Callable[[V], V]: ...

    def hash(self, of: tuple[Type, ...]) -> Callable[[Sequence[V]], V]: ...

    def has(self, header: str) -> Callable[[P], V]: ...

    def read(self, path: str) -> Callable[[P], V]: ...

    def write(self, path: str) -> Callable[[P, V], P]:
        """Return the function that makes a new packet value; the old one stays as it was."""
        ...

    def length(self) -> Callable[[P], V]: ...

    def icmp_error(self, error: str) -> Callable[[P, V, V], P]:
        """Return the function that makes the error about a packet, of that, a source address and an MTU."""
        ...

    def branch(self, condition: V, path: C) -> Sequence[tuple[bool, C]]:
        """Return the ways that can be taken, at least one, each with its path condition."""
        ...


class TableModel(Protocol[V]):
    """A keyed table. Expired entries are absent, whatever the operation."""

    def find(self, index: Literal["key", "unique"], key: tuple[V, ...], now: Time) -> tuple[V, Handle]: ...

    def insert(
        self,
        key: tuple[V, ...],
        unique: tuple[V | None, ...],
        values: tuple[V, ...],
        choose: tuple[int, int, int] | None,
        now: Time,
    ) -> tuple[V, Handle]: ...

    def read(self, entry: Handle, column: str) -> V: ...

    def write(self, entry: Handle, column: str, value: V) -> None: ...

    def touch(self, entry: Handle, timer: str, now: Time) -> None: ...

    def remove(self, entry: Handle) -> None: ...

    def take(self, entry: Handle, bucket: str, amount: V, now: Time) -> V: ...


class VectorModel(Protocol[V]):
    def read(self, index: V) -> tuple[V, ...]: ...

    def write(self, index: V, values: tuple[V, ...]) -> None: ...


class CounterModel(Protocol[V_contra]):
    def add(self, amount: V_contra) -> None: ...


class BucketModel(Protocol[V]):
    def take(self, amount: V, now: Time) -> V: ...


class SketchModel(Protocol[V]):
    def add(self, key: tuple[V, ...], amount: V) -> None: ...

    def estimate(self, key: tuple[V, ...]) -> V: ...


class RulesModel(Protocol[P_contra, V_co]):
    def decide(self, packet: P_contra) -> tuple[V_co, V_co, V_co]:
        """Return matched, permits and the rule's index; the last two are zero without a match."""
        ...


def rows_by(name: str, column: int) -> str:
    """Return the name, among `State.rows`, of a list's rows by the value of one column."""
    return f"{name} by {column}"


class RowsModel(Protocol[V]):
    """A static table that gives a row of scalars for one: routes, lists, by row or by a column, and rings.

    Routes and lists put before the row whether there is one; where there is none it is zeros.
    """

    def look_up(self, by: V) -> tuple[V, ...]: ...


class State(Protocol[V, P]):
    """All state objects of a chain on one path, by kind and name. Operations change it in place."""

    @property
    def tables(self) -> Mapping[str, TableModel[V]]: ...

    @property
    def vectors(self) -> Mapping[str, VectorModel[V]]: ...

    @property
    def counters(self) -> Mapping[str, CounterModel[V]]: ...

    @property
    def buckets(self) -> Mapping[str, BucketModel[V]]: ...

    @property
    def sketches(self) -> Mapping[str, SketchModel[V]]: ...

    @property
    def rules(self) -> Mapping[str, RulesModel[P, V]]: ...

    @property
    def rows(self) -> Mapping[str, RowsModel[V]]: ...

    def fork(self) -> "State[V, P]":
        """Return a state of the same content that changes apart from this one."""
        ...
