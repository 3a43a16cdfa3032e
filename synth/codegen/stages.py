"""What a burst does for all of its packets before the first one runs through the chain.

Rule sets are decided in bursts, where that is known to be wanted: on the packet as it was received, and
without a look at state on the way. `rte_acl` then works on several packets at a time.

The line of memory that a packet's first keyed lookup needs is fetched beforehand, so that the lines of a
burst come at one time. For that the function is cut behind its first lookups, and whatever does not
lead to them or decide between them falls away.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from synth.codegen.regions import Region, inner_edges, region_of
from synth.codegen.uses import Site
from synth.graph.effects import effect
from synth.graph.nodes import (
    Block,
    Branch,
    Deliver,
    Find,
    Has,
    Jump,
    ListRead,
    Op,
    RingPick,
    RoutesLookup,
    RulesDecide,
    Terminator,
    Value,
)
from synth.graph.walk import operands

_STATELESS = (RulesDecide, RoutesLookup, ListRead, RingPick)


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


_END = Deliver(emissions=())
"""Where nothing more is fetched."""


def fetching(region: Region) -> Region | None:
    """Return the part of a function that leads to its first lookups, whose results are then wanted.

    None when it has none. Of the tests on the way, those remain that say what the packet has, or that decide
    between two lookups; a key that depends on a static table is not looked up.
    """
    cutter = _Cutter(region)
    if region.handler.block not in cutter.leading:
        return None
    ends = {name: replace(block, terminator=_END, operations=()) for name, block in region.blocks.items()}
    return region_of(region.handler, ends | cutter.leading, frozenset(cutter.wanted))


class _Cutter:
    """Finds the blocks that lead to a first lookup, from the end backwards, and shortens them."""

    def __init__(self, region: Region) -> None:
        self.leading: dict[str, Block] = {}
        self.wanted: set[Value] = set()
        self._looked_up = _depending_on(region, _STATELESS)
        self._kinds = _depending_on(region, (Has,))
        for block in reversed(region.blocks.values()):
            self._cut(block)

    def _cut(self, block: Block) -> None:
        """Keep a block up to its first operation on state, if that is a lookup or one comes behind it."""
        kept: list[Op] = []
        for op in block.operations:
            touched = effect(op)
            if isinstance(op, Find) and self._looked_up.isdisjoint(op.key):
                self.wanted.add(op.results[0])
                self.leading[block.name] = replace(block, operations=(*kept, op), terminator=_END)
                return
            if not _asks_state(op):
                kept.append(op)
            elif touched is not None and touched.access != "add":
                return
        terminator = self._shortened(block.terminator)
        if terminator is not None:
            self.leading[block.name] = replace(block, operations=tuple(kept), terminator=terminator)

    def _shortened(self, terminator: Terminator) -> Terminator | None:
        """Return a terminator without tests that need not be made; None when it leads to no lookup."""
        ways = [edge for edge in inner_edges(terminator) if edge.block in self.leading]
        match terminator:
            case Branch(condition=condition) if (
                ways and condition not in self._looked_up and (len(ways) > 1 or condition in self._kinds)
            ):
                return terminator
            case Branch(condition=condition) if len(ways) == 1 and condition not in self._kinds:
                return Jump(to=ways[0], span=terminator.span)
            case Jump() if ways:
                return terminator
            case _:
                return None


def _depending_on(region: Region, kinds: tuple[type[Op], ...]) -> frozenset[Value]:
    """Return the values that operations of some kinds give, and those that are made of them."""
    found: set[Value] = set()
    for block in region.blocks.values():
        for op in block.operations:
            if isinstance(op, kinds) or not found.isdisjoint(operands(op)):
                found.update(op.results)
        for edge in inner_edges(block.terminator):
            parameters = region.blocks[edge.block].parameters
            found |= {one for one, value in zip(parameters, edge.arguments, strict=True) if value in found}
    return frozenset(found)
