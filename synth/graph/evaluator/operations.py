"""What each operation does: a function that reads and writes the slots of a path.

Everything that the graph settles (slots, the domain's function, names) is settled here, once, so
that a step is little more than the domain's own work.
"""

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, assert_never

from synth.graph.evaluator.domain import C, Domain, P, V, rows_by
from synth.graph.evaluator.path import Path
from synth.graph.nodes import (
    Binary,
    BucketTake,
    Constant,
    Count,
    EntryRead,
    EntryWrite,
    Find,
    Has,
    Hash,
    IcmpError,
    Insert,
    Length,
    ListFind,
    ListRead,
    Op,
    Read,
    Remove,
    Resize,
    RingPick,
    RoutesLookup,
    RulesDecide,
    Select,
    SketchAdd,
    SketchEstimate,
    Touch,
    Unary,
    Value,
    VectorRead,
    VectorWrite,
    Write,
)

Slots = list[Any]
Step = Callable[[Slots, "Path[Any, Any, Any]"], None]
SlotOf = Callable[[Value], int]

Computation = Unary | Binary | Select | Resize | Hash | Has | Read | Write | Length | IcmpError
TableOp = Find | Insert | EntryRead | EntryWrite | Touch | Remove
ObjectOp = (
    VectorRead | VectorWrite | Count | BucketTake | SketchAdd | SketchEstimate
    | RulesDecide | RoutesLookup | ListRead | ListFind | RingPick
)  # fmt: skip


def prepare_step(op: Op, domain: Domain[V, P, C], slot_of: SlotOf) -> Step:
    """Return an operation's step.

    Raises:
        ValueError: for a constant, which is no step (its value stands in its slot from the start).
    """
    match op:
        case Constant():
            raise ValueError("constants are laid down before a run")
        case Unary() | Binary() | Select() | Resize() | Hash():
            return _computation(op, domain, slot_of)
        case Has() | Read() | Write() | Length() | IcmpError():
            return _computation(op, domain, slot_of)
        case Find() | Insert() | EntryRead() | EntryWrite() | Touch() | Remove():
            return _table_step(op, slot_of)
        case _:
            return _object_step(op, slot_of)


def _computation(op: Computation, domain: Domain[V, P, C], slot_of: SlotOf) -> Step:
    result = slot_of(op.results[0])
    match op:
        case Unary():
            return _apply1(domain.unary(op.op, op.operand.type), slot_of(op.operand), result)
        case Binary():
            return _apply2(domain.binary(op.op, op.left.type), slot_of(op.left), slot_of(op.right), result)
        case Select():
            condition, then, otherwise = (slot_of(value) for value in (op.condition, op.then, op.otherwise))
            return _apply3(domain.select(op.then.type), condition, then, otherwise, result)
        case Resize():
            return _apply1(domain.resize(op.operand.type, op.results[0].type), slot_of(op.operand), result)
        case Hash():
            function = domain.hash(tuple(value.type for value in op.operands))
            gather = _gather(op.operands, slot_of)
            return _apply1_row(function, gather, result)
        case Has():
            return _apply1(domain.has(op.header), slot_of(op.packet), result)
        case Read():
            return _apply1(domain.read(op.path), slot_of(op.packet), result)
        case Write():
            return _apply2(domain.write(op.path), slot_of(op.packet), slot_of(op.value), result)
        case Length():
            return _apply1(domain.length(), slot_of(op.packet), result)
        case IcmpError():
            packet, source, mtu = (slot_of(value) for value in (op.packet, op.source, op.mtu))
            return _apply3(domain.icmp_error(op.error), packet, source, mtu, result)
        case _:
            assert_never(op)


def _apply1(function: Callable[[Any], Any], operand: int, result: int) -> Step:
    def step(slots: Slots, _: Path[Any, Any, Any]) -> None:
        slots[result] = function(slots[operand])

    return step


def _apply1_row(
    function: Callable[[Any], Any], gather: Callable[[Slots], tuple[Any, ...]], result: int
) -> Step:
    def step(slots: Slots, _: Path[Any, Any, Any]) -> None:
        slots[result] = function(gather(slots))

    return step


def _apply2(function: Callable[[Any, Any], Any], left: int, right: int, result: int) -> Step:
    def step(slots: Slots, _: Path[Any, Any, Any]) -> None:
        slots[result] = function(slots[left], slots[right])

    return step


def _apply3(function: Callable[[Any, Any, Any], Any], first: int, second: int, third: int, to: int) -> Step:
    def step(slots: Slots, _: Path[Any, Any, Any]) -> None:
        slots[to] = function(slots[first], slots[second], slots[third])

    return step


def _table_step(op: TableOp, slot_of: SlotOf) -> Step:
    name = op.table
    match op:
        case Find():
            return _find(op, slot_of)
        case Insert():
            return _insert(op, slot_of)
        case EntryRead():
            entry, column, result = slot_of(op.entry), op.column, slot_of(op.results[0])

            def read(slots: Slots, path: Path[Any, Any, Any]) -> None:
                slots[result] = path.state.tables[name].read(slots[entry], column)

            return read
        case EntryWrite():
            entry, column, value = slot_of(op.entry), op.column, slot_of(op.value)
            return lambda slots, path: path.state.tables[name].write(slots[entry], column, slots[value])
        case Touch():
            entry, timer = slot_of(op.entry), op.timer
            return lambda slots, path: path.state.tables[name].touch(slots[entry], timer, path.now)
        case Remove():
            entry = slot_of(op.entry)
            return lambda slots, path: path.state.tables[name].remove(slots[entry])
        case _:
            assert_never(op)


def _find(op: Find, slot_of: SlotOf) -> Step:
    name, index = op.table, op.index
    found, entry = (slot_of(value) for value in op.results)
    key = _gather(op.key, slot_of)

    def find(slots: Slots, path: Path[Any, Any, Any]) -> None:
        slots[found], slots[entry] = path.state.tables[name].find(index, key(slots), path.now)

    return find


def _insert(op: Insert, slot_of: SlotOf) -> Step:
    name, choose = op.table, op.choose
    done, entry = (slot_of(value) for value in op.results)
    key, values = _gather(op.key, slot_of), _gather(op.values, slot_of)
    unique = [None if scalar is None else slot_of(scalar) for scalar in op.unique]

    def insert(slots: Slots, path: Path[Any, Any, Any]) -> None:
        second = tuple(None if slot is None else slots[slot] for slot in unique)
        table = path.state.tables[name]
        slots[done], slots[entry] = table.insert(key(slots), second, values(slots), choose, path.now)

    return insert


def _object_step(op: ObjectOp, slot_of: SlotOf) -> Step:
    match op:
        case VectorRead():
            vector, index, give = op.vector, slot_of(op.index), _give(op.results, slot_of)
            return lambda slots, path: give(slots, path.state.vectors[vector].read(slots[index]))
        case VectorWrite():
            vector, index, row = op.vector, slot_of(op.index), _gather(op.values, slot_of)
            return lambda slots, path: path.state.vectors[vector].write(slots[index], row(slots))
        case Count():
            counter, amount = op.counter, slot_of(op.amount)
            return lambda slots, path: path.state.counters[counter].add(slots[amount])
        case BucketTake():
            return _take(op, slot_of)
        case SketchAdd():
            sketch, key, amount = op.sketch, _gather(op.key, slot_of), slot_of(op.amount)
            return lambda slots, path: path.state.sketches[sketch].add(key(slots), slots[amount])
        case SketchEstimate():
            sketch, key, give = op.sketch, _gather(op.key, slot_of), _give(op.results, slot_of)
            return lambda slots, path: give(slots, (path.state.sketches[sketch].estimate(key(slots)),))
        case RulesDecide():
            rules, packet, give = op.rules, slot_of(op.packet), _give(op.results, slot_of)
            return lambda slots, path: give(slots, path.state.rules[rules].decide(slots[packet]))
        case RoutesLookup():
            return _look_up(op.routes, op.address, op.results, slot_of)
        case ListRead():
            return _look_up(op.list, op.index, op.results, slot_of)
        case ListFind():
            return _look_up(rows_by(op.list, op.column), op.value, op.results, slot_of)
        case RingPick():
            return _look_up(op.ring, op.hash, op.results, slot_of)
        case _:
            assert_never(op)


def _take(op: BucketTake, slot_of: SlotOf) -> Step:
    bucket, amount, result = op.bucket, slot_of(op.amount), slot_of(op.results[0])
    if op.table is None or op.entry is None:

        def take(slots: Slots, path: Path[Any, Any, Any]) -> None:
            slots[result] = path.state.buckets[bucket].take(slots[amount], path.now)

        return take
    table, entry = op.table, slot_of(op.entry)

    def take_of_entry(slots: Slots, path: Path[Any, Any, Any]) -> None:
        slots[result] = path.state.tables[table].take(slots[entry], bucket, slots[amount], path.now)

    return take_of_entry


def _look_up(name: str, by: Value, results: Sequence[Value], slot_of: SlotOf) -> Step:
    key, give = slot_of(by), _give(results, slot_of)
    return lambda slots, path: give(slots, path.state.rows[name].look_up(slots[key]))


def _gather(values: Sequence[Value], slot_of: SlotOf) -> Callable[[Slots], tuple[Any, ...]]:
    """Return the function that takes a row of values out of the slots."""
    where = [slot_of(value) for value in values]
    if len(where) > 1:
        return itemgetter(*where)
    return lambda slots: tuple(slots[slot] for slot in where)


def _give(results: Sequence[Value], slot_of: SlotOf) -> Callable[[Slots, tuple[Any, ...]], None]:
    """Return the function that puts a row of results into the slots."""
    where = [slot_of(value) for value in results]

    def give(slots: Slots, row: tuple[Any, ...]) -> None:
        for slot, value in zip(where, row, strict=True):
            slots[slot] = value

    return give
