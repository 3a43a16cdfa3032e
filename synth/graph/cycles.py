"""Ways round: which handlers a packet may come back to."""

from collections.abc import Iterable

from synth.graph.nodes import Block, ChainGraph, Deliver, Handler
from synth.graph.walk import Successors, closure, edges


def local_successors(blocks: Iterable[Block]) -> Successors:
    """Return where each block may go on within its handler, by jumps and branches."""
    return {
        block.name: ()
        if isinstance(block.terminator, Deliver)
        else tuple(edge.block for edge in edges(block.terminator))
        for block in blocks
    }


def handler_successors(handlers: Iterable[Handler], blocks: Iterable[Block]) -> Successors:
    """Return the handlers' blocks to which each handler's block may deliver, each once, in block order."""
    by_name = {block.name: block for block in blocks}
    local = local_successors(by_name.values())
    found: dict[str, tuple[str, ...]] = {}
    for handler in handlers:
        parts = closure((handler.block,), local)
        delivered = (
            edge.block
            for name, block in by_name.items()
            if name in parts and isinstance(block.terminator, Deliver)
            for edge in edges(block.terminator)
        )
        found[handler.block] = tuple(dict.fromkeys(delivered))
    return found


def on_cycles(successors: Successors) -> frozenset[str]:
    """Return the names from which a way leads back to themselves."""
    return frozenset(name for name in successors if name in closure(successors[name], successors))


def looping_handlers(graph: ChainGraph) -> frozenset[str]:
    """Return the handlers' blocks that lie on a cycle without any budget."""
    free = {handler.block for handler in graph.handlers if handler.budget is None}
    counted = {handler.block for handler in graph.handlers} - free
    successors = handler_successors(
        graph.handlers, (block for block in graph.blocks if block.name not in counted)
    )
    return on_cycles(
        {name: tuple(to for to in successors[name] if to in free) for name in successors if name in free}
    )
