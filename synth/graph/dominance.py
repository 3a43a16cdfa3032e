"""Which blocks lie on every way to a block."""

from collections.abc import Iterable, Mapping

from synth.graph.walk import Successors


def find_dominators(roots: Iterable[str], successors: Successors) -> Mapping[str, frozenset[str]]:
    """Return, for each block that can be reached, the blocks on every way to it from a root, itself included.

    Sets grow with depth; handlers are shallow, so the plain fixpoint is fast enough.
    """
    order = reverse_postorder(tuple(roots), successors)
    predecessors: dict[str, list[str]] = {name: [] for name in order}
    for name in order:
        for successor in successors.get(name, ()):
            predecessors[successor].append(name)
    starts = frozenset(roots)
    dominators: dict[str, frozenset[str]] = {}
    is_changing = True
    while is_changing:
        is_changing = False
        for name in order:
            known = [dominators[before] for before in predecessors[name] if before in dominators]
            shared = frozenset() if name in starts or not known else frozenset.intersection(*known)
            found = shared | {name}
            if dominators.get(name) != found:
                dominators[name] = found
                is_changing = True
    return dominators


def reverse_postorder(roots: tuple[str, ...], successors: Successors) -> list[str]:
    """Return what can be reached from the roots, everything before what it leads to; first ways first."""
    seen: set[str] = set()
    finished: list[str] = []
    todo: list[tuple[str, bool]] = [(root, False) for root in reversed(roots)]
    while todo:
        name, is_done = todo.pop()
        if is_done:
            finished.append(name)
        elif name not in seen:
            seen.add(name)
            todo.append((name, True))
            todo.extend((successor, False) for successor in successors.get(name, ()))
    return finished[::-1]
