"""Where values come from, without regard to the way: is a scalar always a chosen value of one table?

A value that an insert chose for a unique column (a NAT's port) belongs to the core that chose it: the values
are shared out among the cores. It stays that core's when it is written into a header, looked up
further on, and kept in other tables. This walks definitions back once for each value and unit, never paths.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from synth.graph.nodes import (
    Constant,
    EntryRead,
    EntryWrite,
    Insert,
    KeyedTable,
    Op,
    Read,
    Resize,
    Value,
    Write,
)
from synth.net.fields import FIELDS
from synth.parallel.terms import Number, Owned, width_of
from synth.parallel.units import Index, Unit

Origin = Owned | Number | None
"""None is anything else."""


@dataclass(slots=True)
class Origins:
    """Answers for all units of a graph; `tables` are its keyed tables by name."""

    index: Index
    units: Sequence[Unit]
    tables: Mapping[str, KeyedTable]
    _columns: dict[tuple[str, str], Origin] = field(default_factory=dict)
    _writers: dict[str, list[tuple[Unit, Insert | EntryWrite]]] = field(default_factory=dict)
    _open: set[tuple[str, str]] = field(default_factory=set)

    def of_column(self, table: str, column: str, width: int) -> Origin:
        """Return what a table's column holds in every entry."""
        asked = (table, column)
        if asked in self._open:
            return None  # a column that is filled from itself: not followed
        if asked not in self._columns:
            self._open.add(asked)
            self._columns[asked] = self._fill(table, column, width)
            self._open.discard(asked)
        return self._columns[asked]

    def _fill(self, table: str, column: str, width: int) -> Origin:
        found: set[Origin] = set()
        for unit, op in self._fillers(table):
            found |= self._filled_by(op, table, column, width, unit)
        return found.pop() if len(found) == 1 else None

    def _fillers(self, table: str) -> Sequence[tuple[Unit, Insert | EntryWrite]]:
        """Return all operations that fill columns of a table, and the units in which they are reached."""
        if not self._writers:
            for unit in self.units:
                for name in unit.order:
                    for op in self.index.blocks[name].operations:
                        if isinstance(op, Insert | EntryWrite):
                            self._writers.setdefault(op.table, []).append((unit, op))
        return self._writers.get(table, [])

    def _filled_by(self, op: Op, table: str, column: str, width: int, unit: Unit) -> set[Origin]:
        match op:
            case EntryWrite(table=own, column=written, value=value) if (own, written) == (table, column):
                return {self.of_value(value, unit)}
            case Insert(table=own) if own == table:
                return {self._inserted(op, column, width, unit)}
            case _:
                return set()

    def _inserted(self, op: Insert, column: str, width: int, unit: Unit) -> Origin:
        shape = self.tables[op.table]
        names = [held.name for held in (*shape.key, *shape.unique, *shape.values)]
        scalar = dict(zip(names, (*op.key, *op.unique, *op.values), strict=False)).get(column)
        if scalar is not None:
            return self.of_value(scalar, unit)
        is_chosen = op.choose is not None and shape.unique[op.choose[0]].name == column
        return Owned(op.table, column, width) if is_chosen else None

    def of_value(self, value: Value, unit: Unit) -> Origin:
        """Return what a scalar is on every way of a unit."""
        found: set[Origin] = set()
        seen: set[object] = set()
        todo: list[tuple[Value, str | None]] = [(value, None)]
        while todo:
            asked = todo.pop()
            if asked not in seen:
                seen.add(asked)
                answer = self._step(*asked, unit, todo)
                found |= answer
        return found.pop() if len(found) == 1 else None

    def _step(
        self, value: Value, path: str | None, unit: Unit, todo: list[tuple[Value, str | None]]
    ) -> set[Origin]:
        """Follow a scalar, or the field `path` of a packet, one step; what is left to do goes on the list."""
        match self.index.producers.get(value):
            case None:
                return self._argument(value, path, unit, todo)
            case Constant(value=number):
                return {Number(number, width_of(value.type))}
            case Read(packet=packet, path=read):
                todo.append((packet, read))
            case Write(packet=packet, path=written, value=scalar):
                todo.append((scalar, None) if written == path else (packet, path))
            case Resize(operand=operand) if width_of(operand.type) == width_of(value.type):
                todo.append((operand, None))
            case EntryRead(table=table, column=column):
                return {self.of_column(table, column, width_of(value.type))}
            case _:
                return {None}
        return set()

    def _argument(
        self, value: Value, path: str | None, unit: Unit, todo: list[tuple[Value, str | None]]
    ) -> set[Origin]:
        block = self.index.places[value]
        if block not in unit.incoming:
            return set()
        place = self.index.blocks[block].parameters.index(value)
        todo.extend((way.edge.arguments[place], path) for way in unit.incoming[block])
        if value == unit.root:
            constant = unit.constants.get(path or "")
            return {None if constant is None else Number(constant, FIELDS[str(path)].width)}
        return set()
