"""All state objects of a chain over Z3 terms."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import z3

from synth.graph.evaluator.domain import rows_by
from synth.graph.nodes import (
    Column,
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
from synth.proof.z3_cells import Z3Bucket, Z3Counter, Z3Sketch, Z3Vector
from synth.proof.z3_domain import constant, crc32c_unknown
from synth.proof.z3_maps import Term, constant_map, unknown_map
from synth.proof.z3_static import Z3List, Z3ListBy, Z3Ring, Z3Routes, Z3Rules
from synth.proof.z3_table import (
    PARTS_PER_BYTE,
    SymbolicChoice,
    Z3Table,
    column_sort,
    empty_table,
    unknown_table,
)

Z3Rows = Z3Routes | Z3List | Z3ListBy | Z3Ring
Object = TypeVar("Object", Z3Table, Z3Vector, Z3Counter, Z3Bucket, Z3Sketch)
HashFunction = Callable[[Sequence[Term]], Term]


@dataclass(frozen=True, slots=True)
class Z3State:
    """The state on one path."""

    tables: Mapping[str, Z3Table]
    vectors: Mapping[str, Z3Vector]
    counters: Mapping[str, Z3Counter]
    buckets: Mapping[str, Z3Bucket]
    sketches: Mapping[str, Z3Sketch]
    rules: Mapping[str, Z3Rules]
    rows: Mapping[str, Z3Rows]

    def fork(self) -> "Z3State":
        """Return a state of the same content that changes apart."""
        return Z3State(
            tables=_fork(self.tables),
            vectors=_fork(self.vectors),
            counters=_fork(self.counters),
            buckets=_fork(self.buckets),
            sketches=_fork(self.sketches),
            rules=self.rules,
            rows=self.rows,
        )

    @property
    def choices(self) -> tuple[SymbolicChoice, ...]:
        """The choices made on this path, table by table."""
        return tuple(choice for table in self.tables.values() for choice in table.choices)


def _fork(objects: Mapping[str, Object]) -> dict[str, Object]:
    return {name: found.fork() for name, found in objects.items()}


def unknown_state(objects: Iterable[StateObject], hash_function: HashFunction = crc32c_unknown) -> Z3State:
    """Return state objects of which nothing is known; static tables say what they say."""
    return _state(tuple(objects), hash_function, is_known=False)


def starting_state(objects: Iterable[StateObject], hash_function: HashFunction = crc32c_unknown) -> Z3State:
    """Return the state that a chain starts with."""
    return _state(tuple(objects), hash_function, is_known=True)


def _state(objects: tuple[StateObject, ...], hash_function: HashFunction, *, is_known: bool) -> Z3State:
    table, vector, bucket = (
        (empty_table, _starting_vector, _full_bucket)
        if is_known
        else (unknown_table, _unknown_vector, _unknown_bucket)
    )

    def sketch(shape: Sketch) -> Z3Sketch:
        zeros = constant_map(z3.BitVecVal(0, 32))
        counters = zeros if is_known else unknown_map(f"{shape.name}.counters", z3.BitVecSort(32))
        return Z3Sketch(shape, counters, hash_function)

    lists = {o.name: o for o in objects if isinstance(o, ListTable)}
    rows: dict[str, Z3Rows] = {name: Z3List(found) for name, found in lists.items()}
    rows |= {
        rows_by(name, at): Z3ListBy(found, at)
        for name, found in lists.items()
        for at in range(len(found.columns))
    }
    rows |= {o.name: Z3Routes(o) for o in objects if isinstance(o, RouteTable)}
    rows |= {o.name: Z3Ring(o, lists[o.list]) for o in objects if isinstance(o, Ring)}
    return Z3State(
        tables={o.name: table(o) for o in objects if isinstance(o, KeyedTable)},
        vectors={o.name: vector(o) for o in objects if isinstance(o, Vector)},
        counters={o.name: Z3Counter(z3.BitVecVal(0, 64)) for o in objects if isinstance(o, Counter)},
        buckets={o.name: bucket(o) for o in objects if isinstance(o, TokenBucket)},
        sketches={o.name: sketch(o) for o in objects if isinstance(o, Sketch)},
        rules={o.name: Z3Rules(o) for o in objects if isinstance(o, RuleTable)},
        rows=rows,
    )


def _starting_vector(shape: Vector) -> Z3Vector:
    return Z3Vector(
        shape,
        tuple(
            constant_map(_value(column, at)) for column, at in zip(shape.columns, shape.initial, strict=True)
        ),
    )


def _value(column: Column, scalar: int) -> Term:
    return constant(scalar, column.width, is_bool=column.is_bool)


def _unknown_vector(shape: Vector) -> Z3Vector:
    return Z3Vector(
        shape,
        tuple(unknown_map(f"{shape.name}.{column.name}", column_sort(column)) for column in shape.columns),
    )


def _full_bucket(shape: TokenBucket) -> Z3Bucket:
    return Z3Bucket(shape, z3.IntVal(shape.burst * PARTS_PER_BYTE), z3.IntVal(0))


def _unknown_bucket(shape: TokenBucket) -> Z3Bucket:
    return Z3Bucket(shape, z3.Int(f"{shape.name}.tokens"), z3.Int(f"{shape.name}.filled"))
