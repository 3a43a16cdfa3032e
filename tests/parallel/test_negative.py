"""What the released Maestro gets wrong (generator, solver, tables), and what has no key at all."""

from random import Random

import pytest

from synth.net.kinds import Kind
from synth.parallel.steer import core_of
from tests.parallel.plans import plan_nf, plan_text

INTERFACES = """
    interface lan { mac 02:00:00:00:00:01 }
    interface wan { mac 02:00:00:00:00:02 }
    nf = subject()
    lan <-> nf <-> wan
"""


def chain(state, from_inside, from_outside="emit inside", pattern="ipv4 & tcp & !fragment"):
    """Return a chain of one NF; its handlers get what the pattern says, and forward all else."""
    return f"""
nf subject {{
    sides inside, outside
    {state}
    from inside (pkt: {pattern}) {{ {from_inside} }}
    from outside (pkt: {pattern}) {{ {from_outside} }}
    from inside (pkt) {{ emit outside }}
    from outside (pkt) {{ emit inside }}
}}
chain test {{ {INTERFACES} }}
"""


def table(name, key):
    return f"table {name} {{ key k: {key}; value n: u32 = 0; timer idle = 10s; capacity 1024 }}\n"


def count_in(name, key):
    found = f"let {name}_e = {name}.find(k: {key}) or {name}.insert(k: {key}) or drop full"
    return f"{found}; touch {name}_e.idle; if {name}_e.n > 9 {{ drop many }}; {name}_e.n = {name}_e.n +% 1"


def shards_by(plan, interface):
    return plan.interface(interface).shards_by


SRC, DST = "pkt.ipv4.src", "pkt.ipv4.dst"


def test_an_object_that_one_path_alone_touches_is_constrained():
    step = "let n = total[0]; total[0] = n +% 1; if n > 9 { drop many }; emit outside"
    plan = plan_text(chain("vector total: u32[1] = 0", step))
    assert plan.strategy == "locks"
    assert plan.locked == ("nf.total",)


def test_two_keys_shard_by_what_they_have_in_common_even_if_neither_is_that():
    state = table("pairs", "(ipv4, ipv4)") + table("ports", "(ipv4, u16)")
    steps = (
        f"{count_in('pairs', f'({SRC}, {DST})')}; {count_in('ports', f'({SRC}, pkt.l4.sport)')}; emit outside"
    )
    plan = plan_text(chain(state, steps))
    assert plan.strategy == "shared-nothing"
    assert shards_by(plan, "lan") == ("source address",)


def test_a_table_with_a_constant_key_needs_locks():
    plan = plan_text(chain(table("all", "u8"), f"{count_in('all', '7')}; emit outside"))
    assert plan.strategy == "locks"
    assert "any two packets of lan" in plan.reason.meetings[0].when


def test_keys_that_have_nothing_in_common_need_locks_and_the_second_object_alone_is_locked():
    state = table("sources", "ipv4") + table("targets", "ipv4")
    steps = f"{count_in('sources', SRC)}; {count_in('targets', DST)}; emit outside"
    plan = plan_text(chain(state, steps))
    assert plan.strategy == "locks"
    assert plan.locked == ("nf.targets",)
    assert shards_by(plan, "lan") == ("source address",)
    assert {one for meeting in plan.reason.meetings for one in meeting.objects} == {
        "nf.sources",
        "nf.targets",
    }


def test_bytes_that_no_nic_hashes_leave_a_key_shardable_by_its_others():
    key = "(pkt.eth.src, pkt.ipv4.src)"
    plan = plan_text(chain(table("stations", "(mac, ipv4)"), f"{count_in('stations', key)}; emit outside"))
    assert plan.strategy == "shared-nothing"
    assert plan.interface("lan").steering_of(Kind(0, "ipv4", "tcp", "whole")).by == "nic"
    assert "source address" in shards_by(plan, "lan")


def test_the_same_key_on_both_interfaces_makes_both_rss_keys_equal_where_it_matters():
    flow = f"({SRC}, {DST}, pkt.l4.sport, pkt.l4.dport)"
    steps = count_in("flows", flow)
    plan = plan_text(
        chain(table("flows", "(ipv4, ipv4, u16, u16)"), f"{steps}; emit outside", f"{steps}; emit inside"),
        "ixgbe",
    )
    lan, wan = (int.from_bytes(one.key, "big") >> 320 - 127 for one in plan.interfaces)
    assert lan == wan != 0


def test_linked_interfaces_share_one_table():
    plan = plan_nf("firewall", "ixgbe")
    assert plan.interface("lan").table == plan.interface("wan").table


@pytest.mark.parametrize("nic", ["e810", "ixgbe", "mlx5", "software"])
def test_pings_fragments_and_tcp_to_one_client_meet_at_the_policer(nic):
    wan, random = plan_nf("policer", nic).interface("wan"), Random(1)
    for _ in range(50):
        target = random.getrandbits(32)
        cores = set()
        for l4, fragment in (("tcp", "whole"), ("icmp_echo", "whole"), ("none", "later"), ("udp", "first")):
            fields = {"ipv4.src": random.getrandbits(32), "ipv4.dst": target, "icmp_echo.id": 5}
            fields |= {"l4.sport": random.getrandbits(16), "l4.dport": random.getrandbits(16)}
            cores |= {core_of(wan, Kind(tags, "ipv4", l4, fragment), fields) for tags in (0, 1, 2)}
        assert len(cores) == 1


def test_the_policers_only_key_of_whole_groups_has_one_bit_and_is_warned_about():
    plan = plan_nf("policer", "ixgbe")
    wan = plan.interface("wan")
    assert wan.free_bits == 1
    assert int.from_bytes(wan.key, "big") >> 320 - 127 == 1 << 126 - 63
    assert any("top 7 bits of ipv4.dst only" in warning for warning in plan.warnings)


def test_an_exact_field_set_frees_the_policers_key():
    assert plan_nf("policer", "e810").interface("wan").free_bits == 63
    assert not plan_nf("policer", "e810").warnings


def test_a_read_only_table_is_copied_and_binds_nothing():
    plan = plan_nf("router")
    assert {one.treatment for one in plan.objects} == {"copied"}
    assert not plan.meetings


def test_a_bridge_needs_locks_for_its_stations_alone():
    plan = plan_nf("bridge")
    assert plan.strategy == "locks"
    assert plan.locked == ("nf.stations",)


def test_what_a_locked_tables_entry_tells_is_locked_too():
    """A packet counts as the maker of an entry only while the entry's table keeps both on one core."""
    state = "table names { key a: ipv4; unique b: u16; timer idle = 10s; capacity 1024 }\n" + table(
        "seen", "ipv4"
    )
    made = f"let e = names.find(a: {SRC}) or names.insert(a: {SRC}, b: pkt.l4.sport) or drop full"
    inside = f"{made}; touch e.idle; {count_in('seen', SRC)}; emit outside"
    outside = f"let e = names.find(b: pkt.l4.dport) or drop none; {count_in('seen', 'e.a')}; emit inside"
    plan = plan_text(chain(state, inside, outside))
    assert plan.strategy == "locks"
    assert set(plan.locked) == {"nf.names", "nf.seen"}
