"""The files of a chain that all its NFs share: interfaces and counters, state, fields, the core."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from synth.codegen import views
from synth.codegen.accessors import accessor
from synth.codegen.cores import locked, ranges_of
from synth.codegen.flow_view import flow_view
from synth.codegen.keyed_view import keyed_view
from synth.codegen.memos import Memos
from synth.codegen.symbols import NOT_WIRED, Symbols, choosing_tables, counters_of
from synth.codegen.templates import render
from synth.codegen.trunk import Trunk
from synth.graph.nodes import (
    ChainGraph,
    Counter,
    IcmpError,
    KeyedTable,
    ListTable,
    Ring,
    RouteTable,
    RuleTable,
    Sketch,
    TokenBucket,
    Vector,
)
from synth.net.fields import FIELDS
from synth.parallel.plan import Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How the two forms of a chain, as written and synthesized, differ in the files that are shared.

    Attributes:
        arrive: the template of what `core.c` does with a burst.
        arrivals: the statement for what an interface receives, by its name.
        defines: macros in front of the runtime's headers.
        functions: what the functions are that files call in each other.
    """

    arrive: str
    arrivals: Mapping[str, str]
    defines: tuple[str, ...]
    functions: str


def as_written(graph: ChainGraph, symbols: Symbols) -> Form:
    """Return the form in which every NF does all itself."""
    return Form(
        arrive="arrive_written",
        arrivals={
            one.name: f"drop(burst, {symbols.counters[f'{one.name}.{NOT_WIRED}']})"
            if one.entry is None
            else f"{symbols.functions[one.entry]}(burst, &packet)"
            for one in graph.interfaces
        },
        defines=_makes_packets(graph),
        functions="The handlers, by NF and the side where the packet arrives.",
    )


def synthesized(graph: ChainGraph, symbols: Symbols) -> Form:
    """Return the form in which bursts pass through the whole chain."""
    return Form(
        arrive="arrive_whole",
        arrivals={
            one.name: f"count(burst, {symbols.counters[f'{one.name}.{NOT_WIRED}']}, admitted)"
            if one.entry is None
            else f"{symbols.arrivals[one.name]}(burst, packets, admitted)"
            for one in graph.interfaces
        },
        defines=("PACKET_IN_FRAME", *_makes_packets(graph)),
        functions="What arrives, by interface, and what several interfaces lead to.",
    )


def _makes_packets(graph: ChainGraph) -> tuple[str, ...]:
    """Return the macro for chains whose NFs make packets of their own: packets are then larger."""
    is_made = any(isinstance(op, IcmpError) for block in graph.blocks for op in block.operations)
    return ("PACKET_MADE",) if is_made else ()


def shared_files(
    graph: ChainGraph,
    symbols: Symbols,
    form: Form,
    signatures: Sequence[str],
    memos: Memos,
    emissions: int,
    trunk: Trunk | None,
    plan: Plan | None,
) -> dict[str, str]:
    """Return the shared files but `fields.h`. `emissions`: the most for one received frame."""
    has_flows = bool(memos.counts)
    files = {
        "chain.h": _chain(graph, symbols, form, signatures, has_flows=has_flows),
        "state.h": _state(graph, symbols, plan, has_flows=has_flows),
        "core.c": _core(graph, symbols, form, emissions, trunk, plan, has_flows=has_flows),
    }
    if memos.counts:
        files["flow.h"] = render("flow.h", flow=flow_view(graph, symbols, memos))
    for state in graph.states:
        if isinstance(state, KeyedTable):
            files[f"{symbols.states[state.name]}.h"] = render("keyed.h", table=keyed_view(state, symbols))
    return files


def fields(texts: Iterable[str]) -> str:
    """Return `fields.h` with what the texts use of it."""
    text = "\n".join(texts)
    used = [accessor(path) for path in FIELDS]
    return render(
        "fields.h",
        reads=[field for field in used if f"packet_{field.name}(" in text],
        writes=[field for field in used if f"packet_set_{field.name}(" in text],
        has_ipv4=re.search(r"\bIPV4\(", text) is not None,
        has_ipv6=re.search(r"\bIPV6\(", text) is not None,
        has_mac=re.search(r"\bMAC\(", text) is not None,
    )


def _chain(
    graph: ChainGraph, symbols: Symbols, form: Form, signatures: Sequence[str], *, has_flows: bool
) -> str:
    entries = {found for signature in signatures for found in re.findall(r"struct \w+_entry\b", signature)}
    return render(
        "chain.h",
        chain=graph.name,
        visits=list(symbols.visits.values()),
        interfaces=list(symbols.interfaces.values()),
        counters=list(symbols.counters.values()),
        defines=form.defines,
        functions_comment=form.functions,
        has_flows=has_flows,
        declarations=sorted(entries),
        signatures=signatures,
    )


def _state(graph: ChainGraph, symbols: Symbols, plan: Plan | None, *, has_flows: bool) -> str:
    states = graph.states
    members = [
        views.state_member(state, symbols)
        for state in states
        if isinstance(state, KeyedTable | Vector | Sketch | TokenBucket)
    ]
    return render(
        "state.h",
        includes=_state_includes(graph, plan),
        is_on_cores=plan is not None,
        is_locked=plan is not None and plan.strategy == "locks",
        has_ranges=bool(symbols.ranged),
        row_tables=[
            views.row_table(one, symbols) for one in states if isinstance(one, RouteTable | ListTable)
        ],
        vectors=[views.vector_cell(one, symbols) for one in states if isinstance(one, Vector)],
        choices=list(symbols.choices.values()),
        state_members=members,
        has_flows=has_flows,
        table_members=[f"struct {view.type} *{view.symbol}" for view in static_tables(graph, symbols)],
    )


def static_tables(graph: ChainGraph, symbols: Symbols) -> list[views.TableView]:
    """Return the views of the static tables, in the order of the graph."""
    return [
        views.static_table(state, symbols)
        for state in graph.states
        if isinstance(state, RuleTable | RouteTable | ListTable | Ring)
    ]


def _core(
    graph: ChainGraph,
    symbols: Symbols,
    form: Form,
    emissions: int,
    trunk: Trunk | None,
    plan: Plan | None,
    *,
    has_flows: bool,
) -> str:
    objects = [
        views.heap_object(state, symbols, plan)
        for state in graph.states
        if isinstance(state, KeyedTable | Vector | Sketch | TokenBucket)
    ]
    interfaces = [views.interface(one, symbols, form.arrivals[one.name]) for one in graph.interfaces]
    keyed = [state for state in graph.states if isinstance(state, KeyedTable)]
    users = {state.name for state in graph.states if isinstance(state, Counter)}
    admission = [f"{one.name}.{reason}" for one in graph.interfaces for reason in views.ADMISSION_REASONS]
    names = [*admission, *counters_of(graph)]
    return render(
        "core.c",
        chain=graph.name,
        includes=[*_core_includes(graph, symbols), *(["flow.h"] if has_flows else [])],
        interfaces=interfaces,
        arrive=render(form.arrive, interfaces=interfaces),
        counter_names=names,
        counter_kinds=_in_rows(["false" if name in users else "true" for name in names], 12),
        tables=static_tables(graph, symbols),
        choices=list(choosing_tables(graph)),
        emissions_per_frame=emissions,
        trunk=trunk,
        objects=objects,
        cores=None if plan is None else plan.cores,
        is_locked=plan is not None and plan.strategy == "locks",
        ranges=[] if plan is None else list(ranges_of(plan, symbols)),
        has_secret=bool(keyed) or has_flows,
        has_flows=has_flows,
        swept=_swept(keyed, symbols, frozenset(symbols.states) - locked(plan)),
        swept_locked=_swept(keyed, symbols, locked(plan)),
    )


def _state_includes(graph: ChainGraph, plan: Plan | None) -> list[str]:
    has_buckets = any(isinstance(state, TokenBucket) for state in graph.states)
    is_locked = plan is not None and plan.strategy == "locks"
    return [*(["runtime/lock.h"] if is_locked else []), *(["runtime/token_bucket.h"] if has_buckets else [])]


def _swept(tables: Sequence[KeyedTable], symbols: Symbols, wanted: frozenset[str]) -> list[str]:
    return [symbols.states[table.name] for table in tables if table.timers and table.name in wanted]


def _core_includes(graph: ChainGraph, symbols: Symbols) -> list[str]:
    kinds = (
        (RuleTable | RouteTable | ListTable | Ring, "runtime/static_tables.h"),
        (Sketch, "runtime/sketch.h"),
        (Vector, "runtime/vector.h"),
    )
    own = [f"{symbols.states[state.name]}.h" for state in graph.states if isinstance(state, KeyedTable)]
    runtime = [header for kind, header in kinds if any(isinstance(state, kind) for state in graph.states)]
    return [*own, *sorted(runtime)]


def _in_rows(words: Sequence[str], on_a_row: int) -> list[str]:
    return [", ".join(words[at : at + on_a_row]) for at in range(0, len(words), on_a_row)]
