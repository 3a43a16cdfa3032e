"""Allocation: which values of a unique column each core may choose.

A table that is split has its values split, too: exactly, so that no two cores ever give the same. Where
packets that carry a chosen value must come to its core (core-aware allocation), the value's hash decides;
else ranges do.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from synth.graph.nodes import ChainGraph, Insert, KeyedTable
from synth.parallel.choose import Configuration
from synth.parallel.plan import HashShare, RangeShare, Share
from synth.parallel.relations import Arrival
from synth.parallel.spread import contributions
from synth.parallel.terms import Field

Choices = Mapping[str, tuple[str, int, int]]
"""By table: the column that is chosen, and the lowest and highest value."""


def find_choices(graph: ChainGraph) -> Choices:
    """Return what inserts choose."""
    tables = {state.name: state for state in graph.states if isinstance(state, KeyedTable)}
    return {
        op.table: (tables[op.table].unique[op.choose[0]].name, *op.choose[1:])
        for block in graph.blocks
        for op in block.operations
        if isinstance(op, Insert) and op.choose is not None
    }


def share_values(
    choices: Choices,
    arrivals: Sequence[Arrival],
    found: Configuration,
    tables: Mapping[str, tuple[int, ...]],
    cores: int,
) -> tuple[Share, ...] | None:
    """Return every core's values; None when two ways back disagree, or a core would have none."""
    by_table: dict[str, HashShare] = {}
    for arrival in arrivals:
        table, column = arrival.family
        _, low, high = choices[table]
        share = _hash_share(arrival, column, low, high, found, tables[arrival.access.unit.interface], cores)
        before = by_table.setdefault(table, share) if share is not None else None
        if share is None or before is None or not _agree(before, share):
            return None
    shares = tuple(
        by_table.get(table) or RangeShare(table=table, column=column, ranges=_split(low, high, cores))
        for table, (column, low, high) in choices.items()
    )
    return shares if all(min(share.counts) > 0 for share in shares) else None


def _agree(one: HashShare, other: HashShare) -> bool:
    return (one.contributions, one.cores_table) == (other.contributions, other.cores_table)


def _split(low: int, high: int, cores: int) -> tuple[tuple[int, int], ...]:
    size = high - low + 1
    starts = [low + size * core // cores for core in range(cores + 1)]
    return tuple((start, after - 1) for start, after in pairwise(starts))


def _hash_share(
    arrival: Arrival,
    column: str,
    low: int,
    high: int,
    found: Configuration,
    table: tuple[int, ...],
    cores: int,
) -> HashShare | None:
    """Return the share that one way back asks for; None when more than the value decides its hash."""
    unit = arrival.access.unit
    added = contributions(found.steering.by_unit[unit], found.keys[unit.interface], unit.kind)
    if not isinstance(arrival.term, Field) or arrival.term.path not in added:
        return None
    mask = len(table) - 1
    if any(one & mask for path, ones in added.items() if path != arrival.term.path for one in ones):
        return None
    share = HashShare(
        table=arrival.family[0],
        column=column,
        low=low,
        high=high,
        interface=unit.interface,
        contributions=tuple(one & mask for one in added[arrival.term.path]),
        cores_table=table,
        counts=(),
    )
    counts = [0] * cores
    for value in range(low, high + 1):
        counts[share.owner(value)] += 1
    return replace(share, counts=tuple(counts))
