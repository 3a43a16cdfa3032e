"""Behaviour of the scan detectors, and of what only counts or copies."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.chains.bench import Bench, make_bench, on_both_engines, put_between
from tests.chains.frames_of import (
    ACK,
    ARP_FRAME,
    HOST,
    IPV6_FRAME,
    OTHER_SERVER,
    RST,
    SERVER,
    SYN_ACK,
    echo,
    fragments,
    tcp,
    udp,
)
from tests.chains.machines import Engine
from tests.frames import Frame, ip


def probe(port: int = 80, *, host: int = HOST, source: int = SERVER) -> Frame:
    return tcp(src=source, dst=host, sport=6000, dport=port)


# ---------------------------------------------------------------- port_scan_detector


@on_both_engines
def test_ports_beyond_the_first_ones_of_a_source_are_refused(tmp_path: Path, engine: Engine) -> None:
    bench = put_between(tmp_path, "port_scan_detector", "most: 3", engine=engine)
    sent = bench.send_all([("wan", probe(port)) for port in (1, 2, 2, 3, 4, 1, 5)])
    assert [len(left) for left in sent] == [1, 1, 1, 1, 0, 1, 0]
    bench.passes("wan", probe(9, source=OTHER_SERVER))
    assert bench.drops == {"nf.scanning": 2}


def test_the_ports_of_a_source_are_counted_over_all_hosts(tmp_path: Path) -> None:
    bench = put_between(tmp_path, "port_scan_detector", "most: 2")
    bench.passes("wan", probe(1))
    bench.passes("wan", probe(2, host=HOST + 1))
    assert bench.send("wan", probe(3, host=HOST + 2)) == []
    bench.passes("wan", probe(1, host=HOST + 3))


def test_a_silent_source_starts_anew(tmp_path: Path) -> None:
    bench = put_between(tmp_path, "port_scan_detector", "most: 1, idle: 10s")
    bench.passes("wan", probe(1), at=0)
    assert bench.send("wan", probe(2), at=9) == []
    bench.passes("wan", probe(2), at=19)


# ---------------------------------------------------------------- scan_detector


@pytest.fixture
def detector(tmp_path: Path, engine: Engine) -> Bench:
    return put_between(tmp_path, "scan_detector", "ports: 1..3, hosts: 1..4, wait: 60s", engine=engine)


@on_both_engines
def test_a_vertical_scan_is_told_from_a_horizontal_one(detector: Bench) -> None:
    sent = detector.send_all([("wan", probe(port)) for port in range(1, 6)])
    assert [len(left) for left in sent] == [1, 1, 1, 0, 0]
    assert detector.drops == {"nf.vertical_scan": 2}
    hosts = [probe(80, host=HOST + number, source=OTHER_SERVER) for number in range(6)]
    assert [len(left) for left in detector.send_all([("wan", one) for one in hosts])] == [1, 1, 1, 1, 0, 0]
    assert detector.drops == {"nf.vertical_scan": 2, "nf.horizontal_scan": 2}


@on_both_engines
def test_targets_that_answer_are_not_counted(detector: Bench) -> None:
    for port in range(1, 20):
        detector.passes("wan", probe(port))
        detector.passes("lan", replace(probe(port).reply(), flags=SYN_ACK))
        detector.passes("wan", replace(probe(port), flags=ACK))
    assert detector.drops == {}


def test_a_closed_ports_reset_is_no_answer(detector: Bench) -> None:
    for port in range(1, 4):
        detector.passes("wan", probe(port))
        detector.passes("lan", replace(probe(port).reply(), flags=RST | ACK))
    assert detector.send("wan", probe(4)) == []


def test_a_target_counts_once_however_often_it_is_tried(detector: Bench) -> None:
    for _ in range(5):
        detector.passes("wan", probe(1))
        detector.passes("wan", replace(probe(1), sport=7000))
    detector.passes("wan", probe(2))
    detector.passes("wan", probe(3))
    assert detector.send("wan", probe(4)) == []
    detector.passes("wan", probe(2))


def test_a_late_answer_frees_its_target_and_a_horizontal_refusal_leaves_nothing_behind(
    detector: Bench,
) -> None:
    for number in range(4):
        detector.passes("wan", probe(80, host=HOST + number))
    assert detector.send("wan", probe(80, host=HOST + 4)) == []
    for port in (1, 2, 3):
        detector.passes("wan", probe(port, host=HOST + 4))
    detector.passes("lan", replace(probe(80, host=HOST + 2).reply(), flags=SYN_ACK))
    detector.passes("wan", probe(80, host=HOST + 5))
    assert detector.send("wan", probe(80, host=HOST + 6)) == []


def test_unanswered_targets_are_forgotten_after_their_time(detector: Bench) -> None:
    for port in range(1, 4):
        detector.passes("wan", probe(port), at=0)
    assert detector.send("wan", probe(4), at=59) == []
    detector.passes("wan", probe(4), at=60)


def test_a_full_table_is_no_scan(tmp_path: Path) -> None:
    bench = put_between(tmp_path, "scan_detector", "capacity: 2")
    bench.passes("wan", probe(1))
    bench.passes("wan", probe(2))
    assert bench.send("wan", probe(3)) == []
    assert bench.drops == {"nf.table_full": 1}


@pytest.mark.parametrize("nf", ["scan_detector", "port_scan_detector"])
def test_the_detectors_pass_all_from_inside_and_drop_from_outside_by_name(tmp_path: Path, nf: str) -> None:
    bench = put_between(tmp_path, nf)
    first, last = fragments(udp())
    for frame in (ARP_FRAME, IPV6_FRAME, first.encode(), last.encode(), tcp(flags=ACK).encode()):
        assert bench.passes("lan", frame) == frame
    for frame in (ARP_FRAME, echo().encode(), first.encode(), last.encode()):
        assert bench.send("wan", frame) == []
    assert bench.drops == {"nf.fragment": 2, "nf.not_watched": 2}


# ---------------------------------------------------------------- what only counts


@on_both_engines
def test_bytes_above_the_rate_count_at_each_length_of_the_sources_prefix(
    tmp_path: Path, engine: Engine
) -> None:
    bench = put_between(tmp_path, "heavy_hitters", "speed: 8bit/s, burst: 300B", engine=engine)
    base = ip("198.51.100.16")
    frame = replace(udp(src=base, dst=HOST), payload=bytes(58))  # 100 bytes
    sources = [base, base + 1, base + 2, base + 3, base + 4, base]
    sent = bench.send_all([("wan", replace(frame, src=source)) for source in sources])
    assert [len(left) for left in sent] == [1] * 6
    # Each bucket has room for three frames; five of the six are of the first /30.
    assert bench.counters == {"nf.heavy_28": 300, "nf.heavy_30": 200}
    bench.send_all([("wan", frame)] * 2)
    assert bench.counters == {"nf.heavy_28": 500, "nf.heavy_30": 400, "nf.heavy_32": 100}
    assert bench.drops == {}


def test_prefixes_without_room_are_counted_and_pass(tmp_path: Path) -> None:
    bench = put_between(tmp_path, "heavy_hitters", "capacity: 1")
    bench.passes("wan", udp(src=SERVER, dst=HOST))
    bench.passes("wan", udp(src=SERVER + 64, dst=HOST))
    assert bench.counters == {"nf.not_measured": 1}


@on_both_engines
def test_the_flow_monitor_counts_flows_and_bytes_by_protocol(tmp_path: Path, engine: Engine) -> None:
    bench = put_between(tmp_path, "flow_monitor", engine=engine)
    syn = tcp()
    first, last = fragments(udp())
    frames: list[tuple[str, Frame | bytes]] = [
        ("lan", syn), ("wan", syn.reply()), ("lan", udp()), ("lan", udp()), ("lan", echo()),
        ("wan", echo().reply()), ("lan", first), ("wan", last), ("lan", echo(of_type=3)), ("wan", ARP_FRAME),
    ]  # fmt: skip
    sent = bench.send_all(frames)
    assert [[data for _, data in left] for left in sent] == [
        [frame if isinstance(frame, bytes) else frame.encode()] for _, frame in frames
    ]
    icmp = len(echo().encode())
    assert bench.counters == {
        "nf.flows": 3,
        "nf.tcp_bytes": 2 * len(syn.encode()),
        "nf.udp_bytes": 2 * len(udp().encode()),
        "nf.icmp_bytes": 3 * icmp,
        "nf.fragment_bytes": len(first.encode()) + len(last.encode()),
        "nf.other_bytes": len(ARP_FRAME),
    }


def test_a_flow_that_was_silent_is_new_again(tmp_path: Path) -> None:
    bench = put_between(tmp_path, "flow_monitor", "capacity: 1, idle: 10s")
    bench.passes("lan", udp(), at=0)
    bench.passes("wan", udp().reply(), at=9)
    bench.passes("lan", udp(), at=18)
    bench.passes("lan", tcp(), at=18)
    assert bench.counters["nf.not_followed"] == 1
    bench.passes("lan", udp(), at=28)
    assert bench.counters["nf.flows"] == 2


def test_the_rate_counter_counts_both_directions_and_what_is_above(tmp_path: Path) -> None:
    bench = put_between(tmp_path, "rate_counter", "speed: 8bit/s, burst: 250B")
    frame = replace(udp(), payload=bytes(58))  # 100 bytes
    for _ in range(3):
        bench.passes("lan", frame)
    bench.passes("wan", ARP_FRAME)
    assert bench.counters == {
        "nf.frames_out": 3, "nf.bytes_out": 300, "nf.above_out": 100, "nf.frames_in": 1, "nf.bytes_in": 60,
    }  # fmt: skip


@on_both_engines
def test_the_mirror_copies_both_directions_and_lets_nothing_in(tmp_path: Path, engine: Engine) -> None:
    bench = make_bench(
        tmp_path,
        """
        use nf: mirror

        chain bench {
            interface lan { mac 02:00:00:00:00:01 }
            interface wan { mac 02:00:00:00:00:02 }
            interface tap { mac 02:00:00:00:00:03 }
            nf = mirror()
            lan <-> nf.inside
            wan <-> nf.outside
            tap <-> nf.monitor
        }
        """,
        engine=engine,
    )
    for data in (udp().encode(), ARP_FRAME):
        assert bench.send("lan", data) == [("wan", data), ("tap", data)]
        assert bench.send("wan", data) == [("lan", data), ("tap", data)]
    assert bench.send("tap", udp()) == []
    assert bench.drops == {"nf.from_monitor": 1}


@pytest.mark.parametrize("ethertype", ["8847", "8848"])
def test_only_labelled_frames_pass_the_mpls_pass(tmp_path: Path, ethertype: str) -> None:
    bench = put_between(tmp_path, "mpls_pass")
    plain = bytes.fromhex("020000000001 020000000a01" + ethertype + "00010140") + bytes(46)
    tagged = plain[:12] + bytes.fromhex("81000007") + plain[12:]
    for data in (plain, tagged):
        assert bench.passes("lan", data) == data
        assert bench.passes("wan", data) == data
    assert bench.send("lan", udp()) == []
    assert bench.send("wan", ARP_FRAME) == []
    assert bench.drops == {"nf.not_mpls": 2}
