"""Which value a `choose` takes: the lowest free one, or the one that a binary took."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import Protocol

Row = tuple[int, ...]


class ChoiceMismatchError(Exception):
    """A replayed choice was not allowed, or is not the one that is due: interpreter and binary differ."""


class Chooser(Protocol):
    """Whoever takes a free value; asked only when there is one."""

    def take(self, table: str, low: int, high: int, is_free: Callable[[int], bool]) -> int:
        """Return a free value of `low` to `high` for a table."""


class ChoiceLog:
    """The choices that a binary made, (table name, value) in order, to be replayed and checked."""

    def __init__(self, choices: Iterable[tuple[str, int]]) -> None:
        self._choices = iter(choices)
        self._taken = 0

    def take(self, table: str, low: int, high: int, is_free: Callable[[int], bool]) -> int:
        """Return the next choice.

        Raises:
            ChoiceMismatchError: when there is none, or it is of another table, out of range or taken.
        """
        place = f"choice {self._taken} (for {table})"
        self._taken += 1
        name, value = next(self._choices, ("", 0))
        if not name:
            raise ChoiceMismatchError(f"{place}: the log has ended, but a value of {low}..{high} is free")
        if name != table:
            raise ChoiceMismatchError(f"{place}: the log has a choice for {name}")
        if not low <= value <= high:
            raise ChoiceMismatchError(f"{place}: {value} is not in {low}..{high}")
        if not is_free(value):
            raise ChoiceMismatchError(f"{place}: {value} is taken by a live entry")
        return value

    def finish(self) -> None:
        """Check that no choice is left over.

        Raises:
            ChoiceMismatchError: when one is.
        """
        left = next(self._choices, None)
        if left is not None:
            raise ChoiceMismatchError(f"choice {self._taken} (for {left[0]}) was never made here")


@dataclass(slots=True)
class _Group:
    """The unique keys that differ in the chosen scalar only.

    Every free value below `fresh` is in the heap `freed`, which may also hold taken ones: they
    are thrown away when they come up.
    """

    fresh: int
    freed: list[int] = field(default_factory=list)
    live: int = 0


@dataclass(frozen=True, slots=True)
class Choice:
    """`choose`: the scalar at `position` of the unique key is any of `low` to `high`."""

    position: int
    low: int
    high: int

    def others(self, unique: Sequence[int | None]) -> Row:
        """Return the rest of a unique key, of which only the chosen scalar may be None."""
        return tuple(scalar for at, scalar in enumerate(unique) if at != self.position and scalar is not None)

    def key(self, others: Row, value: int) -> Row:
        """Return the unique key with a value in its place."""
        return (*others[: self.position], value, *others[self.position :])


class FreeValues:
    """The lowest free value of each choice that a table offers, without walking its range.

    `live` is the table's own index by unique key, which says what is taken.
    """

    def __init__(self, live: Collection[Row]) -> None:
        self._live = live
        self._groups: dict[Choice, dict[Row, _Group]] = {}

    def lowest(self, choice: Choice, unique: Sequence[int | None]) -> int | None:
        """Return the lowest value that makes the unique key free, or None."""
        others = choice.others(unique)
        group = self._groups_of(choice).get(others)
        if group is None:
            return choice.low
        while group.freed:
            if choice.key(others, group.freed[0]) not in self._live:
                return group.freed[0]
            heappop(group.freed)
        while group.fresh <= choice.high:
            if choice.key(others, group.fresh) not in self._live:
                return group.fresh
            group.fresh += 1
        return None

    def added(self, unique: Row) -> None:
        """Note that an entry with this unique key was made."""
        for choice, groups in self._groups.items():
            groups.setdefault(choice.others(unique), _Group(choice.low)).live += 1

    def removed(self, unique: Row) -> None:
        """Note that the entry with this unique key is gone."""
        for choice, groups in self._groups.items():
            group = groups[choice.others(unique)]
            group.live -= 1
            if group.live == 0:
                del groups[choice.others(unique)]
            elif choice.low <= unique[choice.position] < group.fresh:
                heappush(group.freed, unique[choice.position])

    def _groups_of(self, choice: Choice) -> dict[Row, _Group]:
        if choice not in self._groups:
            groups: dict[Row, _Group] = {}
            self._groups[choice] = groups
            for unique in self._live:
                groups.setdefault(choice.others(unique), _Group(choice.low)).live += 1
        return self._groups[choice]
