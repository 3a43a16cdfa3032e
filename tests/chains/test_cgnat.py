"""Behaviour of the carrier-grade NAPT: hairpinning, parity, port preservation, exhaustion."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.chains.bench import Bench, assert_idle_time, on_both_engines, put_between
from tests.chains.frames_of import (
    ECHO_REPLY,
    HOST,
    OTHER_HOST,
    OTHER_SERVER,
    PUBLIC,
    SERVER,
    SYN_ACK,
    echo,
    fragments,
    tcp,
    udp,
)
from tests.chains.machines import Engine
from tests.frames import Frame, read_frame


def make_nat(tmp_path: Path, more: str = "", *, engine: Engine = "interpreter") -> Bench:
    """Return a NAT with the ports 5000 to 5009."""
    return put_between(tmp_path, "cgnat", f"public: 203.0.113.1, pairs: 2500..2504{more}", engine=engine)


@pytest.fixture
def nat(tmp_path: Path, engine: Engine) -> Bench:
    return make_nat(tmp_path, engine=engine)


def translated(frame: Frame, port: int) -> Frame:
    return replace(frame, src=PUBLIC, sport=port)


def port_of(frame: bytes) -> int:
    fields = read_frame(frame)
    assert fields is not None
    assert fields.src == PUBLIC
    return fields.sport


@on_both_engines
@pytest.mark.parametrize("frame", [udp(), tcp(), echo(identifier=78)], ids=["udp", "tcp", "echo"])
def test_a_packet_and_its_reply_are_translated_to_the_byte(nat: Bench, frame: Frame) -> None:
    assert nat.passes("lan", frame) == translated(frame, 5000).encode()
    assert nat.passes("wan", translated(frame, 5000).reply()) == frame.reply().encode()
    assert (
        nat.passes("lan", replace(frame, dst=OTHER_SERVER))
        == translated(replace(frame, dst=OTHER_SERVER), 5000).encode()
    ), "one port for all servers"


@on_both_engines
@pytest.mark.parametrize(
    ("there", "back"),
    [(udp(dport=9), udp(dport=9).reply()), (tcp(), replace(tcp().reply(), flags=SYN_ACK))],
    ids=["udp", "tcp"],
)
def test_hosts_behind_one_nat_meet_by_their_public_addresses_and_ports(
    nat: Bench, there: Frame, back: Frame
) -> None:
    other = replace(there, src=OTHER_HOST, sport=40002, dst=SERVER)
    assert port_of(nat.passes("lan", other)) == 5000
    # A sends to B's public address and port: B sees A's public ones, and so the other way round.
    sent = replace(there, dst=PUBLIC, dport=5000)
    assert nat.send("lan", sent) == [
        ("lan", replace(sent, src=PUBLIC, sport=5002, dst=OTHER_HOST, dport=40002).encode())
    ]
    answer = replace(back, src=OTHER_HOST, sport=40002, dst=PUBLIC, dport=5002)
    assert nat.send("lan", answer) == [
        ("lan", replace(answer, src=PUBLIC, sport=5000, dst=HOST, dport=40000).encode())
    ]
    assert nat.drops == {}


def test_to_a_public_port_that_nobody_holds_nothing_is_turned_round(nat: Bench) -> None:
    assert nat.send("lan", udp(dst=PUBLIC, dport=5008)) == []
    assert nat.send("lan", echo(dst=PUBLIC)) == []
    assert nat.drops == {"nf.no_binding": 1, "nf.not_translated": 1}


def test_a_udp_checksum_of_zero_stays_zero_on_a_hairpin(nat: Bench) -> None:
    nat.passes("lan", udp(src=OTHER_HOST))
    sent = replace(udp(dst=PUBLIC, dport=5000), udp_checksum=False)
    assert nat.send("lan", sent) == [
        ("lan", replace(sent, src=PUBLIC, sport=5002, dst=OTHER_HOST, dport=40000).encode())
    ]


@on_both_engines
def test_ports_keep_their_parity_while_there_are_such(nat: Bench) -> None:
    even = [port_of(nat.passes("lan", udp(sport=40000 + 2 * number))) for number in range(5)]
    assert sorted(even) == [5000, 5002, 5004, 5006, 5008]
    assert nat.counters == {}
    assert port_of(nat.passes("lan", udp(sport=40010))) % 2 == 1
    assert nat.counters == {"nf.other_parity": 1}


def test_strict_parity_refuses_the_other(tmp_path: Path) -> None:
    nat = make_nat(tmp_path, ", strict_parity: true")
    for number in range(5):
        nat.passes("lan", udp(sport=40000 + 2 * number))
    assert nat.send("lan", udp(sport=40010)) == []
    nat.passes("lan", udp(sport=40011))
    assert nat.drops == {"nf.no_port": 1}


@on_both_engines
def test_a_free_port_of_ones_own_is_kept_when_that_is_asked_for(tmp_path: Path, engine: Engine) -> None:
    nat = make_nat(tmp_path, ", preserve: true", engine=engine)
    assert port_of(nat.passes("lan", udp(sport=5007))) == 5007
    assert port_of(nat.passes("lan", udp(src=OTHER_HOST, sport=5007))) in (5001, 5003, 5005, 5009)
    assert port_of(nat.passes("lan", udp(sport=40000))) in range(5000, 5010, 2)
    assert nat.counters == {"nf.not_kept": 2}


@on_both_engines
def test_every_port_is_given_and_one_that_expired_at_once_again(tmp_path: Path, engine: Engine) -> None:
    nat = make_nat(tmp_path, ", udp_idle: 100s", engine=engine)
    flows = [udp(sport=40000 + number) for number in range(11)]
    ports = [port_of(nat.passes("lan", flow, at=number)) for number, flow in enumerate(flows[:10])]
    assert sorted(ports) == list(range(5000, 5010))
    assert nat.send("lan", flows[10], at=20) == []
    for flow in flows[1:10]:
        nat.passes("lan", flow, at=50)
    assert port_of(nat.passes("lan", flows[10], at=100)) == ports[0]
    assert nat.drops == {"nf.no_port": 1}


@pytest.mark.parametrize(
    ("frame", "idle"), [(tcp(), 7440), (udp(), 300), (echo(identifier=78), 60)], ids=["tcp", "udp", "echo"]
)
def test_each_protocol_has_its_own_idle_time(nat: Bench, frame: Frame, idle: int) -> None:
    assert_idle_time(nat, frame, translated(frame, 5000).reply(), idle)


def test_what_cannot_be_translated_is_dropped_by_name(nat: Bench) -> None:
    nat.passes("lan", udp())
    for frame in fragments(udp()):
        assert nat.send("lan", frame) == []
    assert nat.send("lan", echo(of_type=ECHO_REPLY)) == []
    assert nat.send("wan", udp(src=SERVER, dst=HOST)) == []
    assert nat.send("wan", translated(udp(), 5001).reply()) == []
    assert nat.drops == {"nf.fragment": 2, "nf.not_translated": 1, "nf.not_public": 1, "nf.no_binding": 1}
