"""Check that a graph is well formed: what every reader of graphs may rely on.

- Names and value ids are unique, and every name that is used exists and is of the right sort.
- Operands, results and edge arguments have the types that their operations and blocks ask for.
- Values are defined on every way to their uses; a delivery hands nothing over but its arguments.
- Handlers' blocks take one packet; handlers are free of loops; each cycle of handlers has a budget.
- A field is accessed only where tests have shown its header to be there.
- Every block can be reached, every end delivers or drops, and `drops` is exactly what it should be.

A synthesized graph keeps the drop counters of the chain, also those that can no longer happen; handlers
into which only jumps lead stand in it for their visit budgets, and take what they need.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from synth.graph.errors import InvalidGraph
from synth.graph.nodes import ChainGraph, Op
from synth.graph.text import print_operation
from synth.graph.verify_flow import (
    check_definitions,
    check_edges,
    check_entries,
    check_headers,
    check_reachability,
    check_ways_round,
)
from synth.graph.verify_state_access import (
    AmountOp,
    EntryOp,
    States,
    StaticOp,
    TableOp,
    check_amounts,
    check_entry,
    check_static,
    check_table,
    check_vector,
)
from synth.graph.verify_states import check_state
from synth.graph.verify_values import PacketOp, ScalarOp, check_packet, check_scalar
from synth.graph.walk import drop_names


def verify(graph: ChainGraph, *, is_synthesized: bool = False) -> None:
    """Do nothing for a well-formed graph.

    Args:
        graph: any graph.
        is_synthesized: whether passes may have taken away the last use of a drop; its counter stays.

    Raises:
        InvalidGraph: with all violations. Those that presuppose sound edges and types are looked for
            only when these are sound.
    """
    violations = [*_check_names(graph), *_check_parts(graph)]
    if not violations:
        violations = [
            *check_definitions(graph),
            *check_ways_round(graph),
            *check_reachability(graph),
            *_check_drops(graph, is_synthesized=is_synthesized),
        ]
    if not violations:
        violations = [*check_headers(graph)]
    if violations:
        raise InvalidGraph(tuple(violations))


def _check_names(graph: ChainGraph) -> Iterator[str]:
    yield from _repeated("interface", (interface.name for interface in graph.interfaces))
    yield from _repeated("state object", (state.name for state in graph.states))
    yield from _repeated("handler", (handler.block for handler in graph.handlers))
    yield from _repeated("block", (block.name for block in graph.blocks))
    yield from _repeated("drop", graph.drops)


def _repeated(what: str, names: Iterable[str]) -> Iterator[str]:
    yield from (
        f"{what} `{name}` exists {count} times" for name, count in Counter(names).items() if count > 1
    )


def _check_parts(graph: ChainGraph) -> Iterator[str]:
    states = {state.name: state for state in graph.states}
    blocks = {block.name: block for block in graph.blocks}
    for state in graph.states:
        yield from (f"{state.name}: {found}" for found in check_state(state, states))
    yield from check_entries(graph, blocks)
    for block in graph.blocks:
        for op in block.operations:
            yield from (
                f"{block.name}: `{print_operation(op)}`: {found}" for found in _check_operation(op, states)
            )
    yield from check_edges(graph, blocks)


def _check_operation(op: Op, states: States) -> Iterator[str]:
    if isinstance(op, ScalarOp):
        return check_scalar(op)
    if isinstance(op, PacketOp):
        return check_packet(op)
    if isinstance(op, TableOp):
        return check_table(op, states)
    if isinstance(op, EntryOp):
        return check_entry(op, states)
    if isinstance(op, AmountOp):
        return check_amounts(op, states)
    if isinstance(op, StaticOp):
        return check_static(op, states)
    return check_vector(op, states)


def _check_drops(graph: ChainGraph, *, is_synthesized: bool) -> Iterator[str]:
    wanted = drop_names(graph.handlers, graph.blocks)
    if is_synthesized:
        missing = [name for name in wanted if name not in graph.drops]
        yield from (f"the drop {name} is not listed" for name in missing)
        return
    if graph.drops != wanted:
        yield f"the drops are {wanted}, but {graph.drops} are listed"
