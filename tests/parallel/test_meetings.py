"""Packets that must meet are sent to one core: random pairs, written down here by hand for each NF."""

from random import Random

import pytest

from synth.net.kinds import UNIVERSE, Kind
from synth.parallel import nic_names
from synth.parallel.steer import core_of
from tests.parallel.plans import plan_nf

TCP, UDP = Kind(0, "ipv4", "tcp", "whole"), Kind(0, "ipv4", "udp", "whole")
IPV4 = sorted((kind for kind in UNIVERSE if kind.l3 == "ipv4"), key=repr)


def packet(src, dst, sport, dport):
    return {"ipv4.src": src, "ipv4.dst": dst, "l4.sport": sport, "l4.dport": dport, "icmp_echo.id": sport}


def endpoints(random):
    return random.getrandbits(32), random.getrandbits(32), random.getrandbits(16), random.getrandbits(16)


def any_kind(random):
    return random.choice(IPV4)


def flow_both_ways(random):
    src, dst, sport, dport = endpoints(random)
    kind = random.choice((TCP, UDP, Kind(1, "ipv4", "tcp", "whole"), Kind(2, "ipv4", "udp", "whole")))
    return ("lan", kind, packet(src, dst, sport, dport)), ("wan", kind, packet(dst, src, dport, sport))


def ping_both_ways(random):
    src, dst, number, _ = endpoints(random)
    kind = Kind(0, "ipv4", "icmp_echo", "whole")
    return ("lan", kind, packet(src, dst, number, number)), ("wan", kind, packet(dst, src, number, number))


def same_destination(random):
    src, dst, sport, dport = endpoints(random)
    other = packet(random.getrandbits(32), dst, random.getrandbits(16), random.getrandbits(16))
    return ("wan", any_kind(random), packet(src, dst, sport, dport)), ("wan", any_kind(random), other)


def same_source(random):
    src, dst, sport, dport = endpoints(random)
    other = packet(src, random.getrandbits(32), random.getrandbits(16), random.getrandbits(16))
    return ("wan", TCP, packet(src, dst, sport, dport)), ("wan", UDP, other)


def same_source_28(random):
    src, dst, sport, dport = endpoints(random)
    other = packet(src ^ random.getrandbits(4), *endpoints(random)[1:])
    return ("wan", any_kind(random), packet(src, dst, sport, dport)), ("wan", any_kind(random), other)


def same_server(random):
    src, dst, sport, dport = endpoints(random)
    port = random.getrandbits(16)
    return ("lan", TCP, packet(src, dst, sport, dport)), ("wan", TCP, packet(dst, 203 << 24, dport, port))


def same_inside_host(random):
    src, dst, sport, dport = endpoints(random)
    other = packet(src, random.getrandbits(32), sport, random.getrandbits(16))
    return ("lan", TCP, packet(src, dst, sport, dport)), ("lan", TCP, other)


MUST_MEET = [
    ("firewall", flow_both_ways),
    ("firewall", ping_both_ways),
    ("firewall_tcp", flow_both_ways),
    ("policer", same_destination),
    ("port_scan_detector", same_source),
    ("heavy_hitters", same_source_28),
    ("napt_per_flow", same_server),
    ("napt", same_inside_host),
    ("flow_monitor", flow_both_ways),
]


NICS = ("e810", "ixgbe", "software")


@pytest.mark.parametrize("nic", NICS)
@pytest.mark.parametrize(("name", "make"), MUST_MEET, ids=lambda one: getattr(one, "__name__", one))
def test_pairs_that_must_meet_come_to_one_core(name, make, nic):
    check_pairs(name, make, nic)


def test_pairs_that_must_meet_come_to_one_core_with_every_nic(full):
    for nic in nic_names() if full else ():
        for name, make in MUST_MEET:
            check_pairs(name, make, nic)


def check_pairs(name, make, nic):
    plan, random = plan_nf(name, nic), Random(f"{name} {nic}")
    assert plan.strategy == "shared-nothing"
    seen = set()
    for _ in range(300):
        cores = {core_of(plan.interface(interface), kind, fields) for interface, kind, fields in make(random)}
        assert len(cores) == 1
        seen |= cores
    assert seen == {0, 1, 2, 3}
