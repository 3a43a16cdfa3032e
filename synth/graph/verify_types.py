"""Check single operations: the types of operands and results, and the names that they use."""

from collections.abc import Iterator, Mapping
from typing import assert_never

from synth.graph import nodes
from synth.graph.nodes import BucketColumn, Column, KeyedTable, Op, StateObject, Type, Value
from synth.net.fields import FIELDS
from synth.net.kinds import HEADERS

States = Mapping[str, StateObject]
Violations = Iterator[str]

BOOL = nodes.Bool()
PACKET = nodes.Packet()
HASH = nodes.Bits(32)
AMOUNT = nodes.Bits(64)
INDEX = nodes.Bits(32)

_LOGICAL = ("and", "or", "xor", "eq", "ne")
_TRUTHS = ("eq", "ne", "lt", "le", "add_overflows", "sub_overflows", "mul_overflows")


def column_type(column: Column) -> Type:
    """Return the type of a column's values."""
    return BOOL if column.is_bool else nodes.Bits(column.width)


def column_types(columns: tuple[Column, ...]) -> tuple[Type, ...]:
    """Return the types of the columns' values."""
    return tuple(column_type(column) for column in columns)


def check_operation(op: Op, states: States) -> Violations:
    """Yield what is wrong with an operation, in words that follow its name."""
    match op:
        case (
            nodes.Constant() | nodes.Unary() | nodes.Binary() | nodes.Select() | nodes.Resize() | nodes.Hash()
        ):
            yield from _check_scalar(op)
        case nodes.Has() | nodes.Read() | nodes.Write() | nodes.Length():
            yield from _check_packet(op)
        case nodes.Find() | nodes.Insert():
            yield from _check_table(op, states)
        case nodes.EntryRead() | nodes.EntryWrite() | nodes.Touch() | nodes.Remove():
            yield from _check_entry(op, states)
        case nodes.VectorRead() | nodes.VectorWrite():
            yield from _check_vector(op, states)
        case nodes.Count() | nodes.BucketTake() | nodes.SketchAdd() | nodes.SketchEstimate():
            yield from _check_amounts(op, states)
        case nodes.RulesDecide() | nodes.RoutesLookup() | nodes.ListRead() | nodes.RingPick():
            yield from _check_static(op, states)
        case _:
            assert_never(op)


def _expect(what: str, values: tuple[Value, ...], types: tuple[Type, ...]) -> Violations:
    found = tuple(value.type for value in values)
    if found != types:
        yield f"{what}: {_names(found)} instead of {_names(types)}"


def _names(types: tuple[Type, ...]) -> str:
    return f"({', '.join(map(str, types))})"


def _expect_bits(what: str, *values: Value) -> Violations:
    for value in values:
        if not isinstance(value.type, nodes.Bits):
            yield f"{what}: {value.type} instead of bits"


def _check_scalar(
    op: nodes.Constant | nodes.Unary | nodes.Binary | nodes.Select | nodes.Resize | nodes.Hash,
) -> Violations:
    if len(op.results) != 1:
        yield f"{len(op.results)} results instead of 1"
        return
    result = op.results[0]
    match op:
        case nodes.Constant(value=value):
            width = _width(result.type)
            if width is None or not 0 <= value < 1 << width:
                yield f"{value} is no {result.type}"
        case nodes.Unary(op=word, operand=operand):
            if word == "not":
                yield from _expect("operand", (operand,), (BOOL,))
            else:
                yield from _expect_bits("operand", operand)
            yield from _expect("result", op.results, (operand.type,))
        case nodes.Binary():
            yield from _check_binary(op)
        case nodes.Select(condition=condition, then=then, otherwise=otherwise):
            yield from _expect("condition", (condition,), (BOOL,))
            yield from _expect("choices", (then, otherwise), (result.type, result.type))
        case nodes.Resize(operand=operand):
            yield from _expect_bits("result", result)
            if _width(operand.type) is None:
                yield f"operand: {operand.type} has no width"
        case nodes.Hash(operands=operands):
            yield from _expect("result", op.results, (HASH,))
            if any(_width(operand.type) is None for operand in operands):
                yield "an operand has no width"
        case _:
            assert_never(op)


def _width(of: Type) -> int | None:
    match of:
        case nodes.Bits(width):
            return width
        case nodes.Bool():
            return 1
        case nodes.Packet() | nodes.Entry():
            return None
        case _:
            assert_never(of)


def _check_binary(op: nodes.Binary) -> Violations:
    yield from _expect("operands", (op.left, op.right), (op.left.type, op.left.type))
    if not (isinstance(op.left.type, nodes.Bool) and op.op in _LOGICAL):
        yield from _expect_bits("operand", op.left)
    yield from _expect("result", op.results, (BOOL if op.op in _TRUTHS else op.left.type,))


def _check_packet(op: nodes.Has | nodes.Read | nodes.Write | nodes.Length) -> Violations:
    yield from _expect("packet", (op.packet,), (PACKET,))
    match op:
        case nodes.Has(header=header):
            yield from _expect("result", op.results, (BOOL,))
            if header not in HEADERS:
                yield f"no header `{header}`"
        case nodes.Length():
            yield from _expect("result", op.results, (nodes.Bits(32),))
        case nodes.Read(path=path) | nodes.Write(path=path) if path not in FIELDS:
            yield f"no field `{path}`"
        case nodes.Read(path=path):
            yield from _expect("result", op.results, (field_type(path),))
        case nodes.Write(path=path, value=value):
            yield from _expect("value", (value,), (field_type(path),))
            yield from _expect("result", op.results, (PACKET,))
            if not FIELDS[path].is_writable:
                yield f"`{path}` cannot be written"


def field_type(path: str) -> Type:
    """Return the type of a header field's values."""
    field = FIELDS[path]
    return BOOL if field.kind == "bool" else nodes.Bits(field.width)


def _check_table(op: nodes.Find | nodes.Insert, states: States) -> Violations:
    table = states.get(op.table)
    if not isinstance(table, KeyedTable):
        yield f"no keyed table `{op.table}`"
        return
    yield from _expect("results", op.results, (BOOL, nodes.Entry(table.name)))
    if isinstance(op, nodes.Find):
        columns = table.key if op.index == "key" else table.unique
        yield from _expect("key", op.key, column_types(columns))
        if not columns:
            yield f"`{table.name}` has no {op.index}"
        return
    yield from _expect("key", op.key, column_types(table.key))
    yield from _expect("values", op.values, column_types(plain_columns(table)))
    yield from _check_unique(op, table)


def plain_columns(table: KeyedTable) -> tuple[Column, ...]:
    """Return a table's value columns that are no buckets: those that an insertion fills."""
    return tuple(column for column in table.values if isinstance(column, Column))


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
            yield from _expect(f"unique `{column.name}`", (value,), (column_type(column),))
    if op.choose is not None and chosen == missing:
        position, low, high = op.choose
        if not 0 <= low <= high < 1 << table.unique[position].width:
            yield f"a choice from {low}..{high} does not fit `{table.unique[position].name}`"


def _check_entry(
    op: nodes.EntryRead | nodes.EntryWrite | nodes.Touch | nodes.Remove, states: States
) -> Violations:
    table = states.get(op.table)
    if not isinstance(table, KeyedTable):
        yield f"no keyed table `{op.table}`"
        return
    yield from _expect("entry", (op.entry,), (nodes.Entry(table.name),))
    match op:
        case nodes.EntryRead(column=name):
            columns = (*table.key, *table.unique, *plain_columns(table))
            found = tuple(column_type(column) for column in columns if column.name == name)
            yield from _expect(f"column `{name}`", op.results, found)
        case nodes.EntryWrite(column=name, value=value):
            found = tuple(column_type(column) for column in plain_columns(table) if column.name == name)
            yield from _expect(f"value column `{name}`", (value,), found)
            yield from _expect("results", op.results, ())
        case nodes.Touch(timer=timer):
            yield from _expect("results", op.results, ())
            if timer not in dict(table.timers):
                yield f"no timer `{timer}`"
        case nodes.Remove():
            yield from _expect("results", op.results, ())
        case _:
            assert_never(op)


def _check_vector(op: nodes.VectorRead | nodes.VectorWrite, states: States) -> Violations:
    vector = states.get(op.vector)
    if not isinstance(vector, nodes.Vector):
        yield f"no vector `{op.vector}`"
        return
    yield from _expect_bits("index", op.index)
    is_read = isinstance(op, nodes.VectorRead)
    yield from _expect("results", op.results, column_types(vector.columns) if is_read else ())
    if isinstance(op, nodes.VectorWrite):
        yield from _expect("values", op.values, column_types(vector.columns))


def _check_amounts(
    op: nodes.Count | nodes.BucketTake | nodes.SketchAdd | nodes.SketchEstimate, states: States
) -> Violations:
    match op:
        case nodes.Count(counter=counter, amount=amount):
            yield from _expect("amount", (amount,), (AMOUNT,))
            yield from _expect("results", op.results, ())
            if not isinstance(states.get(counter), nodes.Counter):
                yield f"no counter `{counter}`"
        case nodes.BucketTake(amount=amount):
            yield from _expect("amount", (amount,), (AMOUNT,))
            yield from _expect("results", op.results, (BOOL,))
            yield from _check_bucket(op, states)
        case nodes.SketchAdd(sketch=name, key=key) | nodes.SketchEstimate(sketch=name, key=key):
            sketch = states.get(name)
            if not isinstance(sketch, nodes.Sketch):
                yield f"no sketch `{name}`"
                return
            yield from _expect("key", key, column_types(sketch.key))
            if isinstance(op, nodes.SketchAdd):
                yield from _expect("amount", (op.amount,), (nodes.Bits(32),))
            yield from _expect(
                "results", op.results, () if isinstance(op, nodes.SketchAdd) else (nodes.Bits(32),)
            )
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
    yield from _expect("entry", (op.entry,), (nodes.Entry(table.name),))
    if not any(isinstance(column, BucketColumn) and column.name == op.bucket for column in table.values):
        yield f"no bucket `{op.bucket}` in `{table.name}`"


def _check_static(
    op: nodes.RulesDecide | nodes.RoutesLookup | nodes.ListRead | nodes.RingPick, states: States
) -> Violations:
    match op:
        case nodes.RulesDecide(rules=name, packet=packet):
            yield from _expect("packet", (packet,), (PACKET,))
            yield from _expect("results", op.results, (BOOL, BOOL, INDEX))
            if not isinstance(states.get(name), nodes.RuleTable):
                yield f"no rule set `{name}`"
        case nodes.RoutesLookup(routes=name, address=address):
            yield from _expect("address", (address,), (nodes.Bits(32),))
            routes = states.get(name)
            if isinstance(routes, nodes.RouteTable):
                yield from _expect("results", op.results, (BOOL, *column_types(routes.columns)))
            else:
                yield f"no routes `{name}`"
        case nodes.ListRead(list=name, index=index):
            yield from _expect_bits("index", index)
            rows = states.get(name)
            if isinstance(rows, nodes.ListTable):
                yield from _expect("results", op.results, (BOOL, *column_types(rows.columns)))
            else:
                yield f"no list `{name}`"
        case nodes.RingPick(ring=name, hash=hashed):
            yield from _expect("hash", (hashed,), (HASH,))
            ring = states.get(name)
            rows = states.get(ring.list) if isinstance(ring, nodes.Ring) else None
            if isinstance(rows, nodes.ListTable):
                yield from _expect("results", op.results, column_types(rows.columns))
            else:
                yield f"no ring `{name}`"
        case _:
            assert_never(op)
