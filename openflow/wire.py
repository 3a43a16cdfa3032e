"""Flow entries as plain data, between the project and the process that runs Ryu.

A `Flow` compares by what a switch keeps of it. Counters are beside it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from synth.offload.entries import Drop, Entry, ToInterface, ToServer
from synth.offload.matches import MATCH_FIELDS

Tests = tuple[tuple[str, int, int], ...]
"""Field, value, mask; in the order of their names."""


@dataclass(frozen=True, slots=True)
class Flow:
    """An entry as a switch holds it. `action` is words such as ("tag", 102, 5, 3)."""

    priority: int
    match: Tests
    cookie: int
    action: tuple[Any, ...]

    @property
    def key(self) -> tuple[int, Tests]:
        """What a switch holds at most one entry for."""
        return self.priority, self.match

    def as_list(self) -> list[Any]:
        """Return the flow as JSON has it."""
        return [self.priority, [list(test) for test in self.match], self.cookie, list(self.action)]


def flow_of(entry: Entry) -> Flow:
    """Return an entry as plain data."""
    match entry.action:
        case Drop():
            action: tuple[Any, ...] = ("drop",)
        case ToServer(tag=tag, version=version, port=port):
            action = ("tag", tag, version, port)
        case ToInterface(port=port):
            action = ("out", port)
    tests = tuple(sorted((test.field, test.value, test.mask) for test in entry.match))
    return Flow(entry.priority, tests, entry.cookie, action)


def flow_from(row: Any) -> Flow:
    """Read a flow back from JSON."""
    priority, tests, cookie, action = row
    return Flow(priority, tuple((name, value, mask) for name, value, mask in tests), cookie, tuple(action))


def full_mask(field: str) -> int:
    """Return the mask that asks for all of a field."""
    return (1 << MATCH_FIELDS[field].width) - 1


@dataclass(frozen=True, slots=True)
class Difference:
    """What makes a switch's table what it should be. `foreign` are others' entries in the way."""

    add: tuple[Flow, ...]
    remove: tuple[Flow, ...]
    foreign: tuple[Flow, ...]
    kept: int


def difference(
    wanted: Iterable[Flow], installed: Iterable[Flow], cookie: int, cookie_mask: int
) -> Difference:
    """Compare a table with what it should be; ours are the entries with this cookie under its mask.

    An entry with the same match and priority is replaced when it is ours, else it is in the way.
    """
    target: Mapping[tuple[int, Tests], Flow] = {flow.key: flow for flow in wanted}
    there = {flow.key: flow for flow in installed}
    ours = {key: flow for key, flow in there.items() if flow.cookie & cookie_mask == cookie}
    return Difference(
        add=tuple(flow for key, flow in target.items() if ours.get(key) != flow),
        remove=tuple(flow for key, flow in ours.items() if key not in target),
        foreign=tuple(there[key] for key in target if key in there and key not in ours),
        kept=sum(ours.get(key) == flow for key, flow in target.items()),
    )
