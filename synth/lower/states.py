"""State objects of an instance: declared ones, and the tables that its parameters hold."""

from collections.abc import Iterator, Mapping
from typing import assert_never

from synth.graph import nodes
from synth.graph.nodes import BucketColumn, Column, StateObject
from synth.language import static, typed, types
from synth.language.typed import Expr, Instance, State, TableState
from synth.language.values import ListValue, RouteTableValue, RuleSetValue
from synth.language.values import Value as StaticData
from synth.lower.context import BrokenTypedChain
from synth.lower.scalars import columns_of, unique_columns
from synth.net.maglev import DEFAULT_SLOTS, build_ring

Columns = Mapping[tuple[str, str], tuple[Column, ...]]


def table_columns(instance: Instance) -> dict[tuple[str, str], tuple[Column, ...]]:
    """Return the columns of each member of the instance's tables, by table and declared name."""
    found: dict[tuple[str, str], tuple[Column, ...]] = {}
    for state in instance.nf.states:
        if isinstance(state, TableState):
            found |= {(state.name, name): columns for name, columns in _members(state).items()}
    return found


def _members(table: TableState) -> dict[str, tuple[Column, ...]]:
    """Return a table's members in order with their columns; a bucket has one, of no width that counts."""
    declared: list[tuple[str, tuple[Column, ...]]] = [(table.key[0], columns_of(*table.key))]
    if table.unique is not None:
        declared.append((table.unique[0], columns_of(*table.unique)))
    for value in table.values:
        is_bucket = isinstance(value.type, typed.Bucket)
        columns = (Column(value.name, 64),) if is_bucket else columns_of(value.name, _plain(value.type))
        declared.append((value.name, columns))
    unique = iter(unique_columns(tuple(column for _, columns in declared for column in columns)))
    return {name: tuple(next(unique) for _ in columns) for name, columns in declared}


def _plain(of: types.Type | typed.Bucket) -> types.Type:
    if isinstance(of, typed.Bucket):
        raise BrokenTypedChain("a bucket where a value is wanted")
    return of


def vector_sizes(instance: Instance) -> dict[str, int]:
    """Return the sizes of the instance's vectors."""
    return {
        state.name: evaluate(instance, state.size)[0]
        for state in instance.nf.states
        if isinstance(state, typed.VectorState)
    }


def evaluate(instance: Instance, expr: Expr) -> tuple[int, ...]:
    """Return the scalars of an expression that uses parameters and literals only."""
    value = static.evaluate(expr, dict(instance.arguments), instance.sides)
    if not isinstance(value, tuple):
        raise BrokenTypedChain(f"{expr.span}: {value} is no value of scalars")
    return value


def lower_states(instance: Instance) -> Iterator[StateObject]:
    """Yield the instance's state objects: tables of its parameters first, then states, as declared."""
    for name, value in instance.arguments:
        yield from _parameter_table(instance, name, value)
    for state in instance.nf.states:
        yield _lower_state(instance, state)


def _parameter_table(instance: Instance, name: str, value: StaticData) -> Iterator[StateObject]:
    full, sides = f"{instance.name}.{name}", len(instance.sides)
    of = next(parameter.type for parameter in instance.nf.parameters if parameter.name == name)
    match value, of:
        case RuleSetValue(), _:
            yield nodes.RuleTable(name=full, rules=value, span=instance.span)
        case RouteTableValue(), types.Routes(result):
            yield nodes.RouteTable(name=full, columns=_row(result, sides), routes=value, span=instance.span)
        case ListValue(rows), types.List(element):
            yield nodes.ListTable(name=full, columns=_row(element, sides), rows=rows, span=instance.span)
        case _:
            return


def _row(of: types.Type, sides: int | None = None) -> tuple[Column, ...]:
    """Return the columns of a row that has no name of its own."""
    name = "" if isinstance(of, types.Record) else "item" if isinstance(of, types.Tuple) else "value"
    return unique_columns(columns_of(name, of, sides))


def _lower_state(instance: Instance, state: State) -> StateObject:
    name, span = f"{instance.name}.{state.name}", state.span
    match state:
        case TableState():
            return _table(instance, state)
        case typed.VectorState(element=element, size=size, initial=initial):
            columns = _row(element)
            start = (0,) * len(columns) if initial is None else evaluate(instance, initial)
            (cells,) = evaluate(instance, size)
            return nodes.Vector(name=name, columns=columns, size=cells, initial=start, span=span)
        case typed.CounterState():
            return nodes.Counter(name=name, span=span)
        case typed.BucketState(rate=rate, burst=burst):
            (per_second,), (depth,) = evaluate(instance, rate), evaluate(instance, burst)
            return nodes.TokenBucket(name=name, rate=per_second, burst=depth, span=span)
        case typed.SketchState(key=key, rows=rows, columns=width):
            key_columns = unique_columns(columns_of("key", key))
            (height,), (across,) = evaluate(instance, rows), evaluate(instance, width)
            return nodes.Sketch(name=name, key=key_columns, rows=height, columns=across, span=span)
        case typed.RingState():
            return _ring(instance, state)
        case _:
            assert_never(state)


def _table(instance: Instance, table: TableState) -> nodes.KeyedTable:
    columns = _members(table)
    values: list[Column | BucketColumn] = []
    for value in table.values:
        if isinstance(value.type, typed.Bucket):
            (rate,), (burst,) = evaluate(instance, value.type.rate), evaluate(instance, value.type.burst)
            values.append(BucketColumn(columns[value.name][0].name, rate, burst))
        else:
            values += columns[value.name]
    return nodes.KeyedTable(
        name=f"{instance.name}.{table.name}",
        key=columns[table.key[0]],
        unique=() if table.unique is None else columns[table.unique[0]],
        values=tuple(values),
        timers=tuple((name, evaluate(instance, lifetime)[0]) for name, lifetime in table.timers),
        capacity=evaluate(instance, table.capacity)[0],
        span=table.span,
    )


def _ring(instance: Instance, ring: typed.RingState) -> nodes.Ring:
    """Return a ring with its slots filled from the list's rows."""
    rows = dict(instance.arguments)[ring.list]
    of = next(parameter.type for parameter in instance.nf.parameters if parameter.name == ring.list)
    if not isinstance(rows, ListValue) or not isinstance(of, types.List):
        raise BrokenTypedChain(f"{ring.span}: `{ring.list}` is no list")
    identity = _position(of.element, ring.by)
    width = types.scalars(of.element)[identity].width
    weights = [1 if ring.weight is None else row[_position(of.element, ring.weight)] for row in rows.rows]
    slots = DEFAULT_SLOTS if ring.slots is None else evaluate(instance, ring.slots)[0]
    filled = build_ring([(row[identity], width) for row in rows.rows], weights, slots)
    return nodes.Ring(
        name=f"{instance.name}.{ring.name}", list=f"{instance.name}.{ring.list}", slots=filled, span=ring.span
    )


def _position(of: types.Record, member: int) -> int:
    """Return where a member's scalar stands in a record's row."""
    return sum(len(types.scalars(part)) for _, part in of.members[:member])
