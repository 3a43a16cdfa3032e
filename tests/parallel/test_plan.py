"""What every plan promises to those who build binaries from it."""

import pytest

from synth.net.kinds import UNIVERSE
from synth.parallel import nic_names
from tests.parallel.plans import NFS, planned

NAMES = [path.stem for path in sorted(NFS.glob("*.chain"))]


@pytest.mark.parametrize("nic", nic_names())
@pytest.mark.parametrize("name", NAMES)
def test_every_kind_is_steered_once_and_every_core_gets_packets(name, nic):
    plan = planned(NFS / f"{name}.chain", nic)
    assert {interface.name for interface in plan.interfaces} == {"lan", "wan"}
    for interface in plan.interfaces:
        kinds = [kind for one in interface.steering for kind in one.kinds]
        assert len(kinds) == len(UNIVERSE)
        assert set(kinds) == UNIVERSE
        assert set(interface.table) == set(range(4))
        assert len(interface.table).bit_count() == 1
        for one in interface.steering:
            assert all(field.first_bit < 8 * one.input_bytes for field in one.fields)
            assert one.input_bytes + 4 <= len(interface.key)


@pytest.mark.parametrize("name", NAMES)
def test_what_the_nic_brings_to_a_core_is_what_it_is_told_to_hash(name):
    for interface in planned(NFS / f"{name}.chain", "ixgbe").interfaces:
        told = {one.packets: len(one.fields) for one in interface.nic_hashes}
        for one in interface.steering:
            if one.by == "nic":
                classes = {
                    kind.l4 if kind.l4 in ("tcp", "udp") and kind.fragment == "whole" else None
                    for kind in one.kinds
                } - {None}
                assert all(packets in told for packets in classes)


@pytest.mark.parametrize("cores", [1, 2, 3, 5, 8])
def test_the_capacity_is_split_exactly(cores):
    plan = planned(NFS / "policer.chain", cores=cores)
    (clients,) = (one for one in plan.objects if one.name == "policer.clients")
    assert clients.treatment == "split"
    assert sum(clients.capacities) == 65536
    assert max(clients.capacities) - min(clients.capacities) <= 1
