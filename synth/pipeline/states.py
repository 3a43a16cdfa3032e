"""Why keyed tables of a chain stay tables of their own.

Two tables could be one where they are looked up by equal keys and each entry of one lives as long as
that of the other. Synthesis fuses none: what keeps them apart is said here, pair by pair.
"""

from collections.abc import Iterator
from itertools import combinations

from synth.graph.nodes import ChainGraph, Find, Insert, KeyedTable, Value


def state_remarks(written: ChainGraph, result: ChainGraph) -> Iterator[tuple[str, str]]:
    """Yield each state object's name with what became of it, keyed tables with why they are not fused."""
    kept = {state.name for state in result.states}
    keys = _keys(result)
    tables = [state for state in result.states if isinstance(state, KeyedTable)]
    reasons: dict[str, list[str]] = {table.name: [] for table in tables}
    for one, other in combinations(tables, 2):
        if keys[one.name] & keys[other.name]:
            reasons[one.name].append(f"not fused with {other.name}: {_why_not(one, other)}")
    for state in written.states:
        if state.name not in kept:
            yield state.name, "gone: nothing that can be seen depends on it"
        elif isinstance(state, KeyedTable):
            alone = "not fused: no other table is looked up by an equal key"
            yield state.name, "; ".join(reasons[state.name]) or alone
        else:
            yield state.name, "kept"


def _keys(graph: ChainGraph) -> dict[str, set[tuple[Value, ...]]]:
    """Return the keys by which each keyed table is asked, as values: equal values are equal keys."""
    found: dict[str, set[tuple[Value, ...]]] = {
        state.name: set() for state in graph.states if isinstance(state, KeyedTable)
    }
    for block in graph.blocks:
        for op in block.operations:
            if isinstance(op, Find | Insert):
                found[op.table].add(op.key)
    return found


def _why_not(one: KeyedTable, other: KeyedTable) -> str:
    mine, theirs = (sorted(lifetime for _, lifetime in table.timers) for table in (one, other))
    if mine != theirs:
        return f"lifetimes differ ({_seconds(mine)}; {_seconds(theirs)}), and traffic can tell"
    if one.capacity != other.capacity:
        return f"capacities differ ({one.capacity}, {other.capacity}): one can be full when the other is not"
    return "that each entry of one has its like in the other is not proved"


def _seconds(lifetimes: list[int]) -> str:
    return ", ".join(f"{lifetime / 1e9:g} s" for lifetime in lifetimes) or "for ever"
