"""Token buckets, exact: tokens are counted in bit-nanoseconds.

In one nanosecond a rate of r bit/s adds r bit/s * 1 ns = r * 10^-9 bit; with the bit cut into 10^9
parts, that is r parts, and nothing is ever rounded.
"""

PARTS_PER_BYTE = 8 * 1_000_000_000


class IntegerBucket:
    """A token bucket: starts full, holds at most `burst` bytes, gains `rate` bits a second."""

    __slots__ = ("_full", "_rate", "_tokens", "_when")

    def __init__(self, rate: int, burst: int) -> None:
        self._rate = rate
        self._full = burst * PARTS_PER_BYTE
        self._tokens = self._full
        self._when = 0

    def take(self, amount: int, now: int) -> bool:
        """Take an amount of bytes, all or nothing, and tell whether it was there."""
        self._tokens = min(self._full, self._tokens + (now - self._when) * self._rate)
        self._when = now
        wanted = amount * PARTS_PER_BYTE
        if wanted > self._tokens:
            return False
        self._tokens -= wanted
        return True
