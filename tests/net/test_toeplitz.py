"""The Toeplitz hash against Microsoft's verification suite and the published vectors of other keys."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest

from synth.net.toeplitz import toeplitz_hash

MICROSOFT = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")
VECTORS = [
    ("66.9.149.187", 2794, "161.142.100.80", 1766, 0x51CCC178, 0x323E8FC2),
    ("199.92.111.2", 14230, "65.69.140.83", 4739, 0xC626B0EA, 0xD718262A),
    ("24.19.198.95", 12898, "12.22.207.184", 38024, 0x5C2B394A, 0xD2D0A5DE),
    ("38.27.205.30", 48228, "209.142.163.6", 2217, 0xAFC7327F, 0x82989176),
    ("153.39.163.191", 44251, "202.188.127.2", 1303, 0x10E828A2, 0x5D1809C5),
    ("3ffe:2501:200:1fff::7", 2794, "3ffe:2501:200:3::1", 1766, 0x40207D3D, 0x2CC18CD5),
    ("3ffe:501:8::260:97ff:fe40:efab", 14230, "ff02::1", 4739, 0xDDE51BBF, 0x0F0C461C),
    (
        "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 44251, "fe80::200:f8ff:fe21:67cf", 38024,
        0x02D1FEEF, 0x4B61E985,
    ),
]  # fmt: skip


def four_tuple(src: str, sport: int, dst: str, dport: int) -> bytes:
    addresses: list[IPv4Address | IPv6Address] = [ip_address(src), ip_address(dst)]
    return b"".join(one.packed for one in addresses) + sport.to_bytes(2, "big") + dport.to_bytes(2, "big")


@pytest.mark.parametrize(("src", "sport", "dst", "dport", "with_ports", "addresses_only"), VECTORS)
def test_microsofts_vectors(src, sport, dst, dport, with_ports, addresses_only):
    data = four_tuple(src, sport, dst, dport)
    assert toeplitz_hash(MICROSOFT, data) == with_ports
    assert toeplitz_hash(MICROSOFT, data[:-4]) == addresses_only


def test_the_repeating_key_hashes_both_directions_alike():
    key = bytes.fromhex("6d5a" * 20)
    there = four_tuple("66.9.149.187", 2794, "161.142.100.80", 1766)
    back = four_tuple("161.142.100.80", 1766, "66.9.149.187", 2794)
    assert toeplitz_hash(key, there) == toeplitz_hash(key, back) == 0x9FCC9FCC


def test_one_key_bit_hashes_the_destination_address_backwards():
    key = (1 << 319 - 63).to_bytes(40, "big")
    hashed = toeplitz_hash(key, four_tuple("10.0.0.1", 2794, "161.142.100.80", 1766))
    assert hashed == 0x0A267185
    assert f"{hashed:032b}"[::-1] == f"{int(IPv4Address('161.142.100.80')):032b}"


def test_a_key_that_is_too_short_is_refused():
    with pytest.raises(ValueError, match="cannot hash"):
        toeplitz_hash(bytes(15), bytes(12))
