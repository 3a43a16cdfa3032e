"""CRC-32C against published values, and the layout of hashed scalars."""

import pytest

from synth.net.crc32c import crc32c, hash_scalars


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"123456789", 0xE3069283),  # the check value of the catalogue of CRCs
        (bytes(32), 0x8A9136AA),  # RFC 3720, B.4
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
)
def test_crc32c_gives_the_published_values(data: bytes, expected: int) -> None:
    assert crc32c(data) == expected


def test_scalars_are_hashed_big_endian_in_whole_bytes_and_a_truth_value_is_one_byte() -> None:
    row = ((0x0A000001, 32), (0x1234, 16), (0xABC, 12), (1, 1), (17, 8))
    assert hash_scalars(row) == crc32c(bytes.fromhex("0a000001 1234 0abc 01 11"))


def test_a_value_wider_than_its_bytes_is_refused() -> None:
    with pytest.raises(OverflowError):
        hash_scalars(((256, 8),))
