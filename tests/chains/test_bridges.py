"""Behaviour of the bridges (IEEE 802.1D)."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.chains.bench import Bench, make_bench, on_both_engines
from tests.chains.frames_of import ARP_FRAME, IPV6_FRAME, udp
from tests.chains.machines import Engine
from tests.frames import Frame

A, B, C = 0x02000000000A, 0x02000000000B, 0x02000000000C
BROADCAST, MULTICAST = 0xFFFFFFFFFFFF, 0x01005E000001
ZERO = 0
GROUP = 1 << 40


@pytest.fixture
def bridge(tmp_path: Path, engine: Engine) -> Bench:
    return make_bridge(tmp_path, engine=engine)


def make_bridge(tmp_path: Path, arguments: str = "", *, engine: Engine = "interpreter") -> Bench:
    """Return a bridge between the interfaces one, two and three."""
    return make_bench(
        tmp_path,
        f"""
        use nf: bridge

        chain bench {{
            interface one {{ mac 02:00:00:00:00:01 }}
            interface two {{ mac 02:00:00:00:00:02 }}
            interface three {{ mac 02:00:00:00:00:03 }}
            bridge = bridge({arguments})
            one <-> bridge.first
            two <-> bridge.second
            three <-> bridge.third
        }}
        """,
        engine=engine,
    )


def frame(source: int, destination: int) -> Frame:
    return replace(udp(), eth_src=source, eth_dst=destination)


def arrives_at(bridge: Bench, interface: str, sent: Frame, at: float = 0) -> set[str]:
    """Send a frame and return the interfaces where it leaves; it must leave unchanged."""
    left = bridge.send(interface, sent, at)
    assert {data for _, data in left} <= {sent.encode()}
    names = [name for name, _ in left]
    assert len(names) == len(set(names))
    return set(names)


@on_both_engines
def test_a_frame_to_an_unknown_station_goes_everywhere_but_back(bridge: Bench) -> None:
    assert arrives_at(bridge, "one", frame(A, B)) == {"two", "three"}
    assert arrives_at(bridge, "two", frame(B, C)) == {"one", "three"}


@on_both_engines
def test_a_frame_to_a_known_station_goes_there_only(bridge: Bench) -> None:
    arrives_at(bridge, "one", frame(A, B))
    assert arrives_at(bridge, "two", frame(B, A)) == {"one"}
    assert arrives_at(bridge, "one", frame(A, B)) == {"two"}


@pytest.mark.parametrize("group", [BROADCAST, MULTICAST])
def test_a_frame_to_a_group_goes_everywhere_but_back(bridge: Bench, group: int) -> None:
    arrives_at(bridge, "two", frame(B, group))
    assert arrives_at(bridge, "one", frame(A, group)) == {"two", "three"}


@on_both_engines
@pytest.mark.parametrize("source", [A | GROUP, BROADCAST, ZERO])
def test_the_source_of_a_group_is_never_learned_and_its_frame_goes_nowhere(
    bridge: Bench, source: int
) -> None:
    assert arrives_at(bridge, "one", frame(source, B)) == set()
    assert bridge.drops == {"bridge.bad_source": 1}
    assert arrives_at(bridge, "two", frame(B, source)) == {"one", "three"}


@on_both_engines
def test_the_reserved_addresses_are_never_forwarded_and_their_neighbours_are(bridge: Bench) -> None:
    for last in range(16):
        assert arrives_at(bridge, "one", frame(A, 0x0180C2000000 + last)) == set()
    assert bridge.drops == {"bridge.reserved": 16}
    assert arrives_at(bridge, "two", frame(B, A)) == {"one", "three"}, "A must not have been learned"
    assert arrives_at(bridge, "one", frame(A, 0x0180C2000010)) == {"two", "three"}
    assert arrives_at(bridge, "one", frame(A, 0x0180C1FFFFFF)) == {"two", "three"}


@on_both_engines
def test_a_station_that_moves_is_found_with_its_next_frame(bridge: Bench) -> None:
    arrives_at(bridge, "one", frame(A, BROADCAST))
    assert arrives_at(bridge, "two", frame(B, A)) == {"one"}
    arrives_at(bridge, "three", frame(A, BROADCAST))
    assert arrives_at(bridge, "two", frame(B, A)) == {"three"}


@on_both_engines
def test_a_frame_to_a_station_of_its_own_side_is_filtered(bridge: Bench) -> None:
    arrives_at(bridge, "one", frame(A, BROADCAST))
    arrives_at(bridge, "one", frame(B, BROADCAST))
    assert arrives_at(bridge, "one", frame(A, B)) == set()
    assert arrives_at(bridge, "one", frame(A, A)) == set()
    assert bridge.drops == {"bridge.same_side": 2}


def test_a_silent_station_is_forgotten_and_being_sent_to_does_not_keep_it(tmp_path: Path) -> None:
    bridge = make_bridge(tmp_path, "idle: 10s")
    arrives_at(bridge, "one", frame(A, BROADCAST), at=0)
    for second in (4, 8, 9.9):
        assert arrives_at(bridge, "two", frame(B, A), at=second) == {"one"}
    assert arrives_at(bridge, "two", frame(B, A), at=10) == {"one", "three"}


def test_a_full_table_floods_the_frames_of_new_stations_and_keeps_the_known(tmp_path: Path) -> None:
    bridge = make_bridge(tmp_path, "capacity: 1")
    arrives_at(bridge, "one", frame(A, BROADCAST))
    assert arrives_at(bridge, "two", frame(B, A)) == {"one", "three"}
    assert arrives_at(bridge, "one", frame(A, B)) == {"two", "three"}
    assert bridge.drops == {}


@pytest.mark.parametrize("data", [ARP_FRAME, IPV6_FRAME, replace(udp(), vlans=(5, 6)).encode()])
def test_frames_of_all_kinds_pass_as_they_came(bridge: Bench, data: bytes) -> None:
    assert bridge.send("one", data) == [("two", data), ("three", data)]


# ---------------------------------------------------------------- bridge_static


@pytest.fixture
def static(tmp_path: Path, engine: Engine) -> Bench:
    return make_bench(
        tmp_path,
        """
        use nf: bridge_static

        chain bench {
            interface one { mac 02:00:00:00:00:01 }
            interface two { mac 02:00:00:00:00:02 }
            interface three { mac 02:00:00:00:00:03 }
            bridge = bridge_static(stations: [
                { address: 02:00:00:00:00:0a, side: first },
                { address: 02:00:00:00:00:0b, side: second },
                { address: 02:00:00:00:00:0b, side: third }
            ])
            one <-> bridge.first
            two <-> bridge.second
            three <-> bridge.third
        }
        """,
        engine=engine,
    )


@on_both_engines
def test_static_a_listed_station_is_found_wherever_frames_come_from_it(static: Bench) -> None:
    assert arrives_at(static, "three", frame(A, B)) == {"two"}
    assert arrives_at(static, "two", frame(B, A)) == {"one"}
    assert arrives_at(static, "three", frame(C, A)) == {"one"}
    assert arrives_at(static, "one", frame(B, A)) == set()
    assert static.drops == {"bridge.same_side": 1}


@on_both_engines
def test_static_others_and_groups_go_everywhere_but_back_and_reserved_nowhere(static: Bench) -> None:
    arrives_at(static, "one", frame(C, BROADCAST))
    assert arrives_at(static, "two", frame(A, C)) == {"one", "three"}
    assert arrives_at(static, "two", frame(A, BROADCAST)) == {"one", "three"}
    assert arrives_at(static, "two", frame(A, 0x0180C200000E)) == set()
    assert static.drops == {"bridge.reserved": 1}
