"""Ways round: which handlers a packet may come back to."""

from collections.abc import Iterable, Mapping, Sequence

from synth.graph.dominance import reverse_postorder
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
    return frozenset(rings(successors))


def rings(successors: Successors) -> dict[str, str]:
    """Return the names that lie on cycles, each with one name for all that lie on cycles with it.

    Strongly connected components by two searches (Kosaraju; Sharir 1981).
    """
    before: dict[str, list[str]] = {}
    for name, following in successors.items():
        for to in following:
            before.setdefault(to, []).append(name)
    found: dict[str, str] = {}
    known: set[str] = set()
    for root in reverse_postorder(tuple(successors), successors):
        if root in known:
            continue
        ring = _reach(root, before, known)
        if len(ring) > 1 or root in successors.get(root, ()):
            found |= dict.fromkeys(ring, root)
    return found


def _reach(root: str, ways: Mapping[str, Sequence[str]], known: set[str]) -> list[str]:
    """Return the names to be reached from a root that are not known yet; they are known then."""
    found: list[str] = []
    todo = [root]
    while todo:
        name = todo.pop()
        if name not in known:
            known.add(name)
            found.append(name)
            todo += ways.get(name, ())
    return found


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
