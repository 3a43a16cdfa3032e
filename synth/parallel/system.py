"""The system of equations over GF(2) whose solutions are the valid RSS keys of all interfaces at once.

For each basis vector (x, y) of the packet pairs that must meet and each hash bit p: the sum of x_i k_{i+p}
of one interface's key and y_i k'_{i+p} of the other's is zero. Its null space is the exact set of keys;
when it holds nothing but zero for an interface, no key exists.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from synth.net.toeplitz import HASH_BITS
from synth.parallel.gf2 import Rows, bits
from synth.parallel.linear import OFFSETS
from synth.parallel.relations import SIZE, Relation
from synth.parallel.steering import Steering, field_width

Pair = tuple[str, int, str, int]
"""Two interfaces, and what differs in their hash inputs (bit 0 is the first): it must hash to zero."""
Slots = tuple[tuple[str, int], ...]
"""The fields of a hash's input, and the first bit of each."""


@dataclass(frozen=True, slots=True)
class Keys:
    """The space of keys: `starts` is the first coordinate of each interface's key in the basis vectors."""

    starts: Mapping[str, int]
    lengths: Mapping[str, int]
    basis: tuple[int, ...]
    rank: int

    def part(self, interface: str, vector: int) -> int:
        """Return an interface's key bits of a vector; bit 0 is the key's first bit."""
        return vector >> self.starts[interface] & (1 << self.lengths[interface]) - 1

    def freedom(self, interface: str) -> int:
        """Return how many of the interface's key bits can be chosen freely."""
        found = Rows()
        for vector in self.basis:
            found.add(self.part(interface, vector))
        return found.rank


def solve(relations: Iterable[Relation], steering: Steering, *, hash_bits: int = HASH_BITS) -> Keys:
    """Return all keys under which packets that must meet have equal hashes.

    With `hash_bits` = 1 the keys are single linear functions, free of the Toeplitz structure: what any linear
    hash may depend on.
    """
    interfaces = list(dict.fromkeys(unit.interface for unit in steering.by_unit))
    starts, lengths, place = {}, {}, 0
    for interface in interfaces:
        starts[interface], lengths[interface] = place, steering.key_bits(interface) - 32 + hash_bits
        place += lengths[interface]
    rows = Rows()
    for first, x, second, y in find_pairs(relations, steering):
        one, other = x << starts[first], y << starts[second]
        for shift in range(hash_bits):
            rows.add(one << shift ^ other << shift)
    return Keys(starts, lengths, rows.null_space(place), rows.rank)


def find_pairs(relations: Iterable[Relation], steering: Steering) -> tuple[Pair, ...]:
    """Return a basis of what must hash to zero together, for all relations, equal ones once."""
    found: dict[Pair, None] = {}
    seen: set[object] = set()
    for relation in relations:
        first, second = relation.units
        inputs = [steering.by_unit[unit].input(unit.kind) for unit in relation.units]
        same = (first.interface, second.interface, *inputs, relation.rows)
        if same not in seen:
            seen.add(same)
            for x, y in _differences(relation.rows, inputs[0], inputs[1]):
                found.setdefault((first.interface, x, second.interface, y))
    return tuple(found)


@lru_cache(maxsize=4096)
def _differences(rows: tuple[int, ...], first: Slots, second: Slots) -> tuple[tuple[int, int], ...]:
    """Return a basis of the hash inputs of pairs that satisfy the rows."""
    places: dict[int, int] = {0: 0}
    effects: list[tuple[int, int]] = [(0, 0)]
    for packet, slots in enumerate((first, second)):
        for path in dict.fromkeys(path for path, _ in slots):
            for bit in range(field_width(path)):
                places[OFFSETS[path] + packet * SIZE + bit] = len(places)
                effect = sum(1 << start + bit for own, start in slots if own == path)
                effects.append((0, effect) if packet else (effect, 0))
    count = len(places)
    projected = Rows()
    for row in rows:
        projected.add(sum(1 << places.get(coordinate, count + coordinate) for coordinate in bits(row)))
    found = []
    for vector in projected.below(count).null_space(count):
        x = y = 0
        for place in bits(vector):
            x, y = x ^ effects[place][0], y ^ effects[place][1]
        found.append((x, y))
    return tuple(pair for pair in found if any(pair))
