"""Check that a graph is well formed: what every reader of graphs may rely on.

- Names and value ids are unique, and every name that is used exists and is of the right sort.
- Operands, results and edge arguments have the types that their operations and blocks ask for.
- Values are defined on every way to their uses; a delivery hands nothing over but its arguments.
- Handlers' blocks take one packet; handlers are free of loops; each cycle of handlers has a budget.
- A field is accessed only where tests have shown its header to be there.
- Every block can be reached, every end delivers or drops, and `drops` is exactly what it should be.
"""

from collections import Counter
from collections.abc import Iterable, Iterator

from synth.graph.errors import InvalidGraph
from synth.graph.nodes import ChainGraph
from synth.graph.text import print_operation
from synth.graph.verify_flow import (
    check_definitions,
    check_edges,
    check_entries,
    check_headers,
    check_reachability,
    check_ways_round,
)
from synth.graph.verify_states import check_state
from synth.graph.verify_types import check_operation
from synth.graph.walk import drop_names


def verify(graph: ChainGraph) -> None:
    """Do nothing for a well-formed graph.

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
            *_check_drops(graph),
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
                f"{block.name}: `{print_operation(op)}`: {found}" for found in check_operation(op, states)
            )
    yield from check_edges(graph, blocks)


def _check_drops(graph: ChainGraph) -> Iterator[str]:
    wanted = drop_names(graph.handlers, graph.blocks)
    if graph.drops != wanted:
        yield f"the drops are {wanted}, but {graph.drops} are listed"
