"""Behaviour of the source NAPTs: a binding for each endpoint, endpoint and server, or flow."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.chains.bench import Bench, assert_idle_time, on_both_engines, put_between
from tests.chains.frames_of import (
    ACK,
    ARP_FRAME,
    ECHO_REPLY,
    HOST,
    OTHER_HOST,
    OTHER_SERVER,
    PUBLIC,
    SERVER,
    echo,
    fragments,
    tcp,
    udp,
)
from tests.chains.machines import Engine
from tests.frames import ICMP, Frame, read_frame

MakeNat = Callable[..., Bench]


@pytest.fixture(params=["napt", "napt_per_server", "napt_per_flow"])
def make_nat(request: pytest.FixtureRequest, tmp_path: Path, engine: Engine) -> MakeNat:
    """Return a maker of one of the NAPTs: what they do alike is tested with all."""

    def make(arguments: str = "ports: 5000..5099") -> Bench:
        return put_between(tmp_path, request.param, f"public: 203.0.113.1, {arguments}", engine=engine)

    return make


@pytest.fixture
def eim(tmp_path: Path, engine: Engine) -> Bench:
    return put_between(tmp_path, "napt", "public: 203.0.113.1, ports: 5000..5099", engine=engine)


@pytest.fixture
def per_flow(tmp_path: Path) -> Bench:
    return put_between(tmp_path, "napt_per_flow", "public: 203.0.113.1, ports: 5000..5099")


def translated(frame: Frame, port: int) -> Frame:
    return replace(frame, src=PUBLIC, sport=port)


def outside_port(frame: bytes) -> int:
    fields = read_frame(frame)
    assert fields is not None
    assert fields.src == PUBLIC
    return fields.sport


@pytest.mark.parametrize("frame", [udp(), tcp(), tcp(flags=ACK), echo()], ids=["udp", "syn", "ack", "echo"])
def test_a_packet_and_its_reply_are_translated_to_the_byte(make_nat: MakeNat, frame: Frame) -> None:
    nat = make_nat()
    assert nat.passes("lan", frame) == translated(frame, 5000).encode()
    back = frame.reply()
    assert nat.passes("wan", translated(frame, 5000).reply()) == back.encode()


@on_both_engines
def test_a_udp_checksum_of_zero_stays_zero(make_nat: MakeNat) -> None:
    nat = make_nat()
    frame = replace(udp(), udp_checksum=False)
    assert nat.passes("lan", frame) == translated(frame, 5000).encode()
    assert nat.passes("wan", translated(frame, 5000).reply()) == frame.reply().encode()


@on_both_engines
def test_a_checksum_that_comes_out_as_zero_is_sent_as_all_ones(make_nat: MakeNat) -> None:
    nat = make_nat("ports: 5000..5000")
    frame = next(
        candidate
        for payload in range(0x10000)
        if translated(candidate := replace(udp(), payload=payload.to_bytes(2, "big")), 5000).encode()[40:42]
        == b"\xff\xff"
    )
    assert nat.passes("lan", frame) == translated(frame, 5000).encode()


def test_options_tags_and_padding_are_left_alone(make_nat: MakeNat) -> None:
    nat = make_nat()
    frame = replace(udp(), options=bytes(4), vlans=(5, 6), padding=b"\xee" * 9)
    assert nat.passes("lan", frame) == translated(frame, 5000).encode()


@on_both_engines
def test_an_exhausted_pool_refuses_only_new_flows_until_one_expires(make_nat: MakeNat) -> None:
    nat = make_nat("ports: 5000..5003, udp_idle: 100s")
    flows = [udp(sport=40000 + number) for number in range(5)]
    ports = {outside_port(nat.passes("lan", flow, at=number)) for number, flow in enumerate(flows[:4])}
    assert ports == {5000, 5001, 5002, 5003}
    assert nat.send("lan", flows[4], at=10) == []
    assert nat.drops == {"nf.no_port": 1}
    for flow in flows[1:4]:
        nat.passes("lan", flow, at=50)
    assert outside_port(nat.passes("lan", flows[4], at=100)) == 5000
    assert nat.drops == {"nf.no_port": 1}


def test_each_protocol_has_the_whole_pool(make_nat: MakeNat) -> None:
    nat = make_nat("ports: 5000..5000")
    for frame in (udp(), tcp(), echo()):
        assert outside_port(nat.passes("lan", frame)) == 5000
    for frame in (udp(sport=1), tcp(sport=1), echo(identifier=1)):
        assert nat.send("lan", frame) == []
    assert nat.drops == {"nf.no_port": 3}


@on_both_engines
def test_two_inside_hosts_never_share_a_port(make_nat: MakeNat) -> None:
    nat = make_nat()
    one, other = nat.passes("lan", udp(src=HOST)), nat.passes("lan", udp(src=OTHER_HOST))
    assert outside_port(one) != outside_port(other)
    back = nat.passes("wan", translated(udp(), outside_port(other)).reply())
    fields = read_frame(back)
    assert fields is not None
    assert (fields.dst, fields.dport) == (OTHER_HOST, 40000)


@pytest.mark.parametrize(
    ("frame", "idle"), [(tcp(), 7440), (udp(), 300), (echo(), 60)], ids=["tcp", "udp", "echo"]
)
def test_each_protocol_has_its_own_idle_time_and_both_directions_count(
    make_nat: MakeNat, frame: Frame, idle: int
) -> None:
    nat = make_nat()
    assert_idle_time(nat, frame, translated(frame, 5000).reply(), idle)
    assert nat.drops == {"nf.no_binding": 2}


def test_what_comes_from_outside_needs_the_public_address_and_a_binding(make_nat: MakeNat) -> None:
    nat = make_nat()
    nat.passes("lan", udp())
    assert nat.send("wan", udp(src=SERVER, dst=HOST, sport=53, dport=40000)) == []
    assert nat.send("wan", translated(udp(), 5001).reply()) == []
    assert nat.send("wan", translated(tcp(), 5000).reply()) == []
    assert nat.drops == {"nf.not_public": 1, "nf.no_binding": 2}


def test_fragments_and_what_cannot_be_translated_are_dropped_by_name(make_nat: MakeNat) -> None:
    nat = make_nat()
    for frame in fragments(udp()):
        assert nat.send("lan", frame) == []
        assert nat.send("wan", frame) == []
    others: list[tuple[str, Frame | bytes]] = [
        ("lan", ARP_FRAME),
        ("lan", replace(udp(), protocol=47)),
        ("wan", Frame(SERVER, PUBLIC, ICMP, 0, 3)),
        ("lan", echo(of_type=ECHO_REPLY)),
        ("wan", Frame(SERVER, PUBLIC, ICMP, 77, 8)),
    ]
    for interface, other in others:
        assert nat.send(interface, other) == []
    assert nat.drops == {"nf.fragment": 4, "nf.not_translated": 5}


# ---------------------------------------------------------------- where they differ


@on_both_engines
@pytest.mark.parametrize("frame", [udp(), tcp(), echo()], ids=["udp", "tcp", "echo"])
def test_eim_one_inside_endpoint_has_one_outside_port_for_all_servers(eim: Bench, frame: Frame) -> None:
    sent = [eim.passes("lan", replace(frame, dst=SERVER + number)) for number in range(3)]
    assert {outside_port(data) for data in sent} == {5000}


def test_eim_any_outside_host_reaches_a_bound_port(eim: Bench) -> None:
    eim.passes("lan", udp())
    eim.passes("wan", udp(src=OTHER_SERVER, dst=PUBLIC, sport=9, dport=5000))


@pytest.mark.parametrize("frame", [udp(), tcp(), echo()], ids=["udp", "tcp", "echo"])
def test_per_flow_each_server_sees_another_port(per_flow: Bench, frame: Frame) -> None:
    sent = [per_flow.passes("lan", replace(frame, dst=SERVER + number)) for number in range(3)]
    assert {outside_port(data) for data in sent} == {5000, 5001, 5002}


def test_per_flow_only_the_flows_server_can_answer(per_flow: Bench) -> None:
    for frame in (udp(), echo()):
        per_flow.passes("lan", frame)
        answer = translated(frame, 5000).reply()
        assert per_flow.send("wan", replace(answer, src=OTHER_SERVER)) == []
        per_flow.passes("wan", answer)
    assert per_flow.send("wan", replace(translated(udp(), 5000).reply(), sport=54)) == []
    assert per_flow.drops == {"nf.wrong_server": 3}


def test_per_server_an_endpoint_has_one_port_for_each_server_and_another_for_the_next(tmp_path: Path) -> None:
    nat = put_between(tmp_path, "napt_per_server", "public: 203.0.113.1, ports: 5000..5099")
    assert outside_port(nat.passes("lan", udp(dport=53))) == 5000
    assert outside_port(nat.passes("lan", udp(dport=54))) == 5000
    assert outside_port(nat.passes("lan", udp(dst=OTHER_SERVER))) == 5001
    answer = translated(udp(), 5000).reply()
    nat.passes("wan", replace(answer, sport=999))
    assert nat.send("wan", replace(answer, src=OTHER_SERVER)) == []
    assert nat.drops == {"nf.wrong_server": 1}
