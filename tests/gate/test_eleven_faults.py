"""The eleven faults of an earlier synthesizer, each shown to be absent from the synthesized binary.

Each chain stands in `chains/` beside this file. The binary is what `synth build` makes: synthesized, and
proved equal to the chain as written.
"""

import json
import random
from dataclasses import replace
from itertools import product

import pytest
from click.testing import CliRunner

from synth.cli.commands import cli
from synth.driver import Source, load
from synth.graph.nodes import Counter, RuleTable
from synth.synthesis import synthesize
from tests.chains.frames_of import ARP_FRAME, HOST, IPV6_FRAME, OTHER_HOST, PUBLIC, SERVER, echo, tcp, udp
from tests.conftest import REPOSITORY
from tests.frames import ICMP, UDP, Frame, ip, read_frame
from tests.gate.conftest import GetMachine
from tests.gate.deciding import deciding_packets
from tests.gate.machine import CHAINS, Sent

NAMES = sorted(path.stem for path in CHAINS.glob("*.chain"))
TEN, OTHER = ip("10.200.0.1"), ip("172.16.0.1")


@pytest.mark.parametrize("name", NAMES)
def test_synth_prove_proves_the_chain_of_each_fault(name: str) -> None:
    done = CliRunner().invoke(cli, ["prove", "--json", str(CHAINS / f"{name}.chain")])
    assert done.exit_code == 0
    verdict = json.loads(done.stdout)
    assert verdict["proved"] is True
    assert verdict["unknown"] == 0


def fields(data: bytes) -> Frame:
    frame = read_frame(data)
    assert frame is not None
    return frame


# ---------------------------------------------------------------- 1, first match


def test_fault_1_a_deny_above_an_allow_all_denies(machine: GetMachine) -> None:
    from_ten, from_other = udp(src=TEN, dst=OTHER), udp(src=OTHER, dst=TEN)
    outcome = machine("first_match").receive(
        ("lan", from_ten), ("lan", from_other), ("wan", from_ten), ("wan", from_other)
    )
    assert outcome.left == ((), (("wan", from_other.encode()),), (), (("lan", from_other.encode()),))
    assert outcome.drops == {"acl.denied": 2}


@pytest.mark.parametrize(
    ("name", "denials"), [("isp_chain", 4), ("isp_chain_713", 6), ("isp_chain_8550", 94)]
)
def test_fault_1_no_deny_rule_of_the_isp_sets_leaks(machine: GetMachine, name: str, denials: int) -> None:
    (table,) = (
        state
        for state in load(Source(path=REPOSITORY / "chains" / "isp" / f"{name}.chain")).graph.states
        if isinstance(state, RuleTable)
    )
    denied, permitted, without = deciding_packets(table.rules, random.Random(1))
    assert len(denied) + without == denials
    assert len(denied) >= 0.95 * denials
    assert len(permitted) >= 60
    outcome = machine(f"isp/{name}.chain").receive(*(("lan", frame) for frame in (*denied, *permitted)))
    assert outcome.left[: len(denied)] == ((),) * len(denied)
    assert outcome.drops["acl.denied"] == len(denied)


# ---------------------------------------------------------------- 2, overlapping classes


def test_fault_2_the_order_of_the_text_decides_between_overlapping_classes(machine: GetMachine) -> None:
    source, destination = ip("10.1.0.9"), ip("10.2.0.9")
    both, first, second, none = (
        udp(src=source, dst=destination),
        udp(src=source, dst=OTHER),
        udp(src=OTHER, dst=destination),
        udp(src=OTHER, dst=OTHER),
    )
    frames = (both, first, second, none)
    outcome = machine("overlapping_classes").receive(
        *(("west", frame) for frame in frames), *(("north", frame) for frame in frames)
    )
    left = [found for ((_, data),) in outcome.left for found in [data[15] >> 2]]
    assert left == [10, 10, 20, 0, 20, 10, 20, 0]
    assert outcome.report.packets_out == {"west": 0, "east": 4, "north": 0, "south": 4}
    assert outcome.drops == {}


# ---------------------------------------------------------------- 3, longest prefix


def test_fault_3_the_longest_prefix_wins_wherever_it_is_listed(machine: GetMachine) -> None:
    ways = {
        "8.8.8.8": ("any_net", 0x02),
        "11.0.0.1": ("any_net", 0x02),
        "10.0.0.1": ("ten", 0x03),
        "10.255.255.255": ("ten", 0x03),
        "10.7.7.7": ("host", 0x04),
    }
    sent = [udp(src=OTHER, dst=ip(to)) for to in ways]
    outcome = machine("route_order").receive(
        *(("lan", frame) for frame in sent), ("lan", udp(src=OTHER, dst=ip("10.7.7.8")))
    )
    expected = [
        ((side, replace(frame, ttl=63, eth_dst=0x020000002000 + mac, eth_src=0x020000000000 + mac).encode()),)
        for frame, (side, mac) in zip(sent, ways.values(), strict=True)
    ]
    assert list(outcome.left) == [*expected, ()]
    assert outcome.drops == {"router.no_route": 1}


# ---------------------------------------------------------------- 4 and 5, TTL

HOPS = ("first", "second", "third", "fourth")


@pytest.mark.parametrize(("side", "hops"), [("lan", HOPS), ("wan", HOPS[::-1])])
def test_fault_4_each_of_four_decrements_counts_and_a_packet_dies_at_its_hop(
    machine: GetMachine, side: str, hops: tuple[str, ...]
) -> None:
    out = "wan" if side == "lan" else "lan"
    for ttl in (0, 1, 2, 3, 4, 5, 6, 64, 255):
        outcome = machine("ttl_hops").receive((side, replace(udp(), ttl=ttl)))
        dies = ttl <= 4
        assert outcome.left == (() if dies else ((out, replace(udp(), ttl=ttl - 4).encode()),),)
        assert outcome.drops == ({f"{hops[max(ttl, 1) - 1]}.ttl_expired": 1} if dies else {})


def test_fault_4_a_packet_dies_at_its_hop_in_the_row_of_ten_routers(machine: GetMachine) -> None:
    east = udp(src=ip("10.9.9.9"), dst=ip("198.51.100.9"))
    sent: list[Sent] = [("lan", replace(east, ttl=ttl)) for ttl in range(1, 12)]
    outcome = machine("routers/router_10.chain").receive(*sent)
    assert [len(left) for left in outcome.left] == [0] * 10 + [1]
    assert fields(outcome.left[-1][0][1]).ttl == 1
    assert outcome.drops == {f"router_{number}.ttl_expired": 1 for number in range(1, 11)}


def test_fault_5_a_test_on_the_ttl_after_a_decrement_sees_the_new_value(machine: GetMachine) -> None:
    outcome = machine("ttl_after_decrement").receive(
        *(("lan", replace(udp(), ttl=ttl)) for ttl in (1, 2, 63, 64, 65, 66, 255))
    )
    assert [len(left) for left in outcome.left] == [0, 1, 1, 1, 0, 0, 0]
    assert [fields(left[0][1]).ttl for left in outcome.left[1:4]] == [1, 62, 63]
    assert outcome.drops == {"hop.ttl_expired": 1, "below.too_fresh": 3}


# ---------------------------------------------------------------- 6 and 7, NATs in a row


def test_fault_6_a_condition_on_a_port_sees_the_port_that_the_nat_wrote(machine: GetMachine) -> None:
    ports = 65536 - 1024
    flows = [udp(src=HOST + number // 20000, sport=2000 + number % 20000) for number in range(ports + 1)]
    outcome = machine("written_port").receive(*(("lan", flow) for flow in flows))
    left = [fields(data) for frames in outcome.left for _, data in frames]
    assert {frame.src for frame in left} == {PUBLIC}
    assert sorted(frame.sport for frame in left) == list(range(2000, 3001))
    assert outcome.drops == {"acl.denied": ports - 1001, "nat.no_port": 1}


def test_fault_7_the_first_of_two_napts_keeps_its_pool_and_its_timers(machine: GetMachine) -> None:
    flows = [udp(sport=sport) for sport in (40000, 40001, 40002, 40003)]
    first = machine("napt_after_napt").receive(*(("lan", flow) for flow in flows))
    assert [len(left) for left in first.left] == [1, 1, 1, 0]
    assert first.drops == {"near.no_port": 1}
    outside = fields(first.left[0][0][1])
    assert outside.src == ip("192.0.2.2")
    answer = outside.reply()
    second = machine("napt_after_napt").receive(
        *(("lan", flow) for flow in flows[:3]),
        ("wan", answer, 9.9),  # alive in both
        ("lan", flows[3], 10.5),  # the other two of the near one's three are free again
        ("wan", answer, 19.8),  # kept alive by the answer
        ("wan", answer, 29.9),  # over in the near one, alive in the far one
        ("wan", answer, 129.9),  # over in the far one too
    )
    assert [len(left) for left in second.left] == [1, 1, 1, 1, 1, 1, 0, 0]
    assert second.left[3] == (("lan", replace(answer, dst=HOST, dport=40000).encode()),)
    assert second.left[5] == second.left[3]
    assert second.drops == {"near.no_binding": 1, "far.no_binding": 1}


# ---------------------------------------------------------------- 8, all protocols


def test_fault_8_replies_and_pings_are_translated_back(machine: GetMachine) -> None:
    sent = [tcp(src=HOST), udp(src=HOST), echo(src=HOST)]
    outward = machine("mixed_protocols").receive(*(("lan", frame) for frame in sent))
    outside = [fields(data) for ((_, data),) in outward.left]
    assert [frame.src for frame in outside] == [PUBLIC] * 3
    assert all(frame.sport in range(5000, 5100) for frame in outside)
    answers = [frame.reply() for frame in outside]
    both = machine("mixed_protocols").receive(
        *(("lan", frame) for frame in sent), *(("wan", answer) for answer in answers)
    )
    assert both.left[:3] == outward.left
    expected = [
        replace(answer, dst=HOST, sport=77).encode()
        if answer.protocol == ICMP
        else replace(answer, dst=HOST, dport=40000).encode()
        for answer in answers
    ]
    assert list(both.left[3:]) == [(("lan", frame),) for frame in expected]
    assert both.drops == {}


def test_fault_8_later_fragments_pass_and_their_payload_is_no_port(machine: GetMachine) -> None:
    looks_like_port_53 = Frame(HOST, SERVER, UDP, fragment=8, payload=b"\x00\x35\x00\x35 the rest")
    denied_by_address = replace(looks_like_port_53, dst=ip("192.0.2.9"))
    first_to_53 = replace(udp(dport=53), fragment=0x2000)
    outcome = machine("mixed_protocols").receive(
        ("lan", looks_like_port_53),
        ("wan", looks_like_port_53),
        ("lan", denied_by_address),
        ("lan", first_to_53),
    )
    data = looks_like_port_53.encode()
    assert outcome.left == ((("wan", data),), (("lan", data),), (), ())
    assert outcome.drops == {"filter.denied": 2}


def test_fault_8_arp_and_ipv6_pass_and_are_not_read_as_ipv4(machine: GetMachine) -> None:
    # Where IPv4 has its protocol and destination, this one has UDP and an address that is denied.
    ipv6 = bytearray(IPV6_FRAME)
    ipv6[23], ipv6[30:34] = UDP, ip("192.0.2.9").to_bytes(4, "big")
    odd = bytes(ipv6)
    frames = (ARP_FRAME, IPV6_FRAME, odd)
    outcome = machine("mixed_protocols").receive(
        *(("lan", frame) for frame in frames), *(("wan", frame) for frame in frames)
    )
    assert outcome.left == tuple(((side, frame),) for side in ("wan", "lan") for frame in frames)
    assert outcome.drops == {}


# ---------------------------------------------------------------- 9, shared ranges


def test_fault_9_no_two_live_flows_hold_one_outside_address_and_port(machine: GetMachine) -> None:
    """Two NAPTs behind one address, flows that come, go and find no port: 200 rounds of 6 s each."""
    sent: list[Sent] = []
    for turn in range(200):
        for number in range(26):
            side = "red" if (turn + number) % 2 else "blue"
            sent.append((side, udp(sport=20000 + 11 * turn + number), 6.0 * turn))
    outcome = machine("two_pools").receive(*sent)
    holders: dict[int, tuple[str, int, float]] = {}
    reused = 0
    for (side, frame, at), left in zip(sent, outcome.left, strict=True):
        for _, data in left:
            port = fields(data).sport
            assert fields(data).src == PUBLIC
            assert port in (range(5000, 5010) if side == "red" else range(5010, 5020))
            holder = holders.get(port)
            is_other = holder is not None and holder[:2] != (side, frame.sport)
            assert not is_other or at - holder[2] >= 10
            reused += is_other
            holders[port] = (side, frame.sport, at)
    assert set(holders) == set(range(5000, 5020))
    assert reused > 100
    assert set(outcome.drops) == {"red_nat.no_port", "blue_nat.no_port"}


# ---------------------------------------------------------------- 10, conditions


def test_fault_10_every_way_through_a_nested_negated_condition_is_taken(machine: GetMachine) -> None:
    sent: list[Sent] = []
    expected: list[str] = []
    for from_ten, is_udp, to_web, is_old, tags, to_all in product(
        (True, False), (True, False), (True, False), (True, False), ((), (5,), (5, 6)), (True, False)
    ):
        make = udp if is_udp else tcp
        frame = replace(
            make(src=TEN if from_ten else OTHER, dport=80 if to_web else 79),
            ttl=31 if is_old else 32,
            vlans=tags,
            eth_dst=0xFFFFFFFFFFFF if to_all else 0x020000000001,
        )
        holds = not (from_ten and (is_udp or not to_web)) or (not (is_old or not from_ten) and to_web)
        sent.append(("lan", frame))
        expected.append("refused" if not holds else "old" if is_old else "")
    outcome = machine("conditions").receive(*sent)
    for one, left, drop in zip(sent, outcome.left, expected, strict=True):
        assert isinstance(one[1], Frame)
        assert left == (() if drop else (("wan", one[1].encode()),)), one
    drops = {f"judge.{name}": expected.count(name) for name in ("refused", "old")}
    assert outcome.drops == drops
    assert all(drops.values())


def test_fault_10_a_negated_class_without_ipv4_is_not_lost(machine: GetMachine) -> None:
    unknown = bytes.fromhex("020000000001 020000000a01 88b5") + bytes(46)
    outcome = machine("conditions").receive(
        ("lan", IPV6_FRAME), ("lan", unknown), ("lan", ARP_FRAME), ("lan", echo())
    )
    assert outcome.left == ((("wan", IPV6_FRAME),), (("wan", unknown),), (), ())
    assert outcome.drops == {"judge.other": 1, "judge.no_ports": 1}


# ---------------------------------------------------------------- 11, counters and checks


def test_fault_11_counters_and_checks_are_kept(machine: GetMachine) -> None:
    good = [replace(udp(), payload=bytes(size)) for size in (0, 1, 100)]
    land, loop = udp(src=HOST, dst=HOST), udp(src=ip("127.0.0.1"), dst=OTHER_HOST)
    outcome = machine("counters").receive(
        *(("lan", frame) for frame in (*good, land, loop)), ("lan", ARP_FRAME), ("wan", ARP_FRAME)
    )
    passed = sum(len(frame.encode()) for frame in good)
    assert dict(outcome.report.counters) == {
        "first.packets": 5,
        "first.bytes": passed + 2 * len(land.encode()),
        "first.never": 0,
        "second.packets": 3,
        "second.bytes": passed,
        "second.never": 0,
    }
    assert outcome.drops == {"first.land": 1, "first.loopback": 1, "first.not_ipv4": 1}


@pytest.mark.parametrize("name", NAMES)
def test_fault_11_every_declared_drop_and_counter_stays_declared(name: str) -> None:
    written = load(Source(path=CHAINS / f"{name}.chain")).graph
    graph = synthesize(written).graph
    assert graph.drops == written.drops
    counters = [{s.name for s in one.states if isinstance(s, Counter)} for one in (written, graph)]
    assert counters[0] == counters[1]
