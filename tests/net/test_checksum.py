import random

from hypothesis import given
from hypothesis import strategies as st

from synth.net.checksum import adjusted, adjusted_udp, field_difference, words_sum
from synth.net.fields import FIELDS
from tests.frames import ones_complement_sum


def checksum_of(words: bytes) -> int:
    return (0xFFFF - ones_complement_sum(words)) % 0xFFFF


@given(st.binary(max_size=80))
def test_the_sum_of_words_is_the_folded_sum_modulo_65535(data: bytes) -> None:
    assert words_sum(data) == ones_complement_sum(data) % 0xFFFF


@given(
    st.binary(min_size=20, max_size=20),
    st.sampled_from([f for f in FIELDS.values() if f.header == "ipv4"]),
    st.integers(0),
)
def test_an_adjusted_checksum_is_the_one_computed_anew(words: bytes, field, seed: int) -> None:
    value = random.Random(seed).getrandbits(field.width)
    total, shift = int.from_bytes(words, "big"), 160 - field.bit_offset - field.width
    old = total >> shift & (1 << field.width) - 1
    changed = (total ^ (old ^ value) << shift).to_bytes(20, "big")
    assert adjusted(checksum_of(words), field_difference(field, old, value)) == checksum_of(changed)


@given(st.integers(0, 0xFFFE), st.integers(-(2**40), 2**40), st.integers(-(2**40), 2**40))
def test_two_adjustments_are_one_of_their_sum(checksum: int, first: int, second: int) -> None:
    assert adjusted(adjusted(checksum, first), second) == adjusted(checksum, first + second)
    assert adjusted_udp(adjusted_udp(checksum, first), second) == adjusted_udp(checksum, first + second)


@given(st.integers(-(2**40), 2**40))
def test_no_udp_checksum_stays_none(difference: int) -> None:
    assert adjusted_udp(0, difference) == 0


def test_a_computed_zero_is_ffff_for_udp_and_0000_for_others() -> None:
    assert adjusted_udp(0x1234, 0x1234) == 0xFFFF
    assert adjusted(0x1234, 0x1234) == 0


@given(st.integers(1, 0xFFFF))
def test_an_unchanged_udp_checksum_stays_as_received(checksum: int) -> None:
    assert adjusted_udp(checksum, 0) == checksum
