"""Internet checksums as sums of differences modulo 65535 (RFC 1071, RFC 1624).

A checksum and a frame's 16-bit words add up to zero modulo 65535. So a change of words changes the
checksum by minus the sum of the differences, however many steps it took; and as 2^16 is 1 modulo 65535,
a field of any width can be taken as one number, shifted to the end of its last word. Of the two
names that zero has there, 0x0000 and 0xFFFF, IPv4, TCP and ICMP are given 0x0000 here and UDP,
where zero means "none", 0xFFFF (RFC 768).
"""

from synth.net.fields import HeaderField

MODULUS = 0xFFFF


def words_sum(data: bytes) -> int:
    """Return the sum of big-endian 16-bit words modulo 65535, an odd last byte padded with zero.

    A header with its right checksum in place gives 0.
    """
    return (int.from_bytes(data, "big") << (8 * (len(data) & 1))) % MODULUS


def field_difference(field: HeaderField, old: int, new: int) -> int:
    """Return by how much the sum of words changes when a field does (may be negative)."""
    return (new - old) << (-(field.bit_offset + field.width) % 16)


def adjusted(checksum: int, difference: int) -> int:
    """Return an IPv4, TCP or ICMP checksum after its words changed by a sum of differences."""
    return (checksum - difference) % MODULUS


def adjusted_udp(checksum: int, difference: int) -> int:
    """Return a UDP checksum after such a change: none stays none, a computed zero is 0xFFFF."""
    return (checksum - difference) % MODULUS or MODULUS if checksum else 0
