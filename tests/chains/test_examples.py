"""Behaviour of the example chains, as they stand in the repository."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.chains.bench import CHAINS, Bench
from tests.chains.frames_of import ACK, SYN_ACK, echo, tcp, udp
from tests.frames import Frame, ip, read_frame

SUBSCRIBER = ip("100.64.7.9")
SERVER = ip("198.51.100.9")
PUBLIC = ip("203.0.113.1")
ISP_CHAINS = ("isp_chain", "isp_chain_713", "isp_chain_8550")


def fields(data: bytes) -> Frame:
    frame = read_frame(data)
    assert frame is not None
    return frame


@pytest.fixture(scope="module", params=ISP_CHAINS)
def isp_path(request: pytest.FixtureRequest) -> Path:
    return CHAINS / "isp" / f"{request.param}.chain"


def test_isp_a_connection_is_translated_routed_and_answered(isp_path: Path) -> None:
    bench = Bench(isp_path)
    syn = tcp(src=SUBSCRIBER, dst=SERVER, dport=443)
    sent = bench.passes("lan", syn)
    expected = replace(
        syn, src=PUBLIC, sport=1024, ttl=63, eth_src=0x020000000002, eth_dst=0x020000002001
    )  # fmt: skip
    assert sent == expected.encode()
    answer = replace(expected.reply(), flags=SYN_ACK)
    back = bench.passes("wan", answer)
    assert (
        back
        == replace(
            answer, dst=SUBSCRIBER, dport=40000, ttl=63, eth_src=0x020000000001, eth_dst=0x020000001001
        ).encode()
    )


def test_isp_private_sources_and_what_no_rule_permits_are_denied(isp_path: Path) -> None:
    bench = Bench(isp_path)
    assert bench.send("lan", tcp(src=ip("10.0.0.5"), dst=SERVER)) == []
    assert bench.send("lan", tcp(src=SUBSCRIBER, dst=SERVER, dport=81)) == []
    bench.passes("lan", udp(src=SUBSCRIBER, dst=SERVER))
    unsolicited = udp(src=SERVER, dst=PUBLIC, sport=9, dport=1024)
    assert bench.send("wan", unsolicited) == []
    assert bench.drops == {"acl.denied": 3}


def test_isp_pings_go_out_and_come_back(isp_path: Path) -> None:
    bench = Bench(isp_path)
    out = fields(bench.passes("lan", echo(src=SUBSCRIBER)))
    assert (out.src, out.sport) == (PUBLIC, 1024)
    back = fields(bench.passes("wan", out.reply()))
    assert (back.dst, back.sport) == (SUBSCRIBER, 77)


def test_isp_a_packet_at_the_end_of_its_life_and_one_to_the_router_are_dropped(isp_path: Path) -> None:
    bench = Bench(isp_path)
    assert bench.send("lan", replace(tcp(src=SUBSCRIBER, dst=SERVER), ttl=1)) == []
    assert bench.send("lan", tcp(src=SUBSCRIBER, dst=ip("100.64.0.1"), flags=ACK)) == []
    assert bench.drops == {"router.ttl_expired": 1, "router.no_route": 1}


def test_isp_the_nats_address_can_be_set_from_outside(isp_path: Path) -> None:
    bench = Bench(isp_path, overrides=("nat.public=203.0.113.77", "nat.ports=2000..2009"))
    out = fields(bench.passes("lan", tcp(src=SUBSCRIBER, dst=SERVER)))
    assert (out.src, out.sport) == (ip("203.0.113.77"), 2000)


# ---------------------------------------------------------------- the motivating chain

CLIENT, SERVICE = ip("10.0.0.7"), ip("200.0.0.2")


@pytest.fixture
def motivating() -> Bench:
    return Bench(CHAINS / "motivating" / "napt_firewall_lb.chain")


def test_motivating_udp_leaves_as_one_class_with_one_rewrite(motivating: Bench) -> None:
    ports = [
        fields(motivating.passes("lan", udp(src=CLIENT, dst=SERVICE, sport=sport)))
        for sport in range(40000, 40004)
    ]
    assert [frame.src for frame in ports] == [ip("11.0.0.1")] * 4
    assert [frame.dst for frame in ports] == [ip("200.0.0.2"), ip("200.0.0.3")] * 2
    assert [frame.sport for frame in ports] == [1024, 1025, 1026, 1027]
    assert [frame.ttl for frame in ports] == [61] * 4


def test_motivating_a_reply_comes_back_as_if_the_service_had_sent_it(motivating: Bench) -> None:
    motivating.passes("lan", udp(src=CLIENT, dst=SERVICE, sport=40000))
    out = fields(motivating.passes("lan", udp(src=CLIENT, dst=SERVICE, sport=40001)))
    assert out.dst == ip("200.0.0.3")
    back = motivating.passes("wan", out.reply())
    expected = udp(src=SERVICE, dst=CLIENT, sport=53, dport=40001)
    assert back == replace(expected, ttl=61, eth_src=0x020000000001, eth_dst=0x020000001001).encode()


def test_motivating_tcp_and_the_rest_die(motivating: Bench) -> None:
    assert motivating.send("lan", tcp(src=CLIENT, dst=SERVICE)) == []
    assert motivating.send("lan", echo(src=CLIENT, dst=SERVICE)) == []
    assert motivating.send("lan", replace(udp(src=CLIENT, dst=SERVICE), protocol=47)) == []
    assert motivating.send("lan", udp(src=CLIENT, dst=ip("10.0.0.9"))) == []
    assert motivating.send("lan", udp(src=CLIENT, dst=ip("11.0.0.9"))) == []
    assert motivating.send("wan", udp(src=SERVICE, dst=ip("11.0.0.1"), sport=53, dport=1024)) == []
    assert motivating.drops == {
        "firewall.denied": 2,
        "nat.not_translated": 1,
        "nat_router.no_route": 1,
        "balancer.not_service": 1,
        "balancer.no_connection": 1,
    }


@pytest.mark.parametrize(
    ("ttl", "drop"), [(1, "nat_router"), (2, "firewall_router"), (3, "balancer_router"), (4, "")]
)
def test_motivating_each_box_takes_one_from_the_ttl(motivating: Bench, ttl: int, drop: str) -> None:
    sent = motivating.send("lan", replace(udp(src=CLIENT, dst=SERVICE), ttl=ttl))
    assert [fields(data).ttl for _, data in sent] == ([] if drop else [1])
    assert motivating.drops == ({f"{drop}.ttl_expired": 1} if drop else {})


# ---------------------------------------------------------------- rows of routers and NAPTs

INSIDE, WORLD = ip("10.9.9.9"), ip("198.51.100.9")


@pytest.mark.parametrize("count", range(1, 11))
def test_a_row_of_routers_takes_its_length_from_the_ttl_both_ways(count: int) -> None:
    bench = Bench(CHAINS / "routers" / f"router_{count}.chain")
    east = udp(src=INSIDE, dst=WORLD)
    ttl = 64 - count
    sent = replace(east, ttl=ttl, eth_src=0x020000000002, eth_dst=0x02000000B001)
    assert bench.send("lan", east) == [("wan", sent.encode())]
    west = east.reply()
    sent = replace(west, ttl=ttl, eth_src=0x020000000001, eth_dst=0x02000000A001)
    assert bench.send("wan", west) == [("lan", sent.encode())]
    for lifetime in range(1, count + 1):
        assert bench.send("lan", replace(east, ttl=lifetime)) == []
    assert bench.drops == {f"router_{number}.ttl_expired": 1 for number in range(1, count + 1)}


@pytest.mark.parametrize("count", [1, 2, 10])
def test_a_row_of_routers_drops_what_is_sent_to_one_of_them(count: int) -> None:
    bench = Bench(CHAINS / "routers" / f"router_{count}.chain")
    for address in (f"172.16.{count}.1", f"172.16.{count}.255", "172.16.0.2", "224.0.0.1", "127.0.0.1"):
        assert bench.send("lan", udp(src=INSIDE, dst=ip(address))) == []
    assert sum(bench.drops.values()) == 5
    assert all(name.endswith(".no_route") for name in bench.drops)


@pytest.mark.parametrize("count", range(1, 11))
def test_a_row_of_napts_rewrites_at_each_step_and_translates_replies_back(count: int) -> None:
    bench = Bench(CHAINS / "napts" / f"napt_{count}.chain")
    east = tcp(src=INSIDE, dst=WORLD)
    sent = replace(
        east,
        src=ip(f"192.0.2.{count}"),
        sport=1024,
        ttl=64 - count,
        eth_src=0x020000000002,
        eth_dst=0x02000000B001,
    )
    assert bench.passes("lan", east) == sent.encode()
    west = sent.reply()
    expected = replace(
        west, dst=INSIDE, dport=40000, ttl=64 - count, eth_src=0x020000000001, eth_dst=0x02000000A001
    )
    assert bench.passes("wan", west) == expected.encode()
    assert bench.send("wan", replace(west, dport=1025)) == []
    assert bench.drops == {f"nat_{count}.no_binding": 1}
