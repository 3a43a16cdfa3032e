"""Maglev hashing: a table of slots that spreads over backends and moves little when they change.

After Eisenbud et al., "Maglev: A Fast and Reliable Software Network Load Balancer", NSDI 2016, section 3.4.
Each backend has its own permutation of the slots and, in turn, takes the next free one of it.
"""

from collections.abc import Sequence

from synth.net.crc32c import hash_scalars

DEFAULT_SLOTS = 4099
"""A prime, so that a hundred backends differ by a few per cent and the table stays in the L1 cache."""


def is_prime(number: int) -> bool:
    """Tell whether a number is prime."""
    return number >= 2 and all(number % divisor for divisor in range(2, int(number**0.5) + 1))


def next_prime(number: int) -> int:
    """Return the least prime that is not below a number."""
    candidate = max(number, 2)
    while not is_prime(candidate):
        candidate += 1
    return candidate


def build_ring(
    identities: Sequence[tuple[int, int]],
    weights: Sequence[int],
    slots: int = DEFAULT_SLOTS,
) -> tuple[int, ...]:
    """Fill the slots with row numbers of the backends.

    A backend is known by one scalar, (value, width in bits); its permutation comes from the scalar's
    CRC-32C. Shares are proportional to the weights; a weight of 0 gets no slot (a backend that drains).
    Turns go in the order of identities, never of rows: listing the backends in another order moves
    no slot. Rows with equal identities take turns in their own order.

    Args:
        identities: one for each row.
        weights: one for each row, in any unit.
        slots: how many slots are wanted; the table has the next prime that is not below, so that
            every permutation reaches every slot, and one for each backend at least.

    Raises:
        ValueError: when no weight is positive.
    """
    rows = sorted(
        (row for row, weight in enumerate(weights) if weight > 0), key=lambda row: (identities[row], row)
    )
    if not rows:
        raise ValueError("no backend has a positive weight")
    size = next_prime(max(slots, len(rows), 3))
    return _fill(rows, [_permutation(identities[row], size) for row in rows], weights, size)


def _permutation(identity: tuple[int, int], slots: int) -> tuple[int, int]:
    """Return offset and skip of a backend's permutation of the slots."""
    offset = hash_scalars((identity,)) % slots
    skip = hash_scalars((identity, (1, 8))) % (slots - 1) + 1
    return offset, skip


def _fill(
    rows: Sequence[int],
    permutations: Sequence[tuple[int, int]],
    weights: Sequence[int],
    slots: int,
) -> tuple[int, ...]:
    """Let the rows take turns until no slot is free.

    A row of weight w takes part in w of every `heaviest` rounds, spread evenly.
    """
    table = [-1] * slots
    heaviest = max(weights[row] for row in rows)
    credit = [0] * len(rows)
    position = [offset for offset, _ in permutations]
    free = slots
    while True:
        for turn, row in enumerate(rows):
            credit[turn] += weights[row]
            if credit[turn] < heaviest:
                continue
            credit[turn] -= heaviest
            slot, skip = position[turn], permutations[turn][1]
            while table[slot] >= 0:
                slot = (slot + skip) % slots
            table[slot] = row
            position[turn] = slot
            free -= 1
            if not free:
                return tuple(table)
