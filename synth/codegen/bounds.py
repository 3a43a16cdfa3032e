"""How many frames one received frame can cause, from the graph alone."""

from collections.abc import Mapping

from synth.codegen.errors import TooManyEmissions
from synth.codegen.regions import Region
from synth.diagnostics.diagnostic import UserError
from synth.graph.nodes import ChainGraph, Deliver, Edge, Exit

MOST_EMISSIONS = 256
"""A burst of 32 frames then needs 8,192 emissions of 150 bytes: 1.2 MB that a host allocates once."""


def emissions_per_frame(graph: ChainGraph, regions: Mapping[str, Region]) -> int:
    """Return the most frames that one received frame can cause, counting each handler's worst way.

    Raises:
        UserError: more than `MOST_EMISSIONS` (E601).
    """
    search = _Search(regions)
    most = 1
    for interface in graph.interfaces:
        if interface.entry is not None:
            found = search.most(interface.entry, ())
            if found > MOST_EMISSIONS:
                raise UserError(
                    (TooManyEmissions(span=graph.span, interface=interface.name, limit=MOST_EMISSIONS),)
                )
            most = max(most, found)
    return most


class _Search:
    """Counts the emissions behind a handler, for what is left of the visit budgets on cycles."""

    def __init__(self, regions: Mapping[str, Region]) -> None:
        self._ends = {block: _ends(region) for block, region in regions.items()}
        self._budgets = {block: region.handler.budget for block, region in regions.items()}
        self._known: dict[tuple[str, tuple[tuple[str, int], ...]], int] = {}

    def most(self, block: str, visits: tuple[tuple[str, int], ...]) -> int:
        """Return the most emissions that entering a handler causes, at most one more than allowed."""
        budget = self._budgets[block]
        if budget is not None:
            counts = dict(visits)
            counts[block] = counts.get(block, 0) + 1
            if counts[block] > budget:
                return 0
            visits = tuple(sorted(counts.items()))
        if (block, visits) not in self._known:
            ways = (self._of(end, visits) for end in self._ends[block])
            self._known[block, visits] = min(max(ways, default=0), MOST_EMISSIONS + 1)
        return self._known[block, visits]

    def _of(self, emissions: tuple[Exit | Edge, ...], visits: tuple[tuple[str, int], ...]) -> int:
        return sum(self.most(one.block, visits) if isinstance(one, Edge) else 1 for one in emissions)


def _ends(region: Region) -> tuple[tuple[Exit | Edge, ...], ...]:
    """Return the different lists of targets that a handler delivers to."""
    found: dict[tuple[str, ...], tuple[Exit | Edge, ...]] = {}
    for block in region.blocks.values():
        if isinstance(block.terminator, Deliver):
            emissions = block.terminator.emissions
            found.setdefault(tuple(e.block if isinstance(e, Edge) else "" for e in emissions), emissions)
    return tuple(found.values())
