"""Which state a read sees: two reads of one place and version see the same.

A place is what operations write as a whole: which entries of a table are live, one column of a table, a
vector, a sketch. This is finer than `graph.effects`, because it need not say what may change places, only
what a write can change: no insertion, refresh or expiry alters a column of an entry that is live, and only
a write to the column does. A version is named by the operation that made it, or by the block where
different versions come together.
"""

from collections.abc import Iterator, Mapping

from synth.graph.nodes import (
    EntryRead,
    EntryWrite,
    Find,
    Insert,
    Op,
    Remove,
    SketchAdd,
    SketchEstimate,
    Touch,
    VectorRead,
    VectorWrite,
)
from synth.synthesis.ssa import Flow

Place = str
Version = tuple[str, int]
"""The block, and the number of the operation there; -1: what comes in."""


def place_read(op: Op) -> Place | None:
    """Return the place that an operation reads without writing, if any."""
    match op:
        case Find(table=table):
            return table
        case EntryRead(table=table, column=column):
            return f"{table}.{column}"
        case VectorRead(vector=name) | SketchEstimate(sketch=name):
            return name
        case _:
            return None


def _changes(op: Op, places: Mapping[Place, str]) -> Iterator[Place]:
    """Yield the places that an operation changes. `places` gives each place's object."""
    match op:
        case Insert(table=table) | Touch(table=table):
            yield table
        case Remove(table=table):
            yield from (place for place, owner in places.items() if owner == table)
        case EntryWrite(table=table, column=column):
            yield f"{table}.{column}"
        case VectorWrite(vector=name) | SketchAdd(sketch=name):
            yield name
        case _:
            return


class Versions:
    """The versions of all places of a graph."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._places = _find_places(flow)
        # Blocks that change nothing share one mapping with the block before: places and blocks are many.
        self._changing = {
            name
            for name in flow.order
            if any(True for op in flow.blocks[name].operations for _ in _changes(op, self._places))
        }
        self._ends: dict[str, dict[Place, Version]] = {}
        self.starts: dict[str, dict[Place, Version]] = {}
        is_changing = True
        while is_changing:
            is_changing = False
            for name in flow.order:
                start = self._meet(name)
                if self.starts.get(name) is start or self.starts.get(name) == start:
                    continue
                self.starts[name] = self._ends[name] = start
                if name in self._changing:
                    self._ends[name] = dict(start)
                    for number, op in enumerate(flow.blocks[name].operations):
                        self.step(name, number, op, self._ends[name])
                is_changing = True

    def step(self, name: str, number: int, op: Op, versions: dict[Place, Version]) -> None:
        """Bring versions up to date behind an operation of a block."""
        for place in _changes(op, self._places):
            versions[place] = (name, number)

    def _meet(self, name: str) -> dict[Place, Version]:
        own = (name, -1)
        if name in self._flow.fixed:
            return dict.fromkeys(self._places, own)
        ends = [self._ends[way.source] for way in self._flow.incoming[name] if way.source in self._ends]
        before = self.starts.get(name, {})
        if ends and all(end is ends[0] for end in ends) and (not before or before is ends[0]):
            return ends[0]
        found: dict[Place, Version] = {}
        for place in self._places:
            arriving = {end[place] for end in ends}
            is_one = len(arriving) == 1 and before.get(place) != own
            found[place] = arriving.pop() if is_one else own
        return found


def _find_places(flow: Flow) -> dict[Place, str]:
    places: dict[Place, str] = {}
    for name in flow.order:
        for op in flow.blocks[name].operations:
            place = place_read(op)
            if place is not None:
                places[place] = op.table if isinstance(op, EntryRead) else place
    return places
