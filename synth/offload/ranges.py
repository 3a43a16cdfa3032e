"""Ranges of unsigned integers as values under masks: what a ternary match can say."""

from collections.abc import Iterator


def masks_of(low: int, high: int, width: int) -> Iterator[tuple[int, int]]:
    """Yield the fewest disjoint (value, mask) pairs of prefixes that together are `low..high`.

    From the low end, each step takes the largest aligned block that still fits: 1..65534 takes 30 of them,
    the most that 16 bits can need (Srinivasan et al. 1998, section 4.2: 2w - 2).
    """
    top = (1 << width) - 1
    while low <= high:
        size = low & -low or 1 << width
        while size > high - low + 1:
            size >>= 1
        yield low, top & ~(size - 1)
        low += size
