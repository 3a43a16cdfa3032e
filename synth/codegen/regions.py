"""The blocks of one handler: an acyclic control-flow graph with its dominator tree.

A region is what a handler's C function is made of: the blocks that its entry reaches by jumps and
branches. Deliveries end it. Decided branches are gone, and a block that only drops is cloned for
each way in, so that a drop stands where its test is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from synth.codegen.folding import constants_of
from synth.graph.effects import has_no_write
from synth.graph.nodes import Block, Branch, Deliver, Edge, Handler, Jump, Packet, Terminator, Value, Write


@dataclass(frozen=True, slots=True, kw_only=True)
class Region:
    """A handler's blocks.

    Attributes:
        handler: whose blocks these are.
        blocks: by name, in topological order, the entry first.
        predecessors: the blocks that lead into each, one mention for each edge.
        dominators: the immediate dominator of each block but the entry, in topological order.
        constants: the values that are known, whatever the packet.
        versions: the packet that the function is given first, and what it is after writes. All else that
            is a packet may be another one.
    """

    handler: Handler
    blocks: dict[str, Block]
    predecessors: Mapping[str, tuple[str, ...]]
    dominators: Mapping[str, str]
    constants: Mapping[Value, int]
    versions: frozenset[Value]

    @property
    def entry(self) -> Block:
        """The block where the packet arrives."""
        return self.blocks[self.handler.block]

    def dominates(self, upper: str, lower: str) -> bool:
        """Tell whether every way to `lower` leads through `upper` (also when they are one block)."""
        return self.common_dominator(upper, lower) == upper

    def common_dominator(self, one: str, other: str) -> str:
        """Return the last block that every way to either block leads through."""
        above = {one}
        while one in self.dominators:
            one = self.dominators[one]
            above.add(one)
        while other not in above:
            other = self.dominators[other]
        return other

    def joins_below(self, name: str) -> tuple[str, ...]:
        """Return the joins that a block dominates immediately, in topological order."""
        return tuple(
            block
            for block, dominator in self.dominators.items()
            if dominator == name and len(self.predecessors[block]) > 1
        )


def region_of(handler: Handler, blocks: Mapping[str, Block]) -> Region:
    """Return the region of a handler among the blocks of its graph."""
    found = _ordered(handler.block, blocks)
    constants = constants_of(found.values())
    decided = {
        name: replace(block, terminator=_decided(block.terminator, constants))
        for name, block in found.items()
    }
    found = _ordered(handler.block, _with_own_drops(handler.block, decided))
    predecessors = _predecessors(found)
    return Region(
        handler=handler,
        blocks=found,
        predecessors=predecessors,
        dominators=_dominators(predecessors),
        constants=constants,
        versions=_versions(found, predecessors),
    )


def inner_edges(terminator: Terminator) -> tuple[Edge, ...]:
    """Return the edges that stay in the handler."""
    match terminator:
        case Jump(to=to):
            return (to,)
        case Branch(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Deliver():
            return ()


def _ordered(entry: str, blocks: Mapping[str, Block]) -> dict[str, Block]:
    """Return the blocks that the entry reaches, in topological order."""
    finished: dict[str, Block] = {}
    started: set[str] = set()
    stack = [(entry, False)]
    while stack:
        name, is_done = stack.pop()
        if is_done:
            finished[name] = blocks[name]
        elif name not in started:
            started.add(name)
            stack.append((name, True))
            stack.extend((edge.block, False) for edge in inner_edges(blocks[name].terminator))
    return dict(reversed(finished.items()))


def _decided(terminator: Terminator, constants: Mapping[Value, int]) -> Terminator:
    if isinstance(terminator, Branch) and terminator.condition in constants:
        taken = terminator.then if constants[terminator.condition] else terminator.otherwise
        return Jump(to=taken, span=terminator.span)
    return terminator


def _only_drops(block: Block) -> bool:
    end = block.terminator
    return isinstance(end, Deliver) and not end.emissions and all(map(has_no_write, block.operations))


def _with_own_drops(entry: str, blocks: Mapping[str, Block]) -> dict[str, Block]:
    result: dict[str, Block] = {}

    def own(edge: Edge) -> Edge:
        target = blocks[edge.block]
        if not _only_drops(target):
            return edge
        clone = replace(target, name=f"{edge.block}'{len(result)}", parameters=(), operations=())
        result[clone.name] = clone
        return Edge(clone.name)

    for name, block in blocks.items():
        if name == entry or not _only_drops(block):
            result[name] = replace(block, terminator=_with_edges(block.terminator, own))
    return result


def _with_edges(terminator: Terminator, change: Callable[[Edge], Edge]) -> Terminator:
    match terminator:
        case Jump():
            return replace(terminator, to=change(terminator.to))
        case Branch():
            return replace(terminator, then=change(terminator.then), otherwise=change(terminator.otherwise))
        case Deliver():
            return terminator


def _predecessors(blocks: Mapping[str, Block]) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {name: [] for name in blocks}
    for name, block in blocks.items():
        for edge in inner_edges(block.terminator):
            found[edge.block].append(name)
    return {name: tuple(before) for name, before in found.items()}


def _versions(blocks: Mapping[str, Block], predecessors: Mapping[str, tuple[str, ...]]) -> frozenset[Value]:
    entry = next(iter(blocks.values()))
    found = {next((value for value in entry.parameters if isinstance(value.type, Packet)), None)}
    for name, block in blocks.items():
        ways = [
            edge.arguments
            for before in dict.fromkeys(predecessors[name])
            for edge in inner_edges(blocks[before].terminator)
            if edge.block == name
        ]
        if ways:
            rows = zip(block.parameters, *ways, strict=True)
            found |= {parameter for parameter, *given in rows if found.issuperset(given)}
        found |= {op.results[0] for op in block.operations if isinstance(op, Write) and op.packet in found}
    return frozenset(value for value in found if value is not None)


def _dominators(predecessors: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Return immediate dominators; one pass is enough where predecessors come first."""
    chains: dict[str, tuple[str, ...]] = {}
    for name, before in predecessors.items():
        shared: tuple[str, ...] = ()
        if before:
            shared = chains[before[0]]
            for other in before[1:]:
                shared = tuple(one for one, two in zip(shared, chains[other], strict=False) if one == two)
        chains[name] = (*shared, name)
    return {name: chain[-2] for name, chain in chains.items() if len(chain) > 1}
