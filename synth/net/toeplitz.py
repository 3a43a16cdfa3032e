"""The Toeplitz hash of receive-side scaling (Microsoft's RSS specification).

Bit p of the 32-bit hash (0 is the most significant) is the XOR over all input bits i of
input[i] AND key[i + p]: linear in the input for a fixed key, and linear in the key for a fixed input.
"""

HASH_BITS = 32


def toeplitz_hash(key: bytes, data: bytes) -> int:
    """Return the 32-bit hash of input bytes.

    Raises:
        ValueError: the key is shorter than the input and the window of 32 bits need.
    """
    if len(key) < len(data) + 4:
        raise ValueError(f"a key of {len(key)} bytes cannot hash {len(data)} bytes")
    windows = key_windows(key, 8 * len(data))
    found = 0
    for place, window in enumerate(windows):
        if data[place // 8] >> (7 - place % 8) & 1:
            found ^= window
    return found


def key_windows(key: bytes, count: int) -> tuple[int, ...]:
    """Return what each of the first `count` input bits adds to the hash: 32 bits of key, one further each."""
    bits, width = int.from_bytes(key, "big"), 8 * len(key)
    return tuple(bits >> (width - HASH_BITS - place) & 0xFFFF_FFFF for place in range(count))
