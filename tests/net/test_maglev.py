"""The consistent-hash ring: shares, disruption, order."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.net.maglev import DEFAULT_SLOTS, build_ring, is_prime, next_prime

FIRST_ADDRESS = 0xC0000201


def addresses(count: int) -> list[tuple[int, int]]:
    return [(FIRST_ADDRESS + row, 32) for row in range(count)]


@pytest.mark.parametrize("count", [1, 2, 3, 10, 100])
def test_equal_weights_share_the_slots_within_one(count: int) -> None:
    shares = Counter(build_ring(addresses(count), [1] * count))
    assert set(shares) == set(range(count))
    assert max(shares.values()) - min(shares.values()) <= 1


def test_shares_follow_the_weights() -> None:
    weights = [1, 2, 5, 0, 8]
    shares = Counter(build_ring(addresses(5), weights))
    assert shares[3] == 0
    for row, weight in enumerate(weights):
        assert shares[row] == pytest.approx(DEFAULT_SLOTS * weight / 16, abs=2)


@pytest.mark.parametrize("removed", [0, 4, 9])
def test_removing_a_backend_moves_few_slots_of_the_others(removed: int) -> None:
    before = build_ring(addresses(10), [1] * 10)
    weights = [0 if row == removed else 1 for row in range(10)]
    after = build_ring(addresses(10), weights)
    moved = sum(old not in (removed, new) for old, new in zip(before, after, strict=True))
    # Maglev is not minimal: the paper's figure 12 shows a few per cent of extra disruption.
    assert moved < 0.05 * DEFAULT_SLOTS


def test_draining_a_backend_is_the_same_as_leaving_it_out() -> None:
    drained = build_ring(addresses(4), [1, 1, 1, 0])
    assert drained == build_ring(addresses(3), [1, 1, 1])


@given(st.permutations(range(8)), st.lists(st.integers(0, 9), min_size=8, max_size=8).filter(any))
def test_the_order_of_the_rows_moves_no_slot(order: list[int], weights: list[int]) -> None:
    rows = addresses(8)
    straight = build_ring(rows, weights, 251)
    mixed = build_ring([rows[row] for row in order], [weights[row] for row in order], 251)
    assert [rows[row] for row in straight] == [rows[order[row]] for row in mixed]


def test_every_slot_is_filled_and_the_table_is_the_same_each_time() -> None:
    table = build_ring(addresses(7), [3] * 7, 1009)
    assert len(table) == 1009
    assert min(table) == 0
    assert table == build_ring(addresses(7), [3] * 7, 1009)


@pytest.mark.parametrize(("slots", "size"), [(1, 5), (6, 7), (100, 101), (4099, 4099)])
def test_the_table_has_the_next_prime_and_room_for_every_backend(slots: int, size: int) -> None:
    table = build_ring(addresses(4), [1] * 4, slots)
    assert len(table) == size
    assert set(table) == {0, 1, 2, 3}


@pytest.mark.parametrize("weights", [[], [0], [0, 0]])
def test_a_ring_of_nothing_is_refused(weights: list[int]) -> None:
    with pytest.raises(ValueError, match="weight"):
        build_ring(addresses(len(weights)), weights)


def test_primes_are_told_from_other_numbers() -> None:
    assert [number for number in range(30) if is_prime(number)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29]
    assert next_prime(4096) == 4099
    assert next_prime(13) == 13
