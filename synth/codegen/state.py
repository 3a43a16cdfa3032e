"""What the graph's state objects are in C: which columns they have and where they stand."""

from collections.abc import Mapping

from synth.graph.nodes import (
    BucketColumn,
    Column,
    Counter,
    KeyedTable,
    ListFind,
    ListRead,
    ListTable,
    Ring,
    RingPick,
    RoutesLookup,
    RouteTable,
    RuleTable,
    Sketch,
    StateObject,
    TokenBucket,
    Vector,
)

STATIC = (RuleTable, RouteTable, ListTable, Ring)
"""Tables that are data: they stand in `core_tables`, everything else in `core_state`."""


class States:
    """The state objects of a graph by name and kind.

    The getters take names that the graph's verifier has checked.
    """

    def __init__(self, states: tuple[StateObject, ...]) -> None:
        self._by_name: Mapping[str, StateObject] = {state.name: state for state in states}

    def is_static(self, name: str) -> bool:
        """Tell whether an object is a table that is data."""
        return isinstance(self._by_name[name], STATIC)

    def table(self, name: str) -> KeyedTable:
        found = self._by_name[name]
        if not isinstance(found, KeyedTable):
            raise TypeError(f"{name} is no keyed table")
        return found

    def vector(self, name: str) -> Vector:
        found = self._by_name[name]
        if not isinstance(found, Vector):
            raise TypeError(f"{name} is no vector")
        return found

    def bucket(self, name: str, table: str | None) -> TokenBucket | BucketColumn:
        """Return a token bucket: a state object, or a column of a table's entries."""
        if table is not None:
            return next(
                column
                for column in self.table(table).values
                if column.name == name and isinstance(column, BucketColumn)
            )
        found = self._by_name[name]
        if not isinstance(found, TokenBucket):
            raise TypeError(f"{name} is no token bucket")
        return found

    def rows_of(self, op: RoutesLookup | ListRead | ListFind | RingPick) -> tuple[str, tuple[Column, ...]]:
        """Return the table whose rows a lookup gives, and their columns."""
        match op:
            case RoutesLookup():
                name = op.routes
            case ListRead() | ListFind():
                name = op.list
            case RingPick():
                name = op.ring
        found = self._by_name[name]
        if isinstance(found, Ring):
            found = self._by_name[found.list]
        if not isinstance(found, RouteTable | ListTable):
            raise TypeError(f"{name} has no rows")
        return found.name, found.columns


def table_part(table: KeyedTable, column: str) -> str:
    """Return the part of an entry that holds a column."""
    for part, columns in (("key", table.key), ("unique", table.unique), ("values", table.values)):
        if any(one.name == column for one in columns):
            return part
    raise KeyError(column)


def named_members(state: StateObject) -> tuple[str, ...]:
    """Return what of a state object gets an enumerator: timer classes, and columns of static rows."""
    match state:
        case KeyedTable(timers=timers):
            return tuple(name for name, _ in timers)
        case RouteTable(columns=columns) | ListTable(columns=columns):
            return tuple(column.name for column in columns)
        case Vector() | Counter() | TokenBucket() | Sketch() | RuleTable() | Ring():
            return ()
