"""The files of a synthesized chain: one for each interface that receives, with all that it leads to."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from synth.codegen.memos import Memos
from synth.codegen.nf_files import Function, includes_of
from synth.codegen.regions import Region
from synth.codegen.state import States
from synth.codegen.symbols import Symbols
from synth.codegen.templates import render
from synth.graph.nodes import ChainGraph, Deliver, Find
from synth.graph.walk import closure, edges

SHARED = "shared.c"
"""The file of the functions that several interfaces lead to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Direction:
    """What an interface's file is made of, as `templates/direction.c.j2` prints it.

    Attributes:
        interface: as the chain calls it.
        name: of the function that takes a burst.
        entry: of the function that takes one packet.
        verdicts: the rule sets that are decided before, for the whole burst.
        fetched: the keyed tables whose entries, as flow entries remember them, are fetched before.
        has_flows: whether there are flow entries.
        has_epoch: whether they remember what static tables said.
        path: the file.
        functions: those that no other interface leads to, in the order of the graph.
    """

    interface: str
    name: str
    entry: str
    verdicts: tuple[str, ...]
    fetched: tuple[str, ...]
    has_flows: bool
    has_epoch: bool
    path: str
    functions: tuple[Function, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Directions:
    """All files of a synthesized chain; `shared` are the functions that several interfaces lead to."""

    files: tuple[Direction, ...]
    shared: tuple[Function, ...]

    @property
    def signatures(self) -> tuple[str, ...]:
        """What other files call."""
        bursts = (
            f"void {one.name}(struct burst *burst, struct packet *packets, uint32_t count)"
            for one in self.files
        )
        return (*bursts, *(function.signature for function in self.shared))


def directions(
    graph: ChainGraph,
    regions: Mapping[str, Region],
    made: Mapping[str, Function],
    symbols: Symbols,
    memos: Memos,
) -> Directions:
    """Say which function stands in which file."""
    states = States(graph.states)
    calls = {root: _called(region) for root, region in regions.items()}
    reached = {one.name: closure((one.entry,), calls) for one in graph.interfaces if one.entry is not None}
    owners = {root: [name for name, found in reached.items() if root in found] for root in regions}
    return Directions(
        files=tuple(
            Direction(
                interface=one.name,
                name=symbols.arrivals[one.name],
                entry=made[one.entry].name,
                verdicts=made[one.entry].verdicts,
                fetched=tuple(
                    symbols.states[name]
                    for name in _found_in(regions[root] for root in regions if root in reached[one.name])
                    if name in memos.counts
                ),
                has_flows=bool(memos.counts),
                has_epoch=any(states.is_static(name) for name in memos.counts),
                path=f"{symbols.arrivals[one.name]}.c",
                functions=tuple(
                    replace(made[root], signature=f"static {made[root].signature}")
                    for root in regions
                    if owners[root] == [one.name]
                ),
            )
            for one in graph.interfaces
            if one.entry is not None
        ),
        shared=tuple(made[root] for root in regions if len(owners[root]) > 1),
    )


def _found_in(regions: Iterable[Region]) -> tuple[str, ...]:
    """Return the keyed tables that functions look up."""
    blocks = (block for region in regions for block in region.blocks.values())
    ops = (op for block in blocks for op in block.operations)
    return tuple(dict.fromkeys(op.table for op in ops if isinstance(op, Find)))


def _own_uses(one: Direction) -> Iterator[str]:
    """Yield what a burst's own function uses, as text."""
    yield from ("struct flow",) if one.has_flows else ()
    yield from ("rules_recall(", "tables->") if one.verdicts else ()
    yield from (f"{table}_fetch" for table in one.fetched)


def _called(region: Region) -> tuple[str, ...]:
    ends = (block.terminator for block in region.blocks.values())
    return tuple(edge.block for end in ends if isinstance(end, Deliver) for edge in edges(end))


def direction_files(graph: ChainGraph, found: Directions, tables: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each file. `tables`: the C names of the keyed tables."""
    for one in found.files:
        bodies = [function.body for function in one.functions]
        includes = includes_of([*bodies, *_own_uses(one)], tables)
        yield one.path, render("direction.c", chain=graph.name, direction=one, includes=includes)
    if found.shared:
        includes = includes_of([function.body for function in found.shared], tables)
        yield SHARED, render("shared.c", chain=graph.name, functions=found.shared, includes=includes)
