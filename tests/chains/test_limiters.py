"""Behaviour of the policers and the connection limiters."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.chains.bench import Bench, on_both_engines, put_between
from tests.chains.frames_of import (
    ACK,
    ARP_FRAME,
    FIN,
    HOST,
    IPV6_FRAME,
    OTHER_HOST,
    OTHER_SERVER,
    RST,
    SERVER,
    SYN,
    SYN_ACK,
    fragments,
    tcp,
    udp,
)
from tests.chains.machines import Engine
from tests.frames import Frame

TO_INSIDE = udp(src=SERVER, dst=HOST, sport=53, dport=40000)


def of_size(frame: Frame, size: int) -> Frame:
    """Return a frame of that many bytes, check sequence not counted."""
    return replace(frame, payload=bytes(size - 42))


# ---------------------------------------------------------------- policers


@pytest.mark.parametrize(
    ("nf", "interface", "frame", "other"),
    [
        ("policer", "wan", TO_INSIDE, replace(TO_INSIDE, dst=OTHER_HOST)),
        ("policer_by_source", "lan", udp(), udp(src=OTHER_HOST)),
    ],
)
@on_both_engines
def test_a_bucket_lets_its_burst_pass_and_then_its_rate_for_each_address(
    tmp_path: Path, nf: str, interface: str, frame: Frame, other: Frame, engine: Engine
) -> None:
    # 8 kbit/s are 1000 bytes in a second.
    bench = put_between(tmp_path, nf, "speed: 8kbit/s, burst: 2kB", engine=engine)
    frame, other = of_size(frame, 500), of_size(other, 500)
    sent = bench.send_all([(interface, frame)] * 5 + [(interface, other)])
    assert [len(left) for left in sent] == [1, 1, 1, 1, 0, 1]
    sent = bench.send_all([(interface, frame)] * 3, at=1)
    assert [len(left) for left in sent] == [1, 1, 0]
    assert bench.drops == {"nf.too_fast": 2}


def test_the_whole_frame_counts_without_its_check_sequence_and_what_is_dropped_takes_nothing(
    tmp_path: Path,
) -> None:
    bench = put_between(tmp_path, "policer", "speed: 8kbit/s, burst: 200B")
    assert bench.send("wan", of_size(TO_INSIDE, 201)) == []
    bench.passes("wan", of_size(TO_INSIDE, 140))
    assert bench.send("wan", of_size(TO_INSIDE, 61)) == []
    bench.passes("wan", of_size(TO_INSIDE, 60))
    assert bench.drops == {"nf.too_fast": 2}


def test_bytes_of_vlan_tags_count(tmp_path: Path) -> None:
    bench = put_between(tmp_path, "policer", "speed: 8kbit/s, burst: 200B")
    assert bench.send("wan", replace(of_size(TO_INSIDE, 200), vlans=(7,))) == []
    bench.passes("wan", replace(of_size(TO_INSIDE, 196), vlans=(7,)))


def test_the_policers_let_the_other_direction_pass_whatever_it_is(tmp_path: Path) -> None:
    for nf, free, policed in (("policer", "lan", "wan"), ("policer_by_source", "wan", "lan")):
        bench = put_between(tmp_path, nf, "speed: 1bit/s, burst: 1B")
        for frame in (ARP_FRAME, IPV6_FRAME, udp().encode()):
            assert bench.passes(free, frame) == frame
        assert bench.send(policed, ARP_FRAME) == []
        assert bench.send(policed, IPV6_FRAME) == []
        assert bench.drops == {"nf.not_ipv4": 2}


def test_a_policer_with_a_full_table_refuses_new_addresses_only(tmp_path: Path) -> None:
    bench = put_between(tmp_path, "policer", "capacity: 1, idle: 10s")
    bench.passes("wan", TO_INSIDE, at=0)
    assert bench.send("wan", replace(TO_INSIDE, dst=OTHER_HOST), at=5) == []
    bench.passes("wan", TO_INSIDE, at=5)
    bench.passes("wan", replace(TO_INSIDE, dst=OTHER_HOST), at=15)
    assert bench.drops == {"nf.table_full": 1}


def test_fragments_are_policed_like_all_packets(tmp_path: Path) -> None:
    bench = put_between(tmp_path, "policer", "speed: 8kbit/s, burst: 100B")
    first, last = fragments(TO_INSIDE)
    bench.passes("wan", first)
    assert bench.send("wan", last) == [("lan", last.encode())]
    assert bench.send("wan", last) == []


# ---------------------------------------------------------------- connection limiters


def client(number: int, flags: int = SYN) -> Frame:
    return tcp(src=SERVER, dst=HOST, sport=5000 + number, dport=80, flags=flags)


def answer(number: int, flags: int = SYN_ACK) -> Frame:
    return replace(client(number).reply(), flags=flags)


@pytest.fixture
def exact(tmp_path: Path, engine: Engine) -> Bench:
    return put_between(tmp_path, "connection_limiter", "most: 1..3", engine=engine)


def open_connection(bench: Bench, number: int, at: float = 0) -> None:
    bench.passes("wan", client(number), at)
    bench.passes("lan", answer(number), at)
    bench.passes("wan", client(number, ACK), at)


@pytest.mark.parametrize("nf", ["connection_limiter", "connection_limiter_sketch"])
@on_both_engines
def test_a_limiter_lets_so_many_connections_in_and_keeps_them(
    tmp_path: Path, nf: str, engine: Engine
) -> None:
    most = "1..3" if nf == "connection_limiter" else "3"
    bench = put_between(tmp_path, nf, f"most: {most}", engine=engine)
    sent = bench.send_all([("wan", client(number)) for number in range(5)])
    assert [len(left) for left in sent] == [1, 1, 1, 0, 0]
    sent = bench.send_all([("wan", client(number, ACK)) for number in range(3)])
    assert [len(left) for left in sent] == [1, 1, 1]
    bench.passes("wan", replace(client(0), src=OTHER_SERVER))
    assert bench.drops == {"nf.too_many": 2}


@on_both_engines
def test_a_connection_that_both_sides_closed_gives_its_place_back_once(exact: Bench) -> None:
    for number in range(3):
        open_connection(exact, number)
    exact.passes("wan", client(0, FIN | ACK), at=10)
    exact.passes("lan", answer(0, FIN | ACK), at=10)
    exact.passes("wan", client(0, ACK), at=10)
    exact.passes("lan", answer(0, FIN | ACK), at=11)
    assert exact.send("wan", client(3), at=40.9) == []
    exact.passes("wan", client(3), at=41)
    assert exact.send("wan", client(4), at=41) == []
    assert exact.drops == {"nf.too_many": 2}


def test_a_half_closed_connection_still_counts(exact: Bench) -> None:
    for number in range(3):
        open_connection(exact, number)
    for number in range(3):
        exact.passes("wan", client(number, FIN | ACK), at=1)
        exact.passes("wan", client(number, FIN | ACK), at=2)
    assert exact.send("wan", client(3), at=7000) == []


@pytest.mark.parametrize("who", ["lan", "wan"])
def test_a_reset_gives_the_place_back(exact: Bench, who: str) -> None:
    for number in range(3):
        open_connection(exact, number)
    exact.passes(who, client(1, RST) if who == "wan" else answer(1, RST))
    assert exact.send("wan", client(3), at=29) == []
    exact.passes("wan", client(3), at=30)


def test_a_connection_that_is_not_answered_gives_its_place_back_soon(exact: Bench) -> None:
    for number in range(3):
        exact.passes("wan", client(number), at=0)
    exact.passes("lan", answer(0), at=1)
    exact.passes("wan", client(3), at=30)
    exact.passes("wan", client(4), at=30)
    assert exact.send("wan", client(5), at=30) == []


def test_a_syn_opens_a_closed_connection_again_in_its_own_place(exact: Bench) -> None:
    for number in range(3):
        open_connection(exact, number)
    exact.passes("wan", client(0, RST), at=1)
    open_connection(exact, 0, at=2)
    assert exact.send("wan", client(3), at=100) == []


def test_a_segment_that_opens_nothing_needs_a_connection(exact: Bench) -> None:
    for flags in (ACK, SYN_ACK, FIN | ACK, RST):
        assert exact.send("wan", client(0, flags)) == []
    assert exact.drops == {"nf.no_connection": 4}


def test_udp_flows_count_until_they_are_idle(exact: Bench) -> None:
    flow = udp(src=SERVER, dst=HOST)
    for number in range(3):
        exact.passes("wan", replace(flow, sport=number), at=0)
        exact.passes("lan", replace(flow, sport=number).reply(), at=0)
    assert exact.send("wan", replace(flow, sport=9), at=7439) == []
    exact.passes("wan", replace(flow, sport=9), at=7440)


@pytest.mark.parametrize("nf", ["connection_limiter", "connection_limiter_sketch"])
def test_a_full_table_and_too_many_connections_have_different_names(tmp_path: Path, nf: str) -> None:
    most = "1..2" if nf == "connection_limiter" else "2"
    bench = put_between(tmp_path, nf, f"most: {most}, capacity: 3")
    for number in range(2):
        bench.passes("wan", client(number))
    assert bench.send("wan", client(2)) == []
    assert bench.drops == {"nf.too_many": 1}
    bench.passes("wan", replace(client(3), src=OTHER_SERVER))
    assert bench.send("wan", replace(client(4), src=OTHER_SERVER)) == []
    assert bench.drops == {"nf.too_many": 1, "nf.table_full": 1}


def test_the_sketch_counts_pairs_of_client_and_server_and_those_refused_not(tmp_path: Path) -> None:
    bench = put_between(tmp_path, "connection_limiter_sketch", "most: 2")
    for number in range(4):
        bench.send("wan", client(number))
    for number in range(2):
        bench.passes("wan", replace(client(number), dst=OTHER_HOST))
    assert bench.drops == {"nf.too_many": 2}


@pytest.mark.parametrize("nf", ["connection_limiter", "connection_limiter_sketch"])
def test_the_limiters_pass_all_from_inside_and_drop_from_outside_by_name(tmp_path: Path, nf: str) -> None:
    bench = put_between(tmp_path, nf)
    first, last = fragments(udp())
    for frame in (ARP_FRAME, IPV6_FRAME, first.encode(), last.encode(), tcp(flags=ACK).encode()):
        assert bench.passes("lan", frame) == frame
    for frame in (ARP_FRAME, IPV6_FRAME, first.encode(), last.encode()):
        assert bench.send("wan", frame) == []
    assert bench.drops == {"nf.fragment": 2, "nf.not_limited": 2}
