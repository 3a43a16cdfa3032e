"""Behaviour of the static access list."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.chains.bench import Bench, put_between
from tests.chains.frames_of import (
    ACK,
    ARP_FRAME,
    HOST,
    IPV6_FRAME,
    SERVER,
    SYN,
    SYN_ACK,
    echo,
    fragments,
    tcp,
    udp,
)
from tests.frames import Frame, ip


def acl(tmp_path: Path, *rules: str, arguments: str = "") -> Bench:
    (tmp_path / "bench.rules").write_text("\n".join(rules))
    return put_between(tmp_path, "acl", f'rules: rules("bench.rules"){arguments}')


def is_passed(bench: Bench, frame: Frame) -> bool:
    return bench.send("lan", frame) == [("wan", frame.encode())]


def test_the_first_rule_that_matches_decides(tmp_path: Path) -> None:
    bench = acl(tmp_path, "deny src 10.0.0.0/8", "permit any")
    assert not is_passed(bench, udp(src=HOST))
    assert is_passed(bench, udp(src=ip("11.0.0.1")))
    assert bench.drops == {"nf.denied": 1}


def test_rules_apply_to_both_directions_as_written(tmp_path: Path) -> None:
    bench = acl(tmp_path, "permit tcp dst 198.51.100.9 dport 80")
    assert bench.send("lan", tcp()) == [("wan", tcp().encode())]
    assert bench.send("wan", tcp()) == [("lan", tcp().encode())]
    assert bench.send("wan", tcp().reply()) == []
    assert bench.drops == {"nf.denied": 1}


@pytest.mark.parametrize(("otherwise", "passed"), [("", False), (", permit_otherwise: true", True)])
def test_what_no_rule_matches_takes_the_parameter(tmp_path: Path, otherwise: str, passed: bool) -> None:
    bench = acl(tmp_path, "permit tcp dport 80", arguments=otherwise)
    assert is_passed(bench, udp()) is passed


@pytest.mark.parametrize(
    ("rule", "frame", "passed"),
    [
        ("permit udp dport 50..60", udp(dport=50), True),
        ("permit udp dport 50..60", udp(dport=60), True),
        ("permit udp dport 50..60", udp(dport=61), False),
        ("permit udp dport 50..60", tcp(dport=55), False),
        ("permit any dport 53", tcp(dport=53), True),
        ("permit any dport 53", echo(), False),
        ("permit icmp", echo(), True),
        ("permit 47", replace(udp(), protocol=47), True),
        ("permit 0x2e/0xfe", replace(udp(), protocol=47), True),
        ("permit tcp flags 0x02/0x12", tcp(flags=SYN), True),
        ("permit tcp flags 0x02/0x12", tcp(flags=SYN_ACK), False),
        ("permit tcp flags 0x10/0x10", tcp(flags=ACK), True),
        ("permit src 10.0.0.0/29", udp(src=ip("10.0.0.7")), True),
        ("permit src 10.0.0.0/29", udp(src=ip("10.0.0.8")), False),
        ("@10.0.0.5/32 0.0.0.0/0 0 : 65535 53 : 53 0x11/0xFF 0x0000/0x0000", udp(), True),
        ("@10.0.0.5/32 0.0.0.0/0 0 : 65535 0 : 65535 0x01/0xFF 0x0800/0xFF00", echo(), True),
    ],
)
def test_a_rule_takes_the_packets_that_it_describes(
    tmp_path: Path, rule: str, frame: Frame, passed: bool
) -> None:
    assert is_passed(acl(tmp_path, rule), frame) is passed


def test_a_later_fragment_passes_by_its_addresses_but_matches_no_ports(tmp_path: Path) -> None:
    first, later = fragments(udp())
    by_port = acl(tmp_path, "permit udp dport 53")
    assert is_passed(by_port, first)
    assert not is_passed(by_port, later)
    by_address = acl(tmp_path, "permit udp dst 198.51.100.9")
    assert is_passed(by_address, first)
    assert is_passed(by_address, later)


def test_ports_of_a_packet_with_ip_options_are_found_behind_them(tmp_path: Path) -> None:
    bench = acl(tmp_path, "permit udp dport 53")
    assert is_passed(bench, replace(udp(), options=bytes(8)))


def test_frames_that_are_not_ipv4_are_dropped_by_name(tmp_path: Path) -> None:
    bench = acl(tmp_path, "permit any")
    assert bench.send("lan", ARP_FRAME) == []
    assert bench.send("wan", IPV6_FRAME) == []
    assert bench.drops == {"nf.not_ipv4": 2}


def test_a_tagged_packet_is_decided_like_any_other(tmp_path: Path) -> None:
    bench = acl(tmp_path, f"deny dst {SERVER >> 24}.0.0.0/8", "permit any")
    assert not is_passed(bench, replace(udp(), vlans=(5, 6)))
    assert is_passed(bench, replace(udp(dst=HOST), vlans=(5,)))
