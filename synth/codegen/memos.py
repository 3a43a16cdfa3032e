"""Which lookups of a synthesized chain are remembered for a packet's flow.

A flow entry holds *memos*, one for each lookup that a packet can ask of a state object or table on its way
through one function. A memo is checked against its own question when it is used (`runtime/keyed_table.h`,
`runtime/static_tables.h`), so which of them are kept is a matter of speed only.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from synth.codegen.regions import Region
from synth.codegen.uses import Site
from synth.graph.nodes import Find, Op, RoutesLookup, RulesDecide

LEAST_ROUTES = 2
"""So many routing tables must be asked where nothing else is, or a flow entry costs more than it saves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Memos:
    """How many memos a flow entry holds, by object; none when a flow entry does not pay."""

    counts: Mapping[str, int]

    def place(self, region: Region, op: Op, site: Site) -> tuple[str, int] | None:
        """Return the object of a lookup and the number of its memo, or None when it has none."""
        name = _asked(op)
        return (name, _number(region, name, site)) if name is not None and name in self.counts else None


NO_MEMOS = Memos(counts={})


def memos_of(regions: Iterable[Region]) -> Memos:
    """Return the memos of a chain's functions: a flow entry pays for what costs much, or is asked often."""
    counts: dict[str, int] = {}
    costly = False
    for region in regions:
        for name, block in region.blocks.items():
            for index, op in enumerate(block.operations):
                asked = _asked(op)
                if asked is not None:
                    number = _number(region, asked, Site(name, index))
                    counts[asked] = max(counts.get(asked, 0), number + 1)
                    costly = costly or not isinstance(op, RoutesLookup)
    return Memos(counts=counts) if costly or len(counts) >= LEAST_ROUTES else NO_MEMOS


def _asked(op: Op) -> str | None:
    """Return the object of a lookup that can be remembered."""
    match op:
        case Find(table=name) | RulesDecide(rules=name) | RoutesLookup(routes=name):
            return name
        case _:
            return None


def _number(region: Region, name: str, site: Site) -> int:
    """Count the lookups of the same object that every way to a place has passed: those get other memos."""
    before = list(region.blocks[site.block].operations[: site.index])
    above = site.block
    while above in region.dominators:
        above = region.dominators[above]
        before += region.blocks[above].operations
    return sum(_asked(op) == name for op in before)
