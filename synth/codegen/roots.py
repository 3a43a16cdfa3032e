"""Which blocks of a graph become C functions, and what each function is given.

A function begins where interfaces lead (entries), where a delivery leads, and where visits are counted
(handlers with a budget). `rooted` makes every graph one in which functions are entered by deliveries only:

    jump r(%a)                       becomes   deliver r(%a, %free)
    block r(%b): ... uses %free                block r(%b, %free): ...

A chain as written has that form already.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from synth.graph.nodes import (
    Block,
    Branch,
    ChainGraph,
    Constant,
    Deliver,
    Edge,
    Handler,
    Has,
    Jump,
    Length,
    Op,
    Value,
)
from synth.graph.walk import definitions, edges, entries, operands, uses

_REPEATABLE = (Constant, Has, Length)
"""Operations that are repeated in a function rather than handed to it."""


def rooted(graph: ChainGraph) -> ChainGraph:
    """Return the same chain with a handler for each function, entered by deliveries with all it needs."""
    roots = _roots(graph)
    graph = replace(
        graph, handlers=tuple(_handlers(graph, roots)), blocks=tuple(_with_deliveries(graph, roots))
    )
    return _closed(graph, roots)


def _roots(graph: ChainGraph) -> tuple[str, ...]:
    delivered = (
        edge.block
        for block in graph.blocks
        if isinstance(block.terminator, Deliver)
        for edge in edges(block.terminator)
    )
    counted = (handler.block for handler in graph.handlers if handler.budget is not None)
    found = {*entries(graph), *delivered, *counted}
    return tuple(block.name for block in graph.blocks if block.name in found)


def _handlers(graph: ChainGraph, roots: Iterable[str]) -> Iterator[Handler]:
    """Yield the handlers of all roots, those of the graph first: a block without one is named by itself."""
    known = {handler.block for handler in graph.handlers}
    yield from (handler for handler in graph.handlers if handler.block in set(roots))
    for root in roots:
        if root not in known:
            nf, _, side = root.rpartition(".")
            yield Handler(root, nf or root, side)


def _with_deliveries(graph: ChainGraph, roots: Iterable[str]) -> Iterator[Block]:
    """Yield the blocks, with calls (deliveries of one packet) where jumps led into roots."""
    starts = set(roots)
    for block in graph.blocks:
        match block.terminator:
            case Jump(to=to, span=span) if to.block in starts:
                yield replace(block, terminator=Deliver(emissions=(to,), span=span))
            case Branch(then=then, otherwise=otherwise) as branch:
                calls: list[Block] = []
                arms = [
                    _arm(block, edge, f"{block.name}'{number}", starts, calls)
                    for number, edge in enumerate((then, otherwise))
                ]
                yield replace(block, terminator=replace(branch, then=arms[0], otherwise=arms[1]))
                yield from calls
            case _:
                yield block


def _arm(block: Block, edge: Edge, name: str, starts: set[str], calls: list[Block]) -> Edge:
    """Return a branch's edge; one into a root leads through a call, which is added to `calls`."""
    if edge.block not in starts:
        return edge
    end = Deliver(emissions=(edge,), span=block.terminator.span)
    calls.append(Block(name=name, parameters=(), operations=(), terminator=end, span=block.span))
    return Edge(name)


@dataclass(slots=True)
class _Free:
    """What a root's blocks use and do not define, in order of use."""

    values: dict[Value, None]
    defined: frozenset[Value]


def _closed(graph: ChainGraph, roots: tuple[str, ...]) -> ChainGraph:
    """Make what is defined in front of a root, and used behind it, the root's parameters."""
    blocks = {block.name: block for block in graph.blocks}
    makers = {result: op for block in graph.blocks for op in block.operations for result in op.results}
    regions = {root: _region(root, blocks) for root in roots}
    free = {root: _free(region) for root, region in regions.items()}
    repeated: dict[str, dict[Value, Op]] = {root: {} for root in roots}
    is_changing = True
    while is_changing:
        is_changing = False
        for root, region in regions.items():
            wanted = dict(free[root].values)
            for block in region:
                if isinstance(block.terminator, Deliver):
                    for edge in edges(block.terminator):
                        wanted |= free[edge.block].values
            found = _handed(wanted, free[root].defined, makers, repeated[root])
            if found != free[root].values:
                free[root].values = found
                is_changing = True
    return replace(graph, blocks=tuple(_extended(graph.blocks, free, repeated)))


def _handed(
    wanted: Iterable[Value], defined: frozenset[Value], makers: Mapping[Value, Op], repeated: dict[Value, Op]
) -> dict[Value, None]:
    """Return what must be handed to a root; what can be made again there is added to `repeated`."""
    handed: dict[Value, None] = {}
    for value in wanted:
        if value in defined or value in repeated:
            continue
        maker = makers.get(value)
        if isinstance(maker, _REPEATABLE):
            repeated[value] = maker
            handed |= _handed(operands(maker), defined, makers, repeated)
        else:
            handed[value] = None
    return handed


def _region(root: str, blocks: Mapping[str, Block]) -> tuple[Block, ...]:
    found: dict[str, Block] = {}
    todo = [root]
    while todo:
        name = todo.pop()
        if name not in found:
            found[name] = blocks[name]
            if not isinstance(blocks[name].terminator, Deliver):
                todo += [edge.block for edge in edges(blocks[name].terminator)]
    return tuple(found.values())


def _free(region: tuple[Block, ...]) -> _Free:
    defined = frozenset(value for block in region for value in definitions(block))
    values = {value: None for block in region for value in uses(block) if value not in defined}
    return _Free(values, defined)


def _extended(
    blocks: Iterable[Block], free: Mapping[str, _Free], repeated: Mapping[str, Mapping[Value, Op]]
) -> Iterator[Block]:
    """Yield the blocks, with what is handed to roots as their parameters and as arguments of deliveries."""
    for block in blocks:
        parameters, operations, terminator = block.parameters, block.operations, block.terminator
        if isinstance(terminator, Deliver):
            emissions = tuple(
                Edge(one.block, (*one.arguments, *free[one.block].values)) if isinstance(one, Edge) else one
                for one in terminator.emissions
            )
            terminator = replace(terminator, emissions=emissions)
        if block.name in free:
            parameters = (*parameters, *free[block.name].values)
            operations = (*repeated[block.name].values(), *operations)
        yield replace(block, parameters=parameters, operations=operations, terminator=terminator)
