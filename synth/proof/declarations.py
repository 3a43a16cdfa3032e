"""What two graphs declare: interfaces, state objects and counters.

Time, sweeps and table reloads are not in the graph: they act on state objects by their declaration
(lifetimes, capacity, data). Equal declarations make these steps, and the initial state, equal on both
sides. A state object other than a counter may be gone: the walk then shows that both sides do the same
whatever it holds, since each step starts from an unknown state of it.
"""

from collections.abc import Iterator
from dataclasses import replace

from synth.graph.nodes import ChainGraph, Counter, Interface, KeyedTable, RuleTable, StateObject


def compare_declarations(written: ChainGraph, result: ChainGraph) -> Iterator[str]:
    """Yield what differs, in words."""
    if [_face(one) for one in written.interfaces] != [_face(one) for one in result.interfaces]:
        yield "the interfaces differ"
    known = {state.name: state for state in written.states}
    for state in result.states:
        before = known.get(state.name)
        if before != state and before != _in_full(state):
            yield f"{state.name} is declared otherwise"
    remaining = {state.name for state in result.states}
    for state in written.states:
        if isinstance(state, Counter) and state.name not in remaining:
            yield f"the counter {state.name} is gone"
    for table in written.states:
        if isinstance(table, KeyedTable) and any(lifetime <= 0 for _, lifetime in table.timers):
            yield f"{table.name} has a lifetime of zero"
    if sorted(written.drops) != sorted(result.drops):
        yield "the drop counters differ"


def _in_full(state: StateObject) -> StateObject:
    """Return a rule set that looks at all rules; what fewer answer is asked apart (`rule_sets.py`)."""
    return replace(state, live=None) if isinstance(state, RuleTable) else state


def _face(interface: Interface) -> tuple[object, ...]:
    """Return what is the same on both sides; by what name a block is entered is not."""
    return interface.name, interface.mac, interface.addresses, interface.entry is None
