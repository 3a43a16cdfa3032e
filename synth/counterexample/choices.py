"""Which free value is taken while packets are looked for.

It is no difference when a result takes another free value than the chain as written would: the chain as
written is asked whether it could have taken the same, as wherever a binary is compared with the interpreter.
"""

from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class NextFree:
    """Take the first free value behind the one that was taken last, as binaries do.

    Binaries take values of expired entries last of all, which tells only when a range is nearly used up.
    `taken` are the choices since somebody last looked.
    """

    taken: list[tuple[str, int]] = field(default_factory=list)
    _cursors: dict[str, int] = field(default_factory=dict)

    def take(self, table: str, low: int, high: int, is_free: Callable[[int], bool]) -> int:
        """Return the choice."""
        size = high - low + 1
        start = self._cursors.get(table, 0)
        value = next(at for step in range(size) if is_free(at := low + (start + step) % size))
        self._cursors[table] = value - low + 1
        self.taken.append((table, value))
        return value


class NotAllowed(Exception):
    """A choice that is replayed could not have been made, or is not due."""


@dataclass(slots=True)
class Replayed:
    """Take what another has taken: `due` are its choices for the current packet, first one first."""

    due: list[tuple[str, int]] = field(default_factory=list)

    def take(self, table: str, low: int, high: int, is_free: Callable[[int], bool]) -> int:
        """Return the choice that is due.

        Raises:
            NotAllowed: it is another table's, out of range or not free.
        """
        name, value = self.due.pop(0) if self.due else ("", 0)
        if name != table or not low <= value <= high or not is_free(value):
            raise NotAllowed(f"{value} of {name} for {table}")
        return value
