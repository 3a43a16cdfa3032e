"""Behaviour of the larger example chains: enterprise edge, carrier's access edge, campus."""

from dataclasses import replace

import pytest

from tests.chains.bench import CHAINS, Bench
from tests.chains.frames_of import ACK, RST, SYN_ACK, echo, tcp, udp
from tests.frames import Frame, ip, read_frame

CORE, EAST = 0x020000001001, 0x020000000001
PUBLIC, SERVICE, WORLD = ip("203.0.113.1"), ip("203.0.113.10"), ip("198.51.100.9")
SERVERS = {ip("192.168.50.11"), ip("192.168.50.12")}


def fields(data: bytes) -> Frame:
    frame = read_frame(data)
    assert frame is not None
    return frame


# ---------------------------------------------------------------- the enterprise's edge

HOST = ip("10.1.0.5")


@pytest.fixture
def enterprise() -> Bench:
    return Bench(CHAINS / "enterprise" / "enterprise_edge.chain")


def from_core(frame: Frame) -> Frame:
    return replace(frame, eth_src=CORE, eth_dst=EAST)


def left_on(bench: Bench, arrival: str, frame: Frame, interface: str, at: float = 0) -> Frame:
    """Send a frame and return the one that leaves on an interface."""
    (sent,) = (data for name, data in bench.send(arrival, frame, at) if name == interface)
    return fields(sent)


def test_enterprise_a_connection_goes_out_and_back_to_where_the_core_router_is(enterprise: Bench) -> None:
    sent = left_on(enterprise, "east", from_core(tcp(src=HOST, dst=WORLD)), "wan")
    assert (sent.src, sent.sport, sent.ttl, sent.eth_dst) == (PUBLIC, 1024, 63, 0x020000002001)
    answer = replace(sent.reply(), flags=SYN_ACK)
    ((name, data),) = enterprise.send("wan", answer)
    assert name == "east"
    back = fields(data)
    assert (back.dst, back.dport, back.eth_dst) == (HOST, 40000, CORE)
    # The core router moves to the other switch.
    left_on(enterprise, "west", from_core(tcp(src=HOST, dst=WORLD, flags=ACK)), "wan")
    ((name, _),) = enterprise.send("wan", replace(answer, flags=ACK))
    assert name == "west"


def test_enterprise_mail_leaves_from_the_mail_server_only(enterprise: Bench) -> None:
    mail = from_core(tcp(src=HOST, dst=WORLD, dport=25))
    assert [name for name, _ in enterprise.send("east", mail)] == ["west"], "flooded, but not passed on"
    left_on(enterprise, "east", replace(mail, src=ip("10.1.0.25")), "wan")
    assert enterprise.drops == {"acl.denied": 1}


def test_enterprise_the_world_and_the_inside_reach_the_service(enterprise: Bench) -> None:
    for arrival, frame in (
        ("wan", tcp(src=WORLD, dst=SERVICE, dport=443)),
        ("east", from_core(tcp(src=HOST, dst=SERVICE, dport=443))),
    ):
        sent = left_on(enterprise, arrival, frame, "dmz")
        assert sent.dst in SERVERS
        back = left_on(enterprise, "dmz", replace(sent.reply(), flags=SYN_ACK), arrival)
        assert (back.src, back.dst) == (SERVICE, frame.src)


def test_enterprise_nothing_comes_in_unasked(enterprise: Bench) -> None:
    assert enterprise.send("wan", tcp(src=WORLD, dst=PUBLIC)) == []
    assert enterprise.send("wan", udp(src=WORLD, dst=HOST)) == []
    assert enterprise.send("dmz", tcp(src=ip("192.168.50.11"), dst=HOST)) == []
    assert enterprise.drops == {"nat.no_binding": 1, "router.no_route": 1, "balancer.no_connection": 1}


# ---------------------------------------------------------------- the carrier's edge

SUBSCRIBER, NEIGHBOUR = ip("100.64.7.9"), ip("100.64.7.10")


@pytest.fixture
def carrier() -> Bench:
    return Bench(CHAINS / "cgnat" / "cgnat_policer.chain")


def test_carrier_subscribers_meet_by_their_public_addresses(carrier: Bench) -> None:
    port = fields(carrier.passes("access", udp(src=NEIGHBOUR, dst=WORLD))).sport
    ((name, data),) = carrier.send("access", udp(src=SUBSCRIBER, dst=PUBLIC, dport=port))
    got = fields(data)
    assert name == "access"
    assert (got.src, got.dst, got.dport, got.ttl) == (PUBLIC, NEIGHBOUR, 40000, 62)
    ((_, data),) = carrier.send("access", got.reply())
    back = fields(data)
    assert (back.src, back.sport, back.dst, back.dport) == (PUBLIC, port, SUBSCRIBER, 40000)
    assert carrier.drops == {}


def test_carrier_each_subscriber_is_policed_in_both_directions(carrier: Bench) -> None:
    frame = replace(udp(src=SUBSCRIBER, dst=WORLD), payload=bytes(1358))  # 1400 bytes
    sent = [fields(data) for _ in range(150) for _, data in carrier.send("access", frame)]
    assert len(sent) == 200_000 // 1400
    carrier.passes("access", replace(frame, src=NEIGHBOUR))
    back = [data for _ in range(800) for data in carrier.send("transit", sent[0].reply())]
    assert len(back) == 1_000_000 // 1400
    assert carrier.drops == {"up.too_fast": 150 - len(sent), "down.too_fast": 800 - len(back)}


# ---------------------------------------------------------------- the campus

STAFF, STUDENT, SERVER = ip("192.0.2.9"), ip("198.51.100.77"), ip("192.0.2.130")
OUTSIDE = ip("203.0.113.99")


@pytest.fixture
def campus() -> Bench:
    return Bench(CHAINS / "campus" / "campus.chain")


def test_campus_each_part_reaches_what_it_may(campus: Bench) -> None:
    def goes(interface: str, frame: Frame) -> list[str]:
        return [name for name, _ in campus.send(interface, frame)]

    assert goes("staff", tcp(src=STAFF, dst=SERVER, dport=22)) == ["servers"]
    assert goes("students", tcp(src=STUDENT, dst=SERVER, dport=22)) == []
    assert goes("students", tcp(src=STUDENT, dst=SERVER, dport=443)) == ["servers"]
    assert goes("servers", tcp(src=SERVER, dst=STUDENT, sport=443, dport=40000, flags=ACK)) == ["students"]
    assert goes("servers", tcp(src=SERVER, dst=STUDENT, sport=443, dport=40000)) == []
    assert goes("students", udp(src=STUDENT, dst=SERVER)) == ["servers"]
    assert goes("staff", echo(src=STAFF, dst=STUDENT)) == ["students"]
    assert goes("students", tcp(src=STUDENT, dst=OUTSIDE)) == ["uplink"]
    assert goes("uplink", replace(tcp(src=STUDENT, dst=OUTSIDE).reply(), flags=SYN_ACK)) == ["students"]
    assert goes("uplink", tcp(src=OUTSIDE, dst=SERVER, dport=443)) == []
    assert goes("servers", tcp(src=SERVER, dst=OUTSIDE, dport=443)) == []
    assert campus.drops == {"acl.denied": 3, "firewall.no_state": 1}


def test_campus_the_routers_own_addresses_are_nobodys_and_lifetimes_end(campus: Bench) -> None:
    assert campus.send("staff", udp(src=STAFF, dst=ip("198.51.100.1"))) == []
    assert campus.send("staff", replace(udp(src=STAFF, dst=OUTSIDE), ttl=1)) == []
    sent = fields(campus.passes("staff", replace(udp(src=STAFF, dst=OUTSIDE), ttl=2)))
    assert sent.ttl == 1
    assert campus.drops == {"router.no_route": 1, "router.ttl_expired": 1}


def test_campus_a_reset_connection_is_forgotten_soon(campus: Bench) -> None:
    there = tcp(src=STUDENT, dst=OUTSIDE)
    campus.passes("students", there)
    campus.passes("uplink", replace(there.reply(), flags=RST | ACK), at=1)
    assert campus.send("uplink", replace(there.reply(), flags=ACK), at=241) == []
