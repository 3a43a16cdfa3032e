"""CRC-32C (Castagnoli), the language's one hash function.

As in RFC 3720 (iSCSI): reflected, initial value and final XOR all ones. Processors compute it in one
instruction, so interpreter, Z3 and C agree at no cost. This is the only module that knows google_crc32c.
"""

from collections.abc import Iterable

import google_crc32c


def crc32c(data: bytes) -> int:
    """Return the CRC-32C of some bytes."""
    return int(google_crc32c.value(data))


def hash_scalars(values: Iterable[tuple[int, int]]) -> int:
    """Return the CRC-32C of a row of scalars, each given as (value, width in bits).

    Each is laid down big-endian in whole bytes, one after another: a truth value (width 1) is one
    byte, a `u12` is two.

    Raises:
        OverflowError: when a value is negative or wider than its bytes.
    """
    return crc32c(b"".join(value.to_bytes((width + 7) // 8, "big") for value, width in values))
