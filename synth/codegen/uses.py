"""Where the values of a handler are needed, and which of them need no C variable.

A value that is used once, and that nothing in between can change, is written where it is used;
its operands are then used there too. So uses are found from the end backwards.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from synth.codegen.presence import where_present
from synth.codegen.regions import Region, inner_edges
from synth.graph.effects import effect, has_no_write
from synth.graph.nodes import (
    Binary,
    Branch,
    Deliver,
    EntryRead,
    Find,
    Has,
    Hash,
    Insert,
    Length,
    ListFind,
    ListRead,
    Op,
    Read,
    Resize,
    RingPick,
    RoutesLookup,
    Select,
    SketchEstimate,
    Unary,
    Value,
    VectorRead,
    Write,
)
from synth.graph.walk import operands, terminator_operands

EXPRESSIONS = (Unary, Binary, Select, Resize, Hash, Read, Has, Length, EntryRead, VectorRead, SketchEstimate)
"""Operations that are C expressions without effect."""

POINTERS = (Find, Insert, RoutesLookup, ListRead, ListFind, RingPick)
"""Operations whose results are all read through one pointer."""

MOST_DEPTH = 8
"""Operations that one expression nests at most; what is deeper gets a variable."""

_KIND_ONLY = (Has, Length)
"""They ask what no write changes, so any version of a packet answers: the one that the function was given."""


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """A place in a region: an operation's index in its block.

    -1 is where parameters are defined, the number of operations where the terminator's condition
    or packets are used, and one more where an edge's arguments are.
    """

    block: str
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Uses:
    """The result of this analysis.

    Attributes:
        sites: where each needed value is used. Values without a use are not needed.
        inlined: values that are written as expressions at their only use.
        bases: for the results of an operation that are read through one pointer, the value that
            stands for the pointer.
        key_sites: for each operation that looks a key struct up, the place of the operation whose
            struct it shares; by (place, index name).
        definitions: the operation that defines each value, and its place.
        unguarded: scalars of a row that are used where the row may be absent.
    """

    sites: Mapping[Value, tuple[Site, ...]]
    inlined: frozenset[Value]
    bases: Mapping[Value, Value]
    key_sites: Mapping[tuple[Site, str], Site]
    definitions: Mapping[Value, tuple[Op, Site]]
    unguarded: frozenset[Value]

    def is_needed(self, op: Op) -> bool:
        """Tell whether an operation does something or has a result that is used."""
        return not has_no_write(op) or any(self.base(result) in self.sites for result in op.results)

    def base(self, value: Value) -> Value:
        """Return the value whose C variable a value is read from."""
        return self.bases.get(value, value)


def find_uses(region: Region) -> Uses:
    """Find where each value is used and which values are inlined."""
    definitions = {
        result: (op, Site(name, index))
        for name, block in region.blocks.items()
        for index, op in enumerate(block.operations)
        for result in op.results
    }
    bases = {
        result: op.results[-1] if isinstance(op, Find | Insert) else op.results[0]
        for op, _ in definitions.values()
        if isinstance(op, POINTERS)
        for result in op.results
    }
    needed = _needed_values(region)
    keys = _shared_keys(region, needed)
    search = _Search(region, definitions, bases, keys, needed)
    search.run()
    return Uses(
        sites={value: tuple(reversed(sites)) for value, sites in search.sites.items()},
        inlined=frozenset(search.inlined),
        bases=bases,
        key_sites=keys,
        definitions=definitions,
        unguarded=frozenset(search.unguarded),
    )


def _needed_values(region: Region) -> frozenset[Value]:
    """Return the values that end in an effect, a test or an emission."""
    arguments: dict[Value, list[Value]] = {}
    todo: list[Value] = []
    makers: dict[Value, Op] = {}
    for block in region.blocks.values():
        for op in block.operations:
            makers.update(dict.fromkeys(op.results, op))
            if not has_no_write(op):
                todo.extend(operands(op))
        for edge in inner_edges(block.terminator):
            for parameter, argument in zip(region.blocks[edge.block].parameters, edge.arguments, strict=True):
                arguments.setdefault(parameter, []).append(argument)
        if isinstance(block.terminator, Branch):
            todo.append(block.terminator.condition)
        elif isinstance(block.terminator, Deliver):
            todo.extend(terminator_operands(block.terminator))
    found: set[Value] = set()
    while todo:
        value = todo.pop()
        if value in found or value in region.constants:
            continue
        found.add(value)
        todo.extend(operands(makers[value]) if value in makers else arguments.get(value, ()))
    return frozenset(found)


def _shared_keys(region: Region, needed: frozenset[Value]) -> dict[tuple[Site, str], Site]:
    """Let a lookup use the key struct of an earlier one with the same scalars that dominates it."""
    made: dict[tuple[str, str, tuple[Value, ...]], list[Site]] = {}
    shared: dict[tuple[Site, str], Site] = {}
    for name, block in region.blocks.items():
        for index, op in enumerate(block.operations):
            if not isinstance(op, Find | Insert) or (has_no_write(op) and needed.isdisjoint(op.results)):
                continue
            kind = op.index if isinstance(op, Find) else "key"
            site = Site(name, index)
            earlier = made.setdefault((op.table, kind, op.key), [])
            above = [one for one in earlier if region.dominates(one.block, name)]
            shared[site, kind] = above[0] if above else site
            if not above:
                earlier.append(site)
    return shared


class _Search:
    """One walk over a region, backwards."""

    def __init__(
        self,
        region: Region,
        definitions: Mapping[Value, tuple[Op, Site]],
        bases: Mapping[Value, Value],
        keys: Mapping[tuple[Site, str], Site],
        needed: frozenset[Value],
    ) -> None:
        self.region = region
        self.definitions = definitions
        self.bases = bases
        self.keys = keys
        self.needed = needed
        self.sites: dict[Value, list[Site]] = {}
        self.inlined: set[Value] = set()
        self.unguarded: set[Value] = set()
        self.depths: dict[Value, int] = {}
        self.kept: set[Value] = set()
        self.below = _descendants(region)
        self.present = where_present(region, {value: op for value, (op, _) in definitions.items()})

    def run(self) -> None:
        for name, block in reversed(self.region.blocks.items()):
            end = len(block.operations)
            match block.terminator:
                case Branch(condition=condition):
                    self._use(condition, Site(name, end))
                case Deliver(emissions=emissions):
                    self._deliver(terminator_operands(block.terminator), Site(name, end), len(emissions))
            for edge in inner_edges(block.terminator):
                parameters = self.region.blocks[edge.block].parameters
                for parameter, argument in zip(parameters, edge.arguments, strict=True):
                    if parameter in self.needed:
                        self._use(argument, Site(name, end + 1))
            for index in range(end - 1, -1, -1):
                self._place(block.operations[index], Site(name, index))

    def _deliver(self, values: tuple[Value, ...], site: Site, emissions: int) -> None:
        """Use what is handed over. With several emissions, it is evaluated in front of the first."""
        for value in values:
            self._use(value, site)
            if emissions > 1:
                self.kept.add(value)

    def _use(self, value: Value, site: Site) -> None:
        if value in self.region.constants:
            return
        base = self.bases.get(value, value)
        self.sites.setdefault(base, []).append(site)
        is_scalar = value != base and isinstance(
            self.definitions[value][0], RoutesLookup | ListRead | ListFind
        )
        if is_scalar and not any(
            self.region.dominates(name, site.block) for name in self.present.get(base, ())
        ):
            self.unguarded.add(value)

    def _place(self, op: Op, site: Site) -> None:
        if isinstance(op, _KIND_ONLY) and op.packet in self.region.versions:
            self.inlined.update(op.results)
        elif isinstance(op, EXPRESSIONS):
            for result in op.results:
                self._place_expression(op, result, site)
        elif not has_no_write(op) or any(
            self.bases.get(result, result) in self.sites for result in op.results
        ):
            for value in self._evaluated(op, site):
                self._use(value, site)

    def _place_expression(self, op: Op, result: Value, site: Site) -> None:
        sites = self.sites.get(result, [])
        if result in self.region.constants or not sites:
            return
        depth = self.depths.get(result, 0)
        is_alone = len(sites) == 1 and depth < MOST_DEPTH and result not in self.kept
        if is_alone and not self._is_changed_between(op, site, sites[0]):
            self.inlined.add(result)
            site = sites[0]
        else:
            depth = 0
        for value in operands(op):
            self._use(value, site)
            self.depths[value] = depth + 1

    def _evaluated(self, op: Op, site: Site) -> Iterator[Value]:
        """Yield the operands that are evaluated at an operation: not those of a key made before."""
        values = operands(op)
        if isinstance(op, Find | Insert):
            kind = op.index if isinstance(op, Find) else "key"
            if self.keys[site, kind] != site:
                values = values[len(op.key) :]
        yield from values

    def _is_changed_between(self, op: Op, start: Site, end: Site) -> bool:
        return any(_changes(other, op) for other in self._between(start, end))

    def _between(self, start: Site, end: Site) -> Iterator[Op]:
        blocks = self.region.blocks
        if start.block == end.block:
            yield from blocks[start.block].operations[start.index + 1 : end.index]
            return
        yield from blocks[start.block].operations[start.index + 1 :]
        for name in self.below[start.block]:
            if name != end.block and end.block in self.below[name]:
                yield from blocks[name].operations
        yield from blocks[end.block].operations[: end.index]


def _changes(other: Op, op: Op) -> bool:
    """Tell whether an operation changes what another would read."""
    if isinstance(op, Read):
        return isinstance(other, Write)
    mine, theirs = effect(op), effect(other)
    return (
        mine is not None and theirs is not None and theirs.object == mine.object and theirs.access != "read"
    )


def _descendants(region: Region) -> dict[str, frozenset[str]]:
    below: dict[str, frozenset[str]] = {}
    for name, block in reversed(region.blocks.items()):
        found: set[str] = set()
        for edge in inner_edges(block.terminator):
            found |= {edge.block} | below[edge.block]
        below[name] = frozenset(found)
    return below
