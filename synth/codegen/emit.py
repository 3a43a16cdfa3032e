"""Emit the C of a chain graph, each NF as written."""

from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable

from synth.codegen.blobs import encode, in_full
from synth.codegen.bounds import emissions_per_frame
from synth.codegen.cores import check_choices, cores_file, ranged
from synth.codegen.direction_files import direction_files, directions
from synth.codegen.layout import wrapped
from synth.codegen.limits import check_limits
from synth.codegen.memos import NO_MEMOS, memos_of
from synth.codegen.nf_files import functions_of, nf_files
from synth.codegen.regions import region_of
from synth.codegen.roots import rooted
from synth.codegen.shared_files import as_written, fields, shared_files, static_tables, synthesized
from synth.codegen.symbols import Symbols, symbols_of
from synth.codegen.templates import render
from synth.codegen.tree import SourceTree
from synth.codegen.trunk import Trunk
from synth.codegen.views import binary_name
from synth.graph.nodes import ChainGraph, KeyedTable, ListTable, Ring, RouteTable, RuleTable
from synth.parallel.plan import Plan


def emit(
    graph: ChainGraph,
    *,
    is_synthesized: bool = False,
    trunk: Trunk | None = None,
    plan: Plan | None = None,
) -> SourceTree:
    """Return the source files of a chain's core; the same graph gives the same bytes.

    Args:
        graph: any verified graph.
        is_synthesized: print the chain as a whole, direction by direction, bursts in stages; else NF by
            NF, where each parses the packet and makes its own writes.
        trunk: the cable that all interfaces share behind a switch; None: each has its own.
        plan: how the chain runs on several cores; None for one core.

    Raises:
        UserError: one frame can cause more frames than a burst's buffer holds (E601), or the chain
            holds something that C does not express yet (E602).
    """
    check_limits(graph)
    if plan is not None:
        check_choices(graph)
    graph = rooted(graph)
    runtime = dict(_runtime(files("synth.codegen") / "runtime", "runtime"))
    runtime_units = tuple(path for path in runtime if path.endswith(".c"))
    symbols = symbols_of(graph, ranged(plan))
    sources = _sources(graph, symbols, plan, is_synthesized=is_synthesized, trunk=trunk)
    units = tuple(sorted(path for path in sources if path.endswith((".c", ".S"))))
    sources["build.mk"] = render(
        "build.mk", chain=graph.name, name=binary_name(graph.name), units=units, runtime=runtime_units
    )
    contents = {path: text.encode() for path, text in sources.items()} | runtime
    for state in graph.states:
        if isinstance(state, RuleTable | RouteTable | ListTable | Ring):
            contents[f"tables/{state.name}.bin"] = encode(in_full(state))
            if in_full(state) != state:
                contents[f"built_in/{state.name}.bin"] = encode(state)
    return SourceTree(
        chain=graph.name, files=dict(sorted(contents.items())), units=units, runtime_units=runtime_units
    )


def _sources(
    graph: ChainGraph, symbols: Symbols, plan: Plan | None, *, is_synthesized: bool, trunk: Trunk | None
) -> dict[str, str]:
    """Return the generated texts but the Makefile."""
    blocks = {block.name: block for block in graph.blocks}
    regions = {handler.block: region_of(handler, blocks) for handler in graph.handlers}
    memos = memos_of(regions.values()) if is_synthesized else NO_MEMOS
    functions = functions_of(graph, regions, symbols, memos, is_synthesized=is_synthesized)
    tables = tuple(symbols.states[state.name] for state in graph.states if isinstance(state, KeyedTable))
    if is_synthesized:
        form, found = synthesized(graph, symbols), directions(graph, regions, functions, symbols, memos)
        signatures = found.signatures
        sources = dict(direction_files(graph, found, tables))
    else:
        form, signatures = as_written(graph, symbols), tuple(one.signature for one in functions.values())
        sources = dict(nf_files(graph, functions, symbols, tables))
    if plan is not None:
        sources["cores.c"] = cores_file(graph, symbols, plan)
    sources["fields.h"] = fields(sources.values())
    if any('"arithmetic.h"' in text for text in sources.values()):
        sources["arithmetic.h"] = render("arithmetic.h")
    emissions = emissions_per_frame(graph, regions)
    sources |= shared_files(graph, symbols, form, signatures, memos, emissions, trunk, plan)
    data = static_tables(graph, symbols)
    if data:
        sources["tables.S"] = render("tables.S", tables=data)
    return {path: wrapped(text) for path, text in sources.items()}


def _runtime(directory: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    """Yield the C files of the runtime and the hosts, in the order of their paths."""
    for entry in sorted(directory.iterdir(), key=lambda one: one.name):
        below = f"{path}/{entry.name}"
        if entry.is_dir():
            yield from _runtime(entry, below)
        elif entry.name.endswith((".c", ".h")):
            yield below, entry.read_bytes()
