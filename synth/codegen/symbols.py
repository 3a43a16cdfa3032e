"""The global C names of one chain: handlers, state objects, counters, interfaces."""

from collections.abc import Mapping
from dataclasses import dataclass

from synth.codegen.foreign_names import runtime_functions, runtime_words, table_parts
from synth.codegen.names import Namespace, identifier
from synth.codegen.state import named_members
from synth.graph.nodes import ChainGraph, Counter, Insert, KeyedTable

NOT_WIRED = "not_wired"
"""The drop of what an interface receives when no wire leads away from it."""

_IN_SCOPE = ("burst", "flow", "packet", "state", "tables")
"""What every handler's function is given, or takes from that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbols:
    """C names by the chain's names.

    Attributes:
        called: what a handler's function may call or use, so that no variable in it can have the name.
        functions: of handlers, by the block where the packet arrives.
        files: the stem of each NF's source file, by instance.
        arrivals: of the functions that take a burst of an interface, and the stems of their files.
        states: of state objects, also the prefix of their types and functions.
        members: enumerators of timer classes and of columns of static rows, by object and name.
        counters: enumerators of drops, then of counters.
        interfaces: enumerators of the interfaces.
        visits: enumerators of the handlers with a budget, by block.
        choices: enumerators of the keyed tables that choose, by table.
        ranged: the tables of whose values each core has a range of its own.
    """

    called: frozenset[str]
    functions: Mapping[str, str]
    files: Mapping[str, str]
    arrivals: Mapping[str, str]
    states: Mapping[str, str]
    members: Mapping[tuple[str, str], str]
    counters: Mapping[str, str]
    interfaces: Mapping[str, str]
    visits: Mapping[str, str]
    choices: Mapping[str, str]
    ranged: frozenset[str] = frozenset()


def symbols_of(graph: ChainGraph, ranged: frozenset[str] = frozenset()) -> Symbols:
    """Name everything in a chain; `ranged` as in `Symbols`."""
    names = Namespace(runtime_words())
    states = {
        state.name: names.fresh(state.name, table_parts() if isinstance(state, KeyedTable) else ())
        for state in graph.states
        if not isinstance(state, Counter)
    }
    arrivals = {handler.block: f"{handler.nf}_{handler.side}" for handler in graph.handlers}
    functions = {block: names.fresh(name) for block, name in arrivals.items()}
    files = Namespace(("core", "tables"))
    members = Namespace(runtime_words())
    parts = {f"{states[state.name]}_{part}" for state in _tables(graph) for part in table_parts()}
    return Symbols(
        called=frozenset((*functions.values(), *states.values(), *parts, *runtime_functions(), *_IN_SCOPE)),
        functions=functions,
        files={nf: files.fresh(nf) for nf in dict.fromkeys(handler.nf for handler in graph.handlers)},
        arrivals={one.name: names.fresh(f"from_{one.name}") for one in graph.interfaces},
        states=states,
        members={
            (state.name, member): members.fresh(f"{states[state.name]}_{member}".upper())
            for state in graph.states
            for member in named_members(state)
        },
        counters=_enumerators("COUNTER", {name: name for name in counters_of(graph)}),
        interfaces=_enumerators("INTERFACE", {one.name: one.name for one in graph.interfaces}),
        visits=_enumerators(
            "VISIT", {one.block: functions[one.block] for one in graph.handlers if one.budget}
        ),
        choices=_enumerators("CHOICE", {table: states[table] for table in choosing_tables(graph)}),
        ranged=ranged,
    )


def _tables(graph: ChainGraph) -> tuple[KeyedTable, ...]:
    return tuple(state for state in graph.states if isinstance(state, KeyedTable))


def counters_of(graph: ChainGraph) -> tuple[str, ...]:
    """Return the names of the drops behind admission, then of the NFs' counters."""
    unwired = (f"{interface.name}.{NOT_WIRED}" for interface in graph.interfaces if interface.entry is None)
    counters = (state.name for state in graph.states if isinstance(state, Counter))
    return tuple(dict.fromkeys((*unwired, *graph.drops, *counters)))


def choosing_tables(graph: ChainGraph) -> tuple[str, ...]:
    """Return the keyed tables that choose a value, in order of their first insertion."""
    insertions = (op for block in graph.blocks for op in block.operations if isinstance(op, Insert))
    return tuple(dict.fromkeys(op.table for op in insertions if op.choose is not None))


def _enumerators(prefix: str, wanted: Mapping[str, str]) -> dict[str, str]:
    space = Namespace(runtime_words())
    return {key: space.fresh(f"{prefix}_{identifier(name)}".upper()) for key, name in wanted.items()}
