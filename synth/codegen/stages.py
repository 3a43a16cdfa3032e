"""What a burst does for all of its packets before the first one runs through the chain.

The flow entries of all packets are found and fetched, then the table entries that they remember, so that the
lines of memory of a burst come at one time.

Rule sets are decided in bursts, where that is known to be wanted: on the packet as it was received, and
without a look at state on the way. `rte_acl` then works on several packets at a time, of those whose flow
entries do not have the verdict.
"""

from collections.abc import Iterator, Mapping

from synth.codegen.regions import Region
from synth.codegen.uses import Site
from synth.graph.effects import effect
from synth.graph.nodes import ListFind, ListRead, Op, RingPick, RoutesLookup, RulesDecide

_STATELESS = (RulesDecide, RoutesLookup, ListRead, ListFind, RingPick)


def decided_in_bursts(region: Region) -> Mapping[Site, str]:
    """Return where a function's rule sets are decided beforehand, and which, by the operation's place."""
    (packet,) = region.entry.parameters
    return {
        Site(name, index): op.rules
        for name, block in region.blocks.items()
        for index, op in enumerate(block.operations)
        if isinstance(op, RulesDecide)
        and op.packet == packet
        and not any(map(_asks_state, _operations_before(region, name, index)))
    }


def _operations_before(region: Region, name: str, index: int) -> Iterator[Op]:
    """Yield the operations that every way to a place has passed."""
    yield from region.blocks[name].operations[:index]
    while name in region.dominators:
        name = region.dominators[name]
        yield from region.blocks[name].operations


def _asks_state(op: Op) -> bool:
    return effect(op) is not None and not isinstance(op, _STATELESS)
