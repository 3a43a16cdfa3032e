"""A keyed table over integers."""

from collections import OrderedDict
from dataclasses import dataclass
from typing import Literal

from synth.graph.nodes import BucketColumn, Column, KeyedTable
from synth.graph.states.allocator import Choice, Chooser, FreeValues
from synth.graph.states.bucket import IntegerBucket

Row = tuple[int, ...]


@dataclass(slots=True, eq=False)
class Entry:
    """An entry; also the handle to it, as it is never used again once removed."""

    key: Row
    unique: Row
    values: list[int]
    buckets: dict[str, IntegerBucket]
    timer: str
    touched: int


class IntegerTable:
    """Entries by key and by unique key, and for each timer class in the order of their last touch.

    As time never goes back, the entries of a class expire in that order: expired ones are swept
    from its front before every look-up or insertion, so that they are absent for all purposes.
    """

    def __init__(self, table: KeyedTable, choices: Chooser | None) -> None:
        self._table = table
        self._choices = choices
        self._by_key: dict[Row, Entry] = {}
        self._by_unique: dict[Row, Entry] = {}
        self._lifetimes = dict(table.timers)
        self._first_timer = table.timers[0][0] if table.timers else ""
        self._order: dict[str, OrderedDict[Row, Entry]] = {name: OrderedDict() for name, _ in table.timers}
        self._free = FreeValues(self._by_unique.keys())
        columns = [column for column in table.values if isinstance(column, Column)]
        self._key_at = {column.name: at for at, column in enumerate(table.key)}
        self._unique_at = {column.name: at for at, column in enumerate(table.unique)}
        self._value_at = {column.name: at for at, column in enumerate(columns)}
        self._buckets = [column for column in table.values if isinstance(column, BucketColumn)]

    def find(self, index: Literal["key", "unique"], key: Row, now: int) -> tuple[bool, Entry | None]:
        self._sweep(now)
        entry = (self._by_key if index == "key" else self._by_unique).get(key)
        return entry is not None, entry

    def insert(
        self,
        key: Row,
        unique: tuple[int | None, ...],
        values: Row,
        choose: tuple[int, int, int] | None,
        now: int,
    ) -> tuple[bool, Entry | None]:
        self._sweep(now)
        if len(self._by_key) >= self._table.capacity or key in self._by_key:
            return False, None
        second = self._second_key(unique, choose)
        if second is None or second in self._by_unique:
            return False, None
        buckets = {column.name: IntegerBucket(column.rate, column.burst) for column in self._buckets}
        entry = Entry(key, second, list(values), buckets, self._first_timer, now)
        self._by_key[key] = entry
        if second:
            self._by_unique[second] = entry
            self._free.added(second)
        if self._first_timer:
            self._order[self._first_timer][key] = entry
        return True, entry

    def read(self, entry: Entry, column: str) -> int:
        if (at := self._value_at.get(column)) is not None:
            return entry.values[at]
        if (at := self._key_at.get(column)) is not None:
            return entry.key[at]
        return entry.unique[self._unique_at[column]]

    def write(self, entry: Entry, column: str, value: int) -> None:
        entry.values[self._value_at[column]] = value

    def touch(self, entry: Entry, timer: str, now: int) -> None:
        order = self._order[timer]
        if entry.timer == timer:
            order.move_to_end(entry.key)
        else:
            del self._order[entry.timer][entry.key]
            order[entry.key] = entry
            entry.timer = timer
        entry.touched = now

    def remove(self, entry: Entry) -> None:
        if entry.timer:
            del self._order[entry.timer][entry.key]
        self._forget(entry)

    def take(self, entry: Entry, bucket: str, amount: int, now: int) -> bool:
        return entry.buckets[bucket].take(amount, now)

    def live(self, now: int) -> tuple[Entry, ...]:
        """Return the live entries, in order of insertion."""
        self._sweep(now)
        return tuple(self._by_key.values())

    def _sweep(self, now: int) -> None:
        for timer, order in self._order.items():
            lifetime = self._lifetimes[timer]
            while order:
                entry = next(iter(order.values()))
                if now - entry.touched < lifetime:
                    break
                order.popitem(last=False)
                self._forget(entry)

    def _forget(self, entry: Entry) -> None:
        del self._by_key[entry.key]
        if entry.unique:
            del self._by_unique[entry.unique]
            self._free.removed(entry.unique)

    def _second_key(self, unique: tuple[int | None, ...], choose: tuple[int, int, int] | None) -> Row | None:
        """Return the unique key, with its choice made; None when nothing is free."""
        if choose is None:
            return tuple(scalar for scalar in unique if scalar is not None)
        choice = Choice(*choose)
        others = choice.others(unique)
        value = self._free.lowest(choice, unique)
        if value is not None and self._choices is not None:
            value = self._choices.take(
                self._table.name,
                choice.low,
                choice.high,
                lambda wanted: choice.key(others, wanted) not in self._by_unique,
            )
        return None if value is None else choice.key(others, value)
