"""What every plan promises to those who build binaries from it."""

import pytest

from synth.diagnostics.diagnostic import UserError
from synth.net.kinds import UNIVERSE, Kind
from synth.parallel import nic_names
from synth.parallel.steer import core_of
from tests.parallel.plans import NFS, plan_nf

STEERED = ("firewall", "napt", "policer", "bridge")


@pytest.mark.parametrize("nic", nic_names())
@pytest.mark.parametrize("name", STEERED)
def test_every_kind_is_steered_once_and_every_core_gets_packets(name, nic):
    plan = plan_nf(name, nic)
    for interface in plan.interfaces:
        kinds = [kind for one in interface.steering for kind in one.kinds]
        assert len(kinds) == len(UNIVERSE)
        assert set(kinds) == UNIVERSE
        assert set(interface.table) == set(range(4))
        assert len(interface.table).bit_count() == 1
        for one in interface.steering:
            assert all(field.first_bit < 8 * one.input_bytes for field in one.fields)
            assert one.input_bytes + 4 <= len(interface.key)


@pytest.mark.parametrize("name", NFS)
def test_what_the_nic_brings_to_a_core_it_is_told_to_hash_by_the_same_fields(name):
    widths = {"src": 32, "dst": 32, "sport": 16, "dport": 16}
    for interface in plan_nf(name).interfaces:
        told = {one.packets: sum(widths[field] for field in one.fields) for one in interface.nic_hashes}
        for one in interface.steering:
            for kind in one.kinds if one.by == "nic" else ():
                assert kind.l3 == "ipv4"
                packets = kind.l4 if kind.l4 in ("tcp", "udp") else "other"
                packets = "fragment" if kind.fragment != "whole" else packets
                assert told[packets] == 8 * one.input_bytes


@pytest.mark.parametrize("cores", [1, 2, 3, 5, 8])
def test_capacities_and_chosen_values_are_split_exactly(cores):
    plan = plan_nf("napt_per_flow", cores=cores)
    (bindings,) = (one for one in plan.objects if one.name == "nf.bindings")
    assert sum(bindings.capacities) == 3 * 64512
    (share,) = plan.shares
    assert sum(share.counts) == 64512
    owners = [share.owner(value) for value in range(1024, 65536)]
    assert [owners.count(core) for core in range(cores)] == list(share.counts)


@pytest.mark.parametrize("nic", ["e810", "ixgbe", "software"])
def test_a_nats_replies_come_to_the_core_that_chose_their_port(nic):
    plan = plan_nf("napt", nic)
    assert plan.strategy == "shared-nothing"
    (share,) = plan.shares
    assert min(share.counts) > 15_000
    wan = plan.interface("wan")
    for port in range(1024, 65536, 37):
        fields = {"ipv4.src": 77, "ipv4.dst": 88, "l4.sport": 99, "l4.dport": port, "icmp_echo.id": port}
        for l4 in ("tcp", "udp", "icmp_echo"):
            assert core_of(wan, Kind(0, "ipv4", l4, "whole"), fields) == share.owner(port)


def test_cores_beyond_the_nics_queues_are_refused():
    with pytest.raises(UserError) as refused:
        plan_nf("policer", "ixgbe", cores=17)
    assert refused.value.diagnostics[0].code == "E721"
