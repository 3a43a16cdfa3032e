"""What two graphs declare: interfaces, state objects, budgets and counters.

Time, sweeps and table reloads are not in the graph: they act on state objects by their declaration
(lifetimes, capacity, data). Equal declarations make these steps, and the initial state, equal on both
sides; a state object that is gone must be one that nobody can observe.
"""

from collections.abc import Iterator

from synth.graph.nodes import ChainGraph, Counter, Interface, KeyedTable, Op
from synth.graph.walk import terminator_operands, uses


def compare_declarations(written: ChainGraph, result: ChainGraph) -> Iterator[str]:
    """Yield what differs, in words."""
    if [_face(one) for one in written.interfaces] != [_face(one) for one in result.interfaces]:
        yield "the interfaces differ"
    known = {state.name: state for state in written.states}
    for state in result.states:
        if known.get(state.name) != state:
            yield f"{state.name} is declared otherwise"
    remaining = {state.name for state in result.states}
    for state in written.states:
        if state.name not in remaining and is_observable(written, state.name):
            yield f"{state.name} is gone, but can be observed"
    for table in written.states:
        if isinstance(table, KeyedTable) and any(lifetime <= 0 for _, lifetime in table.timers):
            yield f"{table.name} has a lifetime of zero"
    if sorted(written.drops) != sorted(result.drops):
        yield "the drop counters differ"


def _face(interface: Interface) -> tuple[object, ...]:
    """Return what is the same on both sides; by what name a block is entered is not."""
    return interface.name, interface.mac, interface.addresses, interface.entry is None


def is_observable(graph: ChainGraph, name: str) -> bool:
    """Tell whether a state object can be seen: it is a counter, or an operation's answer is used."""
    if any(isinstance(state, Counter) and state.name == name for state in graph.states):
        return True
    used = {
        value for block in graph.blocks for value in (*uses(block), *terminator_operands(block.terminator))
    }
    return any(
        result in used
        for block in graph.blocks
        for op in block.operations
        if name in _objects(op)
        for result in op.results
    )


def _objects(op: Op) -> tuple[object, ...]:
    names = ("table", "vector", "counter", "bucket", "sketch", "rules", "routes", "list", "ring")
    return tuple(getattr(op, name, None) for name in names)
