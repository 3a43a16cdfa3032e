"""From a chain graph to what decides: all accesses over received packets, and what tables promise."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from synth.graph.nodes import ChainGraph, Insert, KeyedTable
from synth.parallel.accesses import Access, Insertion, Reader
from synth.parallel.interchange import Guarded, find_guarded
from synth.parallel.origins import Origins
from synth.parallel.relations import Model
from synth.parallel.rss_check import is_behind_tests
from synth.parallel.slicing import Slicer
from synth.parallel.translate import translate
from synth.parallel.units import Index, Unit, find_units, index_graph


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """A chain's units, its accesses, and the lookups that are interchangeable with a miss, by table."""

    units: tuple[Unit, ...]
    model: Model
    guarded: Mapping[str, tuple[Guarded, ...]]


def analyze(graph: ChainGraph) -> Analysis:
    """Return what a chain's packets do to its state."""
    index = index_graph(graph)
    units = find_units(index)
    states = {state.name: state for state in graph.states}
    tables = {name: state for name, state in states.items() if isinstance(state, KeyedTable)}
    origins = Origins(index, units, tables)
    slicers = {unit: Slicer(unit, index, origins) for unit in units}
    readers = [Reader(slicers[unit], states) for unit in units]
    insertions = _find_insertions(readers, index, tables)
    raw = [access for reader in readers for access in reader.find()]
    accesses = translate(raw, insertions)
    model = Model(
        accesses=accesses, insertions=insertions, tables=tables, chosen=_find_chosen(index, units, tables)
    )
    return Analysis(units=units, model=model, guarded=_find_guarded(raw, slicers, tables))


def _find_insertions(
    readers: Sequence[Reader], index: Index, tables: Mapping[str, KeyedTable]
) -> dict[str, tuple[Insertion, ...]]:
    found: dict[str, list[Insertion]] = {name: [] for name in tables}
    for reader in readers:
        for name in reader.slicer.unit.order:
            for op in index.blocks[name].operations:
                if isinstance(op, Insert):
                    found[op.table] += reader.insertions(op)
    return {name: _distinct(made) for name, made in found.items()}


def _distinct(insertions: Sequence[Insertion]) -> tuple[Insertion, ...]:
    by_value = {(made.unit, tuple(made.columns.items())): made for made in insertions}
    return tuple(by_value.values())


def _find_chosen(index: Index, units: Sequence[Unit], tables: Mapping[str, KeyedTable]) -> dict[str, str]:
    """Return the unique column of each table that every insert chooses."""
    reached = {name for unit in units for name in unit.order}
    found: dict[str, set[str | None]] = {}
    for block in index.graph.blocks:
        for op in block.operations:
            if isinstance(op, Insert) and block.name in reached:
                column = None if op.choose is None else tables[op.table].unique[op.choose[0]].name
                found.setdefault(op.table, set()).add(column)
    return {
        table: column
        for table, columns in found.items()
        if len(columns) == 1 and (column := next(iter(columns))) is not None
    }


def _find_guarded(
    accesses: Sequence[Access], slicers: Mapping[Unit, Slicer], tables: Mapping[str, KeyedTable]
) -> dict[str, tuple[Guarded, ...]]:
    """Return the tables all of whose lookups by the unique key are guarded, checked by the solver."""
    found: dict[str, tuple[Guarded, ...]] = {}
    for table, shape in tables.items():
        by_unit: dict[Unit, dict[object, Access]] = {}
        for access in accesses:
            if access.object == table and access.how == "unique" and access.lookup is not None:
                by_unit.setdefault(access.unit, {}).setdefault(access.lookup, access)
        keys = frozenset(column.name for column in shape.key)
        answers = [
            (slicers[unit], find_guarded(slicers[unit], lookups.values(), keys))
            for unit, lookups in by_unit.items()
        ]
        if answers and all(
            guards is not None and all(is_behind_tests(guard, slicer) for guard in guards)
            for slicer, guards in answers
        ):
            found[table] = tuple(guard for _, guards in answers for guard in guards or ())
    return found
