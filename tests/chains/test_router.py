"""Behaviour of the router."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from synth.net.addresses import network_mask, parse_ipv4
from synth.net.frame import Frame as Admitted
from synth.net.frame import admit
from synth.net.icmp import ICMP_ERRORS, icmp_error
from tests.chains.bench import Bench, make_bench, on_both_engines
from tests.chains.frames_of import ARP_FRAME, HOST, IPV6_FRAME, SERVER, echo, fragments, tcp, udp
from tests.chains.machines import Engine
from tests.frames import Frame, ip

BROADCAST = 0xFFFFFFFFFFFF
HOP_MACS = {"nh0": 0x02000000A000, "nh1": 0x02000000A001, "nh2": 0x02000000A002}
SIDES = {"nh0": "a", "nh1": "b", "nh2": "c"}


def router(tmp_path: Path, *routes: str, hops: int = 3, engine: Engine = "interpreter") -> Bench:
    """Return a router with three interfaces and so many next hops, taking turns on them."""
    (tmp_path / "bench.routes").write_text("\n".join(routes))
    records = ", ".join(
        f"nh{n}: {{ side: {'abc'[n % 3]}, mac: 02:00:00:00:a0:{n:02x}, source: 02:00:00:00:00:{n % 3:02x} }}"
        for n in range(hops)
    )
    return make_bench(
        tmp_path,
        f"""
        use nf: router

        chain bench {{
            interface a {{ mac 02:00:00:00:00:00 }}
            interface b {{ mac 02:00:00:00:00:01 }}
            interface c {{ mac 02:00:00:00:00:02 }}
            nf = router(routes: routes("bench.routes", next_hops: {{ {records} }}))
            a <-> nf.a; b <-> nf.b; c <-> nf.c
        }}
        """,
        engine=engine,
    )


def forwarded(frame: Frame, hop: str) -> bytes:
    side = "abc".index(SIDES[hop])
    return replace(frame, ttl=frame.ttl - 1, eth_dst=HOP_MACS[hop], eth_src=0x020000000000 + side).encode()


def hop_of(frame: bytes) -> int:
    return int.from_bytes(frame[:6], "big") & 0xFF


@pytest.mark.parametrize("order", [1, -1])
def test_the_longest_match_decides_whatever_the_order_of_the_lines(tmp_path: Path, order: int) -> None:
    routes = ["0.0.0.0/0 nh0", "10.0.0.0/8 nh1", "10.0.0.0/24 nh2", "10.0.0.5/32 nh1"]
    bench = router(tmp_path, *routes[::order])
    for address, hop in (("9.9.9.9", "nh0"), ("10.1.0.1", "nh1"), ("10.0.0.9", "nh2"), ("10.0.0.5", "nh1")):
        frame = udp(dst=ip(address))
        assert bench.send("a", frame) == [(SIDES[hop], forwarded(frame, hop))]


def test_a_packet_can_leave_where_it_came_from(tmp_path: Path) -> None:
    bench = router(tmp_path, "0.0.0.0/0 nh1")
    assert bench.send("b", udp()) == [("b", forwarded(udp(), "nh1"))]


@on_both_engines
@pytest.mark.parametrize("ttl", [0, 1])
def test_ttl_0_and_1_never_leave(tmp_path: Path, ttl: int, engine: Engine) -> None:
    bench = router(tmp_path, "0.0.0.0/0 nh1", engine=engine)
    assert bench.send("a", replace(udp(), ttl=ttl)) == []
    assert bench.drops == {"nf.ttl_expired": 1}


@on_both_engines
@pytest.mark.parametrize("frame", [udp(), tcp(), echo(), *fragments(udp())])
def test_ttl_2_leaves_as_1_with_a_right_checksum(tmp_path: Path, frame: Frame, engine: Engine) -> None:
    bench = router(tmp_path, "0.0.0.0/0 nh1", engine=engine)
    dying = replace(frame, ttl=2, options=bytes(8), vlans=(7,))
    assert bench.send("a", dying) == [("b", forwarded(dying, "nh1"))]


def test_no_route_and_discard_drop_by_name(tmp_path: Path) -> None:
    bench = router(tmp_path, "10.0.0.0/8 nh1", "10.0.0.5 discard")
    assert bench.send("a", udp(dst=SERVER)) == []
    assert bench.send("a", udp(dst=HOST)) == []
    assert bench.drops == {"nf.no_route": 2}


@on_both_engines
def test_a_discarded_prefix_does_not_fall_through_to_a_shorter_one(tmp_path: Path, engine: Engine) -> None:
    bench = router(tmp_path, "0.0.0.0/0 nh0", "10.0.0.0/8 discard", "10.0.0.0/16 nh1", engine=engine)
    assert bench.send("a", udp(dst=ip("10.1.0.1"))) == []
    bench.passes("a", udp(dst=ip("10.0.0.1")))
    bench.passes("a", udp(dst=ip("11.0.0.1")))


def test_link_broadcasts_and_what_is_not_ipv4_are_dropped_by_name(tmp_path: Path) -> None:
    bench = router(tmp_path, "0.0.0.0/0 nh0")
    assert bench.send("a", replace(udp(), eth_dst=BROADCAST)) == []
    assert bench.send("a", ARP_FRAME) == []
    assert bench.send("c", IPV6_FRAME) == []
    assert bench.drops == {"nf.link_broadcast": 1, "nf.not_ipv4": 2}


def test_a_real_table_gives_the_next_hop_of_a_linear_longest_match(
    tmp_path: Path, shared_data: Path, full: bool
) -> None:
    lines = (shared_data / "routes" / "rrc00_20000111.txt").read_text().split("\n")
    # Some prefixes become drop entries, so that those are tried too.
    lines = [
        line if number % 97 else f"{line.split()[0]} discard" for number, line in enumerate(lines) if line
    ]
    bench = router(tmp_path, *lines, hops=7)
    table = read_table(lines)
    for address in probes(table, random.Random(1), 100_000 if full else 1_000):
        sent = bench.send("a", udp(dst=address))
        expected = longest_match(table, address)
        assert [hop_of(data) for _, data in sent] == ([] if expected is None else [expected])


Table = dict[int, dict[int, int | None]]


def read_table(lines: list[str]) -> Table:
    """Return prefixes by length, then by address."""
    table: Table = {length: {} for length in range(33)}
    for line in lines:
        prefix, hop = line.split()
        text, _, length = prefix.partition("/")
        address = parse_ipv4(text)
        assert address is not None
        table[int(length)][address] = None if hop == "discard" else int(hop[2:])
    return table


def longest_match(table: Table, address: int) -> int | None:
    """Try every length, longest first."""
    for length in range(32, -1, -1):
        if address & network_mask(length) in table[length]:
            return table[length][address & network_mask(length)]
    return None


def probes(table: Table, source: random.Random, count: int) -> list[int]:
    """Return so many random addresses, and as many of the boundaries of every 50th prefix as there are."""
    prefixes = [(address, 1 << (32 - length)) for length, row in table.items() for address in row][::50]
    bounds = [
        edge & 0xFFFFFFFF
        for address, size in prefixes
        for edge in (address - 1, address, address + size - 1, address + size)
    ]
    source.shuffle(bounds)
    return bounds[:count] + [source.randrange(1 << 32) for _ in range(count)]


ROUTER_ADDRESS = ip("10.0.0.1")


def telling_router(tmp_path: Path, engine: Engine, options: str = "") -> Bench:
    """Return a router that sends ICMP errors: hosts behind a, servers behind b."""
    (tmp_path / "bench.routes").write_text("10.0.0.0/8 hosts\n198.51.100.0/24 servers\n")
    return make_bench(
        tmp_path,
        f"""
        use nf: router

        chain bench {{
            interface a {{ mac 02:00:00:00:00:00 }}
            interface b {{ mac 02:00:00:00:00:01 }}
            nf = router(routes: routes("bench.routes", next_hops: {{
                hosts: {{ side: a, mac: 02:00:00:00:a0:00, source: 02:00:00:00:00:00 }},
                servers: {{ side: b, mac: 02:00:00:00:a0:01, source: 02:00:00:00:00:01 }}
            }}), address: 10.0.0.1{options})
            a <-> nf.a; b <-> nf.b
        }}
        """,
        engine=engine,
    )


def error_about(frame: Frame, error: str) -> bytes:
    """Return the error as it leaves for the hosts."""
    admitted = admit(frame.encode())
    assert isinstance(admitted, Admitted)
    made = icmp_error(admitted, frame.encode(), ICMP_ERRORS[error], ROUTER_ADDRESS)
    return 0x02000000A000.to_bytes(6, "big") + 0x020000000000.to_bytes(6, "big") + made[12:]


@on_both_engines
@pytest.mark.parametrize("frame", [udp(), tcp(), echo(), fragments(udp())[0], replace(udp(), vlans=(7,))])
def test_a_sender_is_told_that_the_ttl_ended(tmp_path: Path, frame: Frame, engine: Engine) -> None:
    bench = telling_router(tmp_path, engine)
    dying = replace(frame, ttl=1)
    assert bench.send("a", dying) == [("a", error_about(dying, "time_exceeded"))]
    assert bench.drops == {"nf.ttl_expired": 1}


@on_both_engines
def test_a_sender_is_told_that_there_is_no_route(tmp_path: Path, engine: Engine) -> None:
    bench = telling_router(tmp_path, engine)
    lost = udp(dst=ip("9.9.9.9"))
    assert bench.send("a", lost) == [("a", error_about(lost, "net_unreachable"))]
    assert bench.drops == {"nf.no_route": 1}


@on_both_engines
def test_no_error_is_sent_where_there_may_be_none(tmp_path: Path, engine: Engine) -> None:
    """About errors, later fragments, multicast, senders that are no host or that nothing leads to."""
    bench = telling_router(tmp_path, engine)
    about = (
        replace(echo(), dport=3),
        fragments(udp())[1],
        udp(dst=ip("224.0.0.5")),
        udp(src=ip("127.0.0.1")),
        udp(src=ip("9.9.9.9")),
    )
    for frame in about:
        assert bench.send("a", replace(frame, ttl=1)) == []
    assert bench.drops == {"nf.ttl_expired": len(about)}


@on_both_engines
def test_each_sender_is_told_no_faster_than_the_rate(tmp_path: Path, engine: Engine) -> None:
    """9 kB at once, then 1 kB a second: so many frames of 1,042 bytes."""
    bench = telling_router(tmp_path, engine)
    dying = replace(udp(), ttl=1, payload=bytes(1000))
    told = [bool(bench.send("a", dying)) for _ in range(12)]
    assert told == [True] * 8 + [False] * 4
    assert bench.send("a", replace(dying, src=HOST + 1))
    assert bench.send("a", dying, at=2)
