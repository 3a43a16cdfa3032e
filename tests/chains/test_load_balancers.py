"""Behaviour of both load balancers: consistent hashing, and round robin."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.chains.bench import Bench, assert_idle_time, put_between
from tests.chains.frames_of import ACK, ARP_FRAME, HOST, echo, fragments, tcp, udp
from tests.frames import Frame, ip, read_frame

SERVICE = ip("192.0.2.1")
BACKENDS = tuple(ip("192.0.2.10") + number for number in range(3))
TEXTS = ("192.0.2.10", "192.0.2.11", "192.0.2.12")

MakeBalancer = Callable[..., Bench]


def hashing(tmp_path: Path, *backends: str, arguments: str = "") -> Bench:
    return balancer(tmp_path, "load_balancer", backends, arguments)


def round_robin(tmp_path: Path, *backends: str, arguments: str = "") -> Bench:
    return balancer(tmp_path, "load_balancer_round_robin", backends, arguments)


def balancer(tmp_path: Path, nf: str, backends: tuple[str, ...], arguments: str) -> Bench:
    lines = (f"- {{address: {backend}}}\n" for backend in backends or TEXTS)
    (tmp_path / "backends.yaml").write_text("".join(lines))
    return put_between(tmp_path, nf, f'service: 192.0.2.1, backends: yaml("backends.yaml"){arguments}')


@pytest.fixture(params=[hashing, round_robin], ids=["hashing", "round_robin"])
def make(request: pytest.FixtureRequest, tmp_path: Path) -> MakeBalancer:
    """Return a maker of either balancer: what both do alike is tested with both."""
    return lambda *backends, arguments="": request.param(tmp_path, *backends, arguments=arguments)


def to_service(frame: Frame) -> Frame:
    return replace(frame, dst=SERVICE)


def backend_of(frame: bytes) -> int:
    fields = read_frame(frame)
    assert fields is not None
    assert fields.dst in BACKENDS
    return fields.dst


@pytest.mark.parametrize("frame", [udp(), tcp(), tcp(flags=ACK)], ids=["udp", "syn", "ack"])
def test_a_packet_and_its_reply_are_rewritten_to_the_byte(make: MakeBalancer, frame: Frame) -> None:
    bench = make()
    sent = bench.passes("lan", to_service(frame))
    backend = backend_of(sent)
    assert sent == replace(frame, dst=backend).encode()
    answer = replace(frame, dst=backend).reply()
    assert bench.passes("wan", answer) == to_service(frame).reply().encode()


def test_a_connection_stays_with_its_backend(make: MakeBalancer) -> None:
    bench = make()
    flows = [to_service(tcp(sport=1000 + number)) for number in range(50)]
    first = [backend_of(bench.passes("lan", flow)) for flow in flows]
    again = [backend_of(bench.passes("lan", replace(flow, flags=ACK))) for flow in flows]
    assert first == again
    assert set(first) == set(BACKENDS)


def test_only_the_service_is_balanced_and_only_replies_come_back(make: MakeBalancer) -> None:
    bench = make()
    assert bench.send("lan", replace(udp(), dst=BACKENDS[0])) == []
    assert bench.send("wan", udp(src=BACKENDS[0], dst=HOST, sport=53, dport=40000)) == []
    assert bench.drops == {"nf.not_service": 1, "nf.no_connection": 1}


@pytest.mark.parametrize(("frame", "idle"), [(tcp(), 7440), (udp(), 300)], ids=["tcp", "udp"])
def test_a_connection_is_forgotten_when_idle_and_both_directions_count(
    make: MakeBalancer, frame: Frame, idle: int
) -> None:
    bench = make(TEXTS[0])
    answer = replace(frame, dst=BACKENDS[0]).reply()
    assert_idle_time(bench, to_service(frame), answer, idle)
    assert bench.drops == {"nf.no_connection": 2}


def test_a_full_table_refuses_new_connections_only(make: MakeBalancer) -> None:
    bench = make(arguments=", capacity: 2")
    bench.passes("lan", to_service(udp(sport=1)))
    bench.passes("lan", to_service(udp(sport=2)))
    assert bench.send("lan", to_service(udp(sport=3))) == []
    bench.passes("lan", to_service(udp(sport=1)))
    assert bench.drops == {"nf.table_full": 1}


def test_fragments_and_what_cannot_be_balanced_are_dropped_by_name(make: MakeBalancer) -> None:
    bench = make()
    for frame in fragments(to_service(udp())):
        assert bench.send("lan", frame) == []
    assert bench.send("wan", ARP_FRAME) == []
    assert bench.send("lan", to_service(echo())) == []
    assert bench.drops == {"nf.fragment": 2, "nf.not_balanced": 2}


# ---------------------------------------------------------------- where they differ


def test_round_robin_gives_new_connections_to_the_backends_in_turn(tmp_path: Path) -> None:
    bench = round_robin(tmp_path)
    sent = [bench.passes("lan", to_service(udp(sport=1000 + number))) for number in range(7)]
    assert [backend_of(data) for data in sent] == [*BACKENDS, *BACKENDS, BACKENDS[0]]


def test_round_robin_a_refused_connection_takes_no_turn(tmp_path: Path) -> None:
    bench = round_robin(tmp_path, arguments=", capacity: 1, udp_idle: 5s")
    assert backend_of(bench.passes("lan", to_service(udp(sport=1)), at=0)) == BACKENDS[0]
    assert bench.send("lan", to_service(udp(sport=2)), at=1) == []
    assert backend_of(bench.passes("lan", to_service(udp(sport=3)), at=5)) == BACKENDS[1]


def test_hashing_spreads_connections_evenly_and_the_same_after_a_restart(tmp_path: Path) -> None:
    flows = [to_service(udp(src=ip("10.0.0.0") + number // 30, sport=1000 + number)) for number in range(600)]
    one, other = hashing(tmp_path), hashing(tmp_path)
    picks = [backend_of(one.passes("lan", flow)) for flow in flows]
    assert picks == [backend_of(other.passes("lan", flow)) for flow in reversed(flows)][::-1]
    assert min(Counter(picks).values()) > 150


def test_hashing_moves_few_connections_when_a_backend_goes(tmp_path: Path) -> None:
    flows = [to_service(udp(sport=1000 + number)) for number in range(300)]
    before = hashing(tmp_path)
    picks = [backend_of(before.passes("lan", flow)) for flow in flows]
    after = hashing(tmp_path, *TEXTS[:2])
    moved = sum(
        pick != backend_of(after.passes("lan", flow))
        for flow, pick in zip(flows, picks, strict=True)
        if pick != BACKENDS[2]
    )
    assert moved < 15


def test_hashing_follows_the_weights_and_a_drained_backend_gets_nothing(tmp_path: Path) -> None:
    (tmp_path / "backends.yaml").write_text(
        "- {address: 192.0.2.10, weight: 3}\n- {address: 192.0.2.11}\n- {address: 192.0.2.12, weight: 0}\n"
    )
    bench = put_between(tmp_path, "load_balancer", 'service: 192.0.2.1, backends: yaml("backends.yaml")')
    flows = [to_service(udp(sport=1000 + number)) for number in range(400)]
    shares = Counter(backend_of(bench.passes("lan", flow)) for flow in flows)
    assert set(shares) == set(BACKENDS[:2])
    assert 250 < shares[BACKENDS[0]] < 350


def test_hashing_by_client_gives_all_connections_of_a_client_to_one_backend(tmp_path: Path) -> None:
    bench = hashing(tmp_path, arguments=", by_client: true")
    used = set()
    for number in range(20):
        client = ip("10.0.0.5") + number
        picks = {
            backend_of(bench.passes("lan", to_service(frame)))
            for port in (1000, 2000, 3000)
            for frame in (udp(src=client, sport=port), tcp(src=client, sport=port, dport=443))
        }
        assert len(picks) == 1
        used |= picks
    assert used == set(BACKENDS)
