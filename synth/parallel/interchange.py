"""Interchangeable constraints: a lookup whose failing a test is as good as a miss (Maestro's fifth rule).

A packet looks an entry up by the unique key and then tests it against the entry's own key (a NAT: does the
reply come from the flow's server?). If everything that follows without the test having succeeded is a drop
without any effect, and so is everything behind a miss, then it does not matter whether the entry is found on
this core: only packets that pass the test must come to it. Two things are checked: here, that every effect
stands behind a test; by the solver, that no way leads round it (`rss_check.is_behind_test`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from synth.graph.effects import has_no_write
from synth.graph.nodes import Block, Branch, Deliver, Find
from synth.graph.walk import closure
from synth.parallel.accesses import Access
from synth.parallel.facts import Facts, find_facts
from synth.parallel.slicing import Slicer
from synth.parallel.terms import ColumnOf, Term


@dataclass(frozen=True, slots=True)
class Guarded:
    """A lookup behind which every effect stands behind tests.

    `then` is the block of a hit, `region` what follows it, `tests` the equalities that hold at each block
    with an effect, `drops` the names that a packet which fails, or finds nothing, may be counted under.
    """

    table: str
    then: str
    region: frozenset[str]
    tests: Mapping[str, Facts]
    drops: tuple[str, ...]


def find_guarded(
    slicer: Slicer, lookups: Iterable[Access], keys: frozenset[str]
) -> tuple[Guarded, ...] | None:
    """Return the unit's lookups by unique keys of one table, or None when one of them is not guarded.

    `keys`: the table's key columns.
    """
    facts = find_facts(slicer)
    found = [_find_guarded(slicer, lookup, facts, keys) for lookup in lookups]
    return None if None in found else tuple(one for one in found if one is not None)


def _find_guarded(
    slicer: Slicer, lookup: Access, facts: Mapping[str, Facts], keys: frozenset[str]
) -> Guarded | None:
    assert lookup.lookup is not None
    name = slicer.index.places[lookup.lookup]
    block = slicer.index.blocks[name]
    op = slicer.index.producers[lookup.lookup]
    assert isinstance(op, Find)
    terminator = block.terminator
    if not isinstance(terminator, Branch) or terminator.condition != op.results[0]:
        return None
    if not all(has_no_write(later) for later in block.operations[block.operations.index(op) :]):
        return None
    successors = _successors(slicer)
    missed = closure((terminator.otherwise.block,), successors)
    region = closure((terminator.then.block,), successors)
    blocks = slicer.index.blocks
    if name in region or any(_has_effect(blocks[other]) for other in missed):
        return None
    handle = slicer.expand(lookup.lookup)
    effects = tuple(other for other in slicer.unit.order if other in region and _has_effect(blocks[other]))
    tests = {other: tests_of(handle, facts[other], keys) for other in effects}
    if not all(tests.values()):
        return None
    drops = (blocks[other].terminator for other in slicer.unit.order if other in region | missed)
    names = {end.drop: None for end in drops if isinstance(end, Deliver) and end.drop is not None}
    return Guarded(lookup.object, terminator.then.block, region, tests, tuple(names))


def _successors(slicer: Slicer) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for name, into in slicer.unit.incoming.items():
        for way in into:
            found.setdefault(way.source, []).append(name)
    return {name: tuple(ways) for name, ways in found.items()}


def _has_effect(block: Block) -> bool:
    """Tell whether a block changes anything, or lets a packet go on."""
    if isinstance(block.terminator, Deliver) and block.terminator.emissions:
        return True
    return not all(has_no_write(op) for op in block.operations)


def tests_of(handle: Term, facts: Facts, keys: frozenset[str]) -> Facts:
    """Return the equalities about an entry's key columns."""
    return frozenset(
        fact
        for fact in facts
        if any(isinstance(mine, ColumnOf) and mine.entry == handle and mine.column in keys for mine in fact)
    )
