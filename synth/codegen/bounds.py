"""How many frames one received frame can cause, from the graph alone."""

from collections.abc import Generator, Mapping
from typing import NamedTuple

from synth.codegen.errors import TooManyEmissions
from synth.codegen.regions import Region
from synth.diagnostics.diagnostic import UserError
from synth.graph.nodes import ChainGraph, Deliver, Edge, Exit

MOST_EMISSIONS = 256
"""A burst of 32 frames then needs 8,192 emissions of 150 bytes: 1.2 MB that a host allocates once."""
MOST_COPIES = 4096
"""Copies of one frame that leave or are dropped: what bounds the work that one frame can cause."""
MOST_STEPS = 100_000
"""Handlers that the search looks into, each for other visits: a second or two."""

Visits = tuple[tuple[str, int], ...]


class _Most(NamedTuple):
    """The most frames that leave, and the most copies that leave or are dropped."""

    frames: int
    copies: int


_FRAME, _DROP = _Most(1, 1), _Most(0, 1)


class _TooManyError(Exception):
    """Carries what there is too much of."""


def emissions_per_frame(graph: ChainGraph, regions: Mapping[str, Region]) -> int:
    """Return the most frames that one received frame can cause, counting each handler's worst way.

    Raises:
        UserError: more than `MOST_EMISSIONS`, or more copies of it than `MOST_COPIES` (E601).
    """
    search = _Search(regions)
    most = 1
    for interface in graph.interfaces:
        if interface.entry is None:
            continue
        try:
            most = max(most, search.most(interface.entry).frames)
        except _TooManyError as error:
            found = TooManyEmissions(span=graph.span, interface=interface.name, what=str(error))
            raise UserError((found,)) from None
    return most


class _Search:
    """Counts what is behind a handler, for what is left of the visit budgets on cycles."""

    def __init__(self, regions: Mapping[str, Region]) -> None:
        self._ends = {block: _ends(region) for block, region in regions.items()}
        self._budgets = {block: region.handler.budget for block, region in regions.items()}
        self._copying = _copying(self._ends)
        self._known: dict[tuple[str, Visits], _Most] = {}

    def most(self, block: str) -> _Most:
        """Return the most that entering a handler causes.

        Raises:
            _TooManyError: it is more than allowed, or cannot be counted.
        """
        # A stack of our own: a chain can be longer than Python's.
        stack = [self._enter(block, ())]
        found: _Most | None = None
        while stack:
            try:
                wanted = stack[-1].send(found)
            except StopIteration as done:
                stack.pop()
                found = done.value
            else:
                stack.append(self._enter(*wanted))
                found = None
        assert found is not None
        return found

    def _enter(self, block: str, visits: Visits) -> Generator[tuple[str, Visits], _Most | None, _Most]:
        """Return the most behind a handler; yield the handlers for which that must be known first."""
        if block not in self._copying:
            return _FRAME
        budget = self._budgets[block]
        if budget is not None:
            counts = dict(visits)
            counts[block] = counts.get(block, 0) + 1
            if counts[block] > budget:
                return _DROP
            visits = tuple(sorted(counts.items()))
        if (block, visits) in self._known:
            return self._known[block, visits]
        if len(self._known) > MOST_STEPS:
            raise _TooManyError("more copies, on more ways, than can be counted")
        frames, copies = _DROP
        for end in self._ends[block]:
            ways = _Most(0, 0)
            for one in end:
                found = (yield one.block, visits) if isinstance(one, Edge) else _FRAME
                assert found is not None
                ways = _added(ways, found)
            frames, copies = max(frames, ways.frames), max(copies, ways.copies)
        self._known[block, visits] = _Most(frames, copies)
        return self._known[block, visits]


def _added(one: _Most, other: _Most) -> _Most:
    frames, copies = one.frames + other.frames, one.copies + other.copies
    if frames > MOST_EMISSIONS:
        raise _TooManyError(f"more than {MOST_EMISSIONS} frames")
    if copies > MOST_COPIES:
        raise _TooManyError(f"more than {MOST_COPIES:,} copies of it, most of them dropped")
    return _Most(frames, copies)


def _copying(ends: Mapping[str, tuple[tuple[Exit | Edge, ...], ...]]) -> frozenset[str]:
    """Return the handlers behind which a packet can become several."""
    found = {block for block, ways in ends.items() if any(len(way) > 1 for way in ways)}
    entered_from: dict[str, list[str]] = {}
    for block, ways in ends.items():
        for target in {one.block for way in ways for one in way if isinstance(one, Edge)}:
            entered_from.setdefault(target, []).append(block)
    left = list(found)
    while left:
        fresh = [block for block in entered_from.get(left.pop(), ()) if block not in found]
        found.update(fresh)
        left += fresh
    return frozenset(found)


def _ends(region: Region) -> tuple[tuple[Exit | Edge, ...], ...]:
    """Return the different lists of targets that a handler delivers to."""
    found: dict[tuple[str, ...], tuple[Exit | Edge, ...]] = {}
    for block in region.blocks.values():
        if isinstance(block.terminator, Deliver):
            emissions = block.terminator.emissions
            found.setdefault(tuple(e.block if isinstance(e, Edge) else "" for e in emissions), emissions)
    return tuple(found.values())
