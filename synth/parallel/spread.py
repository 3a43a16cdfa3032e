"""How well a key spreads: exact ranks, indirection tables over what can be reached, and a measurement."""

from collections.abc import Iterable, Sequence
from random import Random

from synth.net.kinds import Kind
from synth.net.toeplitz import key_windows
from synth.parallel.gf2 import elements, span
from synth.parallel.steering import Hashing, field_width

TUPLES = 8192
"""How many random packets a measurement takes."""
SEED = 1


def contributions(hashing: Hashing, key: bytes, kind: Kind) -> dict[str, tuple[int, ...]]:
    """Return what each bit of each hashed field adds to the hash, the most significant bit first."""
    windows = key_windows(key, hashing.width)
    found: dict[str, list[int]] = {}
    for path, start in hashing.input(kind):
        added = windows[start : start + field_width(path)]
        before = found.get(path, [0] * len(added))
        found[path] = [one ^ other for one, other in zip(before, added, strict=True)]
    return {path: tuple(added) for path, added in found.items()}


def low_bits(hashing: Hashing, key: bytes, kind: Kind, reta: int) -> tuple[int, ...]:
    """Return generators of the indirection table's entries that packets of a kind can reach."""
    added = contributions(hashing, key, kind)
    return tuple(one & reta - 1 for field in added.values() for one in field)


def rank(generators: Iterable[int]) -> int:
    """Return the dimension of what generators span."""
    return span(generators).rank


def fill_table(generators: Iterable[int], size: int, cores: int) -> tuple[int, ...]:
    """Return an indirection table: reachable entries go round the cores in order, so do all others."""
    reachable = elements(generators)
    table = [place % cores for place in range(size)]
    for place, entry in enumerate(reachable):
        table[entry] = place % cores
    return tuple(table)


def read_bits(hashing: Hashing, key: bytes, kind: Kind, reta: int) -> dict[str, tuple[int, int]]:
    """Return the first and last bit of each field that the table's index depends on."""
    found = {}
    for path, added in contributions(hashing, key, kind).items():
        places = [place for place, one in enumerate(added) if one & reta - 1]
        if places:
            found[path] = (places[0], places[-1])
    return found


def measure(hashing: Hashing, key: bytes, kind: Kind, table: Sequence[int], cores: int) -> float:
    """Return the packets of the fullest core against the mean, for uniformly random packets of a kind."""
    random = Random(SEED)  # noqa: S311 - a measurement that comes out the same each time
    added = [one for field in contributions(hashing, key, kind).values() for one in field]
    tables = [_sums(added[start : start + 8]) for start in range(0, len(added), 8)]
    counts = [0] * cores
    for _ in range(TUPLES):
        total = 0
        for sums in tables:
            total ^= sums[random.getrandbits(8) % len(sums)]
        counts[table[total & len(table) - 1]] += 1
    return round(max(counts) * cores / TUPLES, 3)


def _sums(added: Sequence[int]) -> list[int]:
    """Return what each value of up to eight bits adds."""
    sums = [0]
    for one in reversed(added):
        sums += [one ^ other for other in sums]
    return sums
