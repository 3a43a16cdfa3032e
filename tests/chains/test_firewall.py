"""Behaviour of the stateful firewall."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.chains.bench import assert_idle_time, on_both_engines, put_between
from tests.chains.frames_of import (
    ACK,
    ARP_FRAME,
    ECHO_REPLY,
    FIN,
    OTHER_SERVER,
    RST,
    SYN,
    SYN_ACK,
    echo,
    fragments,
    tcp,
    udp,
)
from tests.chains.machines import Engine
from tests.frames import Frame, ip


@on_both_engines
def test_a_thousand_tcp_connections_get_their_replies_and_nothing_else_comes_in(
    tmp_path: Path, engine: Engine
) -> None:
    bench = put_between(tmp_path, "firewall", engine=engine)
    flows = [tcp(src=ip("10.0.0.0") + 5 + n // 100, sport=20000 + n) for n in range(1000)]
    sent = bench.send_all([("lan", flow) for flow in flows])
    assert sent == [[("wan", flow.encode())] for flow in flows]
    answers = [replace(flow.reply(), flags=SYN_ACK) for flow in flows]
    sent = bench.send_all([("wan", answer) for answer in answers])
    assert sent == [[("lan", answer.encode())] for answer in answers]
    unsolicited = [replace(answer, dport=answer.dport + 1000) for answer in answers]
    assert bench.send_all([("wan", frame) for frame in unsolicited]) == [[]] * 1000
    assert bench.drops == {"nf.no_state": 1000}


@pytest.mark.parametrize("flags", [ACK, SYN_ACK, FIN | ACK, RST, SYN | FIN, SYN | RST, 0])
def test_only_a_syn_opens_a_tcp_connection(tmp_path: Path, flags: int) -> None:
    bench = put_between(tmp_path, "firewall")
    assert bench.send("lan", tcp(flags=flags)) == []
    assert bench.drops == {"nf.no_state": 1}


@pytest.mark.parametrize("flags", [ACK, FIN | ACK, RST, SYN])
def test_any_segment_of_an_open_connection_passes_both_ways(tmp_path: Path, flags: int) -> None:
    bench = put_between(tmp_path, "firewall")
    bench.passes("lan", tcp(flags=SYN))
    bench.passes("lan", tcp(flags=flags))
    bench.passes("wan", replace(tcp().reply(), flags=flags))


@pytest.mark.parametrize(
    ("opener", "idle"), [(tcp(), 7440), (udp(), 300), (echo(), 60)], ids=["tcp", "udp", "echo"]
)
def test_each_protocol_has_its_own_idle_time(tmp_path: Path, opener: Frame, idle: int) -> None:
    bench = put_between(tmp_path, "firewall")
    assert_idle_time(bench, opener, opener.reply(), idle)
    assert bench.drops == {"nf.no_state": 2}


def test_a_reply_must_come_from_the_server_and_its_port(tmp_path: Path) -> None:
    bench = put_between(tmp_path, "firewall")
    bench.passes("lan", udp())
    assert bench.send("wan", replace(udp().reply(), src=OTHER_SERVER)) == []
    assert bench.send("wan", replace(udp().reply(), sport=54)) == []
    bench.passes("wan", udp().reply())


def test_a_ping_is_answered_but_not_asked_from_outside(tmp_path: Path) -> None:
    bench = put_between(tmp_path, "firewall")
    assert bench.send("lan", echo(of_type=ECHO_REPLY)) == []
    bench.passes("lan", echo())
    bench.passes("wan", echo().reply())
    assert bench.send("wan", replace(echo().reply(), dport=8)) == []
    assert bench.drops == {"nf.no_state": 2}


def test_the_rules_say_what_the_inside_may_open_and_replies_need_none(tmp_path: Path) -> None:
    bench = put_between(tmp_path, "firewall", 'allow: ["permit udp dport 53"]')
    bench.passes("lan", udp())
    bench.passes("wan", udp().reply())
    assert bench.send("lan", tcp()) == []
    assert bench.drops == {"nf.denied": 1}


def test_a_full_table_refuses_new_connections_only(tmp_path: Path) -> None:
    bench = put_between(tmp_path, "firewall", "capacity: 2, udp_idle: 10s")
    bench.passes("lan", udp(sport=1), at=0)
    bench.passes("lan", udp(sport=2), at=5)
    assert bench.send("lan", udp(sport=3), at=5) == []
    bench.passes("lan", udp(sport=2), at=6)
    bench.passes("lan", udp(sport=3), at=10)
    assert bench.drops == {"nf.table_full": 1}


def test_fragments_and_what_is_not_tracked_are_dropped_by_name(tmp_path: Path) -> None:
    bench = put_between(tmp_path, "firewall")
    for frame in fragments(udp()):
        assert bench.send("lan", frame) == []
    assert bench.send("wan", ARP_FRAME) == []
    assert bench.send("lan", replace(udp(), protocol=47)) == []
    assert bench.send("wan", echo(of_type=3)) == []
    assert bench.drops == {"nf.fragment": 2, "nf.not_tracked": 3}
