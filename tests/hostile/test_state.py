"""Timers, capacities, choices and buckets at the nanosecond and at the byte where they turn."""

from pathlib import Path

import pytest

from tests.frames import Frame, ip
from tests.hostile.forms import Forms, build_forms, fates, one_nf
from tests.traffic import Arrival

SECOND = 1_000_000_000
START = 1000 * SECOND

TABLE = one_nf("""
nf n {
    table t {
        key      host: ipv4
        unique   port: u16
        value    seen: u32 = 0
        timer    long = 10s
        timer    short = 3s
        capacity 1
    }
    from inside (pkt: ipv4 & udp) {
        let e = t.find(host: pkt.ipv4.src) or {
            if pkt.udp.dport != 5 { drop absent }
            let fresh = t.insert(host: pkt.ipv4.src, port: choose 7..7) or drop full
            give fresh
        }
        e.seen = e.seen + 1
        pkt.ipv4.dscp = u6(e.seen & 63)
        if pkt.udp.dport == 1 { touch e.long }
        if pkt.udp.dport == 2 { touch e.short }
        if pkt.udp.dport == 4 {
            remove e
            let again = t.insert(host: pkt.ipv4.src, port: choose 7..7) or drop full_again
            again.seen = 40
        }
        emit outside
    }
    from inside, outside (pkt) { drop other }
}
""")

BUCKETS = one_nf("""
nf n {
    bucket all { rate 8bit/s burst 100B }
    table t {
        key      host: ipv4
        value    own: bucket = bucket(rate: 8Gbit/s, burst: 60B)
        capacity 4
    }
    bucket most { rate 18446744073709551615bit/s burst 18446744073709551615B }
    vector amount: u64[1] = 18446744073709551615

    from inside (pkt: ipv4 & udp) {
        if pkt.udp.dport == 9 {
            if !most.take(size(amount[0])) { drop most_empty }
            emit outside
        } else {
            if !all.take(pkt.length) { drop all_empty }
            let e = t.find(host: pkt.ipv4.src) or t.insert(host: pkt.ipv4.src) or drop full
            if !e.own.take(pkt.length) { drop own_empty }
            emit outside
        }
    }
    from inside, outside (pkt) { drop other }
}
""")


def udp(source: int, dport: int) -> bytes:
    """Return a frame of 50 bytes."""
    return Frame(src=source, dst=ip("10.0.0.2"), dport=dport).encode()


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Forms:
    return build_forms(TABLE, tmp_path_factory.mktemp("table"))


@pytest.fixture(scope="module")
def buckets(tmp_path_factory: pytest.TempPathFactory) -> Forms:
    return build_forms(BUCKETS, tmp_path_factory.mktemp("buckets"))


def test_entries_end_at_the_nanosecond_in_whichever_timer_class_they_are(table: Forms) -> None:
    s = SECOND
    steps = [
        (0, 1, 5, "out"), (0, 2, 5, "full"),
        (10 * s - 1, 1, 3, "out"), (10 * s - 1, 2, 5, "full"), (10 * s, 1, 3, "absent"),
        (10 * s, 2, 5, "out"), (10 * s, 2, 2, "out"), (13 * s - 1, 1, 5, "full"),  # short from 10 s on
        (13 * s - 1, 2, 1, "out"), (13 * s + 1, 2, 3, "out"), (23 * s - 2, 2, 2, "out"),  # long, then short
        (26 * s - 3, 2, 3, "out"), (26 * s - 2, 2, 3, "absent"),
        (26 * s - 2, 1, 5, "out"), (26 * s - 2, 1, 4, "out"), (26 * s - 2, 1, 3, "out"),  # anew in one packet
        (36 * s - 3, 2, 5, "full"), (36 * s - 2, 2, 5, "out"), (36 * s - 2, 1, 3, "absent"),
        (30 * s, 2, 3, "out"),  # a stamp that goes back counts as the latest
    ]  # fmt: skip
    arrivals = [Arrival("lan", START + at, udp(source, what)) for at, source, what, _ in steps]
    assert fates(table.graph, arrivals) == [fate for *_, fate in steps]
    table.assert_all_agree(arrivals)


def test_buckets_fill_at_the_nanosecond_and_hold_no_more_than_their_burst(buckets: Forms) -> None:
    full = 50 * SECOND  # 8 bit/s bring a frame of 50 bytes in so long
    steps = [
        (0, "out"), (0, "own_empty"), (0, "all_empty"),
        (full - 1, "all_empty"), (full, "out"), (full, "all_empty"),
        (2 * full - 1, "all_empty"), (2 * full, "out"),
        (10**9 * SECOND, "out"), (10**9 * SECOND, "own_empty"), (10**9 * SECOND, "all_empty"),
    ]  # fmt: skip
    arrivals = [Arrival("lan", START + at, udp(1, 2000)) for at, _ in steps]
    assert fates(buckets.graph, arrivals) == [fate for _, fate in steps]
    buckets.assert_all_agree(arrivals)


def test_the_largest_bucket_overflows_nowhere(buckets: Forms) -> None:
    late = 2**31 * SECOND
    steps = [
        (0, "out"), (0, "most_empty"), (1, "most_empty"), (8 * SECOND - 1, "most_empty"), (8 * SECOND, "out"),
        (late, "out"), (late, "most_empty"), (2 * late - 1, "out"),
    ]  # fmt: skip
    arrivals = [Arrival("lan", at, udp(1, 9)) for at, _ in steps]
    assert fates(buckets.graph, arrivals) == [fate for _, fate in steps]
    buckets.assert_all_agree(arrivals)


def test_emissions_wait_for_the_end_of_their_handler_and_then_run_in_order(tmp_path: Path) -> None:
    text = """
nf n {
    sides a, b
    vector v: u16[1] = 0
    from a (pkt: ipv4 & udp) {
        emit b
        v[0] = v[0] + 1
        pkt.ipv4.id = v[0]
        emit b
        if pkt.udp.dport == 9 { drop after }
        if pkt.udp.dport == 8 { v[0] = v[0] - 60000 }
    }
    from a (pkt) { drop other }
    from b (pkt: ipv4) {
        pkt.ipv4.ttl = u8(v[0])
        emit a
    }
    from b (pkt) { emit a }
}
nf mirror {
    vector w: u16[1] = 100
    from inside (pkt: ipv4) {
        w[0] = w[0] + 1
        pkt.ipv4.dscp = u6(w[0] & 63)
        emit outside
        emit inside
    }
    from inside (pkt) { drop other }
    from outside (pkt) { emit inside }
}
chain hostile {
    interface lan { mac 02:00:00:00:00:01 }
    interface wan { mac 02:00:00:00:00:02 }
    x = n()
    y = mirror()
    lan <-> x <-> y <-> wan
}
"""
    forms = build_forms(text, tmp_path, sanitize=False)
    arrivals = [Arrival("lan", START, udp(1, dport)) for dport in (7, 9, 8)]
    oracle = forms.oracle()
    left = [
        [
            (name, data[15] >> 2, data[19], data[22])
            for name, data in oracle.receive(a.interface, a.data, a.time)
        ]
        for a in arrivals
    ]
    dscp = (101 & 63, 102 & 63, 103 & 63, 104 & 63, 105 & 63, 106 & 63)
    assert left == [
        [("wan", dscp[0], 1, 64), ("lan", dscp[0], 1, 1), ("wan", dscp[1], 1, 64), ("lan", dscp[1], 1, 1)],
        [("wan", dscp[2], 1, 64), ("lan", dscp[2], 1, 2), ("wan", dscp[3], 2, 64), ("lan", dscp[3], 2, 2)],
        [("wan", dscp[4], 1, 64), ("lan", dscp[4], 1, 3), ("wan", dscp[5], 3, 64), ("lan", dscp[5], 3, 3)],
    ]
    assert dict(oracle.report().drops) == {"x.after": 1, "x.arithmetic": 1}
    assert oracle.report().generated == 3 + 4 + 4
    forms.assert_all_agree(arrivals)
