"""Behaviour of the firewall that follows TCP: timers by state (RFC 5382, RFC 7857), reused 5-tuples."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.chains.bench import Bench, assert_idle_time, on_both_engines, put_between
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
from tests.frames import Frame

ESTABLISHED, TRANSITORY = 7440, 240


@pytest.fixture
def firewall(tmp_path: Path, engine: Engine) -> Bench:
    return put_between(tmp_path, "firewall_tcp", engine=engine)


def back(flags: int) -> Frame:
    return replace(tcp().reply(), flags=flags)


def shake_hands(bench: Bench, at: float = 0) -> None:
    bench.passes("lan", tcp(), at)
    bench.passes("wan", back(SYN_ACK), at)
    bench.passes("lan", tcp(flags=ACK), at)


def assert_lives(bench: Bench, seconds: int, *, since: float) -> None:
    """Fail unless the connection, last used at `since`, is there just before so many seconds, and then not.

    The first packet that tries keeps it alive, so it has the time once more.
    """
    bench.passes("wan", back(ACK), since + seconds - 1)
    assert bench.send("wan", back(ACK), since + seconds - 1 + seconds) == []


@on_both_engines
def test_a_connection_whose_handshake_is_done_lives_for_the_long_time(firewall: Bench) -> None:
    shake_hands(firewall)
    assert_lives(firewall, ESTABLISHED, since=0)


@on_both_engines
@pytest.mark.parametrize("flags", [[], [SYN_ACK], [SYN]], ids=["unanswered", "answered", "simultaneous"])
def test_a_connection_that_opens_lives_for_the_short_time(firewall: Bench, flags: list[int]) -> None:
    firewall.passes("lan", tcp())
    for one in flags:
        firewall.passes("wan", back(one))
    assert_lives(firewall, TRANSITORY, since=0)


def test_a_simultaneous_open_becomes_a_connection(firewall: Bench) -> None:
    firewall.passes("lan", tcp())
    firewall.passes("wan", back(SYN))
    firewall.passes("lan", tcp(flags=SYN_ACK))
    firewall.passes("wan", back(SYN_ACK))
    assert_lives(firewall, ESTABLISHED, since=0)


@on_both_engines
def test_after_a_fin_of_both_sides_the_time_is_short(firewall: Bench) -> None:
    shake_hands(firewall)
    firewall.passes("lan", tcp(flags=FIN | ACK), at=10)
    firewall.passes("wan", back(FIN | ACK), at=20)
    firewall.passes("lan", tcp(flags=ACK), at=20)
    assert_lives(firewall, TRANSITORY, since=20)


@pytest.mark.parametrize("who", ["lan", "wan"])
def test_a_half_closed_connection_keeps_the_long_time(firewall: Bench, who: str) -> None:
    shake_hands(firewall)
    firewall.passes(who, tcp(flags=FIN | ACK) if who == "lan" else back(FIN | ACK))
    firewall.passes(who, tcp(flags=FIN | ACK) if who == "lan" else back(FIN | ACK))
    assert_lives(firewall, ESTABLISHED, since=0)


@on_both_engines
@pytest.mark.parametrize("who", ["lan", "wan"])
def test_a_reset_moves_to_the_short_time_and_ends_nothing_that_goes_on(firewall: Bench, who: str) -> None:
    shake_hands(firewall)
    firewall.passes(who, tcp(flags=RST) if who == "lan" else back(RST), at=10)
    firewall.passes("lan", tcp(flags=ACK), at=200)
    firewall.passes("wan", back(ACK), at=400)
    assert_lives(firewall, TRANSITORY, since=400)


@on_both_engines
@pytest.mark.parametrize("ending", [RST, FIN])
def test_a_reused_5_tuple_starts_anew(firewall: Bench, ending: int) -> None:
    shake_hands(firewall)
    firewall.passes("lan", tcp(flags=ending | ACK), at=1)
    firewall.passes("wan", back(ending | ACK), at=1)
    assert firewall.send("wan", back(SYN), at=2) == [], "from outside nothing opens"
    shake_hands(firewall, at=3)
    assert_lives(firewall, ESTABLISHED, since=3)


def test_the_rules_decide_again_on_a_reused_5_tuple(tmp_path: Path) -> None:
    # The reset comes with other flags than the rule wants: only a SYN that is alone is permitted.
    firewall = put_between(tmp_path, "firewall_tcp", 'allow: ["permit tcp flags 0x02/0x3f"]')
    shake_hands(firewall)
    firewall.passes("wan", back(RST), at=1)
    urgent = replace(tcp(), flags=SYN | 0x20)
    assert firewall.send("lan", urgent, at=2) == []
    assert firewall.drops == {"nf.denied": 1}
    shake_hands(firewall, at=3)


def test_a_syn_on_a_connection_that_lives_changes_nothing(firewall: Bench) -> None:
    shake_hands(firewall)
    firewall.passes("lan", tcp(), at=1)
    firewall.passes("wan", back(SYN), at=1)
    assert_lives(firewall, ESTABLISHED, since=1)


@pytest.mark.parametrize("flags", [ACK, SYN_ACK, FIN | ACK, RST, SYN | FIN, SYN | RST, 0])
def test_only_a_syn_opens_and_only_from_inside(firewall: Bench, flags: int) -> None:
    assert firewall.send("lan", tcp(flags=flags)) == []
    assert firewall.send("wan", back(flags)) == []
    assert firewall.send("wan", back(SYN)) == []
    assert firewall.drops == {"nf.no_state": 3}


def test_a_thousand_closed_connections_leave_room_after_the_short_time(tmp_path: Path) -> None:
    firewall = put_between(tmp_path, "firewall_tcp", "capacity: 1000")
    flows = [tcp(sport=20000 + number) for number in range(1000)]
    for flow in flows:
        firewall.passes("lan", flow)
        firewall.passes("wan", replace(flow.reply(), flags=RST | ACK))
    assert firewall.send("lan", tcp(), at=239) == []
    firewall.passes("lan", tcp(), at=240)
    assert firewall.drops == {"nf.table_full": 1}


@pytest.mark.parametrize(("opener", "idle"), [(udp(), 300), (echo(), 60)], ids=["udp", "echo"])
def test_udp_and_pings_have_their_own_idle_times(firewall: Bench, opener: Frame, idle: int) -> None:
    assert_idle_time(firewall, opener, opener.reply(), idle)


def test_what_is_no_reply_or_is_not_tracked_is_dropped_by_name(tmp_path: Path) -> None:
    firewall = put_between(tmp_path, "firewall_tcp", 'allow: ["permit udp dport 53", "permit icmp"]')
    firewall.passes("lan", udp())
    firewall.passes("lan", echo())
    firewall.passes("wan", echo().reply())
    assert firewall.send("lan", tcp()) == []
    assert firewall.send("wan", replace(udp().reply(), src=OTHER_SERVER)) == []
    assert firewall.send("wan", replace(echo().reply(), dport=8)) == []
    assert firewall.send("lan", echo(identifier=5, of_type=ECHO_REPLY)) == []
    for frame in fragments(udp()):
        assert firewall.send("lan", frame) == []
    assert firewall.send("wan", ARP_FRAME) == []
    assert firewall.drops == {"nf.denied": 1, "nf.no_state": 3, "nf.fragment": 2, "nf.not_tracked": 1}
