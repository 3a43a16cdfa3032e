"""Check operations on state objects: the names that they use, and the types of operands and results."""

from collections.abc import Mapping
from typing import assert_never

from synth.graph import nodes
from synth.graph.nodes import BucketColumn, KeyedTable, StateObject
from synth.graph.verify_types import column_type, column_types, plain_columns
from synth.graph.verify_values import BOOL, PACKET, U32, Violations, expect, expect_bits

States = Mapping[str, StateObject]

AMOUNT = nodes.Bits(64)

TableOp = nodes.Find | nodes.Insert
EntryOp = nodes.EntryRead | nodes.EntryWrite | nodes.Touch | nodes.Remove
VectorOp = nodes.VectorRead | nodes.VectorWrite
AmountOp = nodes.Count | nodes.BucketTake | nodes.SketchAdd | nodes.SketchEstimate
StaticOp = nodes.RulesDecide | nodes.RoutesLookup | nodes.ListRead | nodes.ListFind | nodes.RingPick


def check_table(op: TableOp, states: States) -> Violations:
    table = states.get(op.table)
    if not isinstance(table, KeyedTable):
        yield f"no keyed table `{op.table}`"
        return
    yield from expect("results", op.results, (BOOL, nodes.Entry(table.name)))
    if isinstance(op, nodes.Find):
        columns = table.key if op.index == "key" else table.unique
        yield from expect("key", op.key, column_types(columns))
        if not columns:
            yield f"`{table.name}` has no {op.index}"
        return
    yield from expect("key", op.key, column_types(table.key))
    yield from expect("values", op.values, column_types(plain_columns(table)))
    yield from _check_unique(op, table)


def _check_unique(op: nodes.Insert, table: KeyedTable) -> Violations:
    if len(op.unique) != len(table.unique):
        yield f"{len(op.unique)} scalars for the {len(table.unique)} of the unique key"
        return
    chosen = () if op.choose is None else (op.choose[0],)
    missing = tuple(position for position, value in enumerate(op.unique) if value is None)
    if chosen != missing:
        yield f"positions {missing} of the unique key are open, but {chosen} is chosen"
    for value, column in zip(op.unique, table.unique, strict=True):
        if value is not None:
            yield from expect(f"unique `{column.name}`", (value,), (column_type(column),))
    if op.choose is not None and chosen == missing:
        position, low, high = op.choose
        if not 0 <= low <= high < 1 << table.unique[position].width:
            yield f"a choice from {low}..{high} does not fit `{table.unique[position].name}`"


def check_entry(op: EntryOp, states: States) -> Violations:
    table = states.get(op.table)
    if not isinstance(table, KeyedTable):
        yield f"no keyed table `{op.table}`"
        return
    yield from expect("entry", (op.entry,), (nodes.Entry(table.name),))
    match op:
        case nodes.EntryRead(column=name):
            columns = (*table.key, *table.unique, *plain_columns(table))
            found = tuple(column_type(column) for column in columns if column.name == name)
            yield from expect(f"column `{name}`", op.results, found)
        case nodes.EntryWrite(column=name, value=value):
            found = tuple(column_type(column) for column in plain_columns(table) if column.name == name)
            yield from expect(f"value column `{name}`", (value,), found)
            yield from expect("results", op.results, ())
        case nodes.Touch(timer=timer):
            yield from expect("results", op.results, ())
            if timer not in dict(table.timers):
                yield f"no timer `{timer}`"
        case nodes.Remove():
            yield from expect("results", op.results, ())
        case _:
            assert_never(op)


def check_vector(op: VectorOp, states: States) -> Violations:
    vector = states.get(op.vector)
    if not isinstance(vector, nodes.Vector):
        yield f"no vector `{op.vector}`"
        return
    yield from expect_bits("index", op.index)
    is_read = isinstance(op, nodes.VectorRead)
    yield from expect("results", op.results, column_types(vector.columns) if is_read else ())
    if isinstance(op, nodes.VectorWrite):
        yield from expect("values", op.values, column_types(vector.columns))


def check_amounts(op: AmountOp, states: States) -> Violations:
    match op:
        case nodes.Count(counter=counter, amount=amount):
            yield from expect("amount", (amount,), (AMOUNT,))
            yield from expect("results", op.results, ())
            if not isinstance(states.get(counter), nodes.Counter):
                yield f"no counter `{counter}`"
        case nodes.BucketTake(amount=amount):
            yield from expect("amount", (amount,), (AMOUNT,))
            yield from expect("results", op.results, (BOOL,))
            yield from _check_bucket(op, states)
        case nodes.SketchAdd(sketch=name, key=key) | nodes.SketchEstimate(sketch=name, key=key):
            sketch = states.get(name)
            if not isinstance(sketch, nodes.Sketch):
                yield f"no sketch `{name}`"
                return
            yield from expect("key", key, column_types(sketch.key))
            if isinstance(op, nodes.SketchAdd):
                yield from expect("amount", (op.amount,), (U32,))
            yield from expect("results", op.results, () if isinstance(op, nodes.SketchAdd) else (U32,))
        case _:
            assert_never(op)


def _check_bucket(op: nodes.BucketTake, states: States) -> Violations:
    if op.table is None or op.entry is None:
        if op.table is not None or op.entry is not None:
            yield "an entry without a table, or a table without an entry"
        elif not isinstance(states.get(op.bucket), nodes.TokenBucket):
            yield f"no bucket `{op.bucket}`"
        return
    table = states.get(op.table)
    if not isinstance(table, KeyedTable):
        yield f"no keyed table `{op.table}`"
        return
    yield from expect("entry", (op.entry,), (nodes.Entry(table.name),))
    if not any(isinstance(column, BucketColumn) and column.name == op.bucket for column in table.values):
        yield f"no bucket `{op.bucket}` in `{table.name}`"


def check_static(op: StaticOp, states: States) -> Violations:
    match op:
        case nodes.RulesDecide(rules=name, packet=packet):
            yield from expect("packet", (packet,), (PACKET,))
            yield from expect("results", op.results, (BOOL, BOOL, U32))
            if not isinstance(states.get(name), nodes.RuleTable):
                yield f"no rule set `{name}`"
        case nodes.RoutesLookup(routes=name, address=address):
            yield from expect("address", (address,), (U32,))
            routes = states.get(name)
            if isinstance(routes, nodes.RouteTable):
                yield from expect("results", op.results, (BOOL, *column_types(routes.columns)))
            else:
                yield f"no routes `{name}`"
        case nodes.ListRead(list=name, index=index):
            yield from expect_bits("index", index)
            rows = states.get(name)
            if isinstance(rows, nodes.ListTable):
                yield from expect("results", op.results, (BOOL, *column_types(rows.columns)))
            else:
                yield f"no list `{name}`"
        case nodes.ListFind(list=name, column=column, value=value):
            rows = states.get(name)
            if isinstance(rows, nodes.ListTable) and column < len(rows.columns):
                of = column_types(rows.columns)
                yield from expect("value", (value,), (of[column],))
                yield from expect("results", op.results, (BOOL, *of))
            else:
                yield f"no list `{name}` with a column {column}"
        case nodes.RingPick(ring=name, hash=hashed):
            yield from expect("hash", (hashed,), (U32,))
            ring = states.get(name)
            rows = states.get(ring.list) if isinstance(ring, nodes.Ring) else None
            if isinstance(rows, nodes.ListTable):
                yield from expect("results", op.results, column_types(rows.columns))
            else:
                yield f"no ring `{name}`"
        case _:
            assert_never(op)
