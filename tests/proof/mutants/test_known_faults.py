"""The earlier system's faults, put into the synthesized graphs of the chains that show them: none is proved.

Each is a change to the text of the graph, so that it is exactly the fault and nothing beside it.
"""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from synth.codegen import build, emit
from synth.graph.text import print_graph
from synth.graph.text_parser import parse_graph
from synth.proof.validate import prove
from synth.traffic.random_traffic import Traffic
from tests.differential.harness import assert_binary_equals_interpreter, in_replay_order
from tests.proof.chains import as_written, synthesized
from tests.proof.mutants.mutators import is_well_formed

GATE = "../tests/gate/chains"

FAULTS = {
    # What is wrong: the chain, what stands there, what stands there instead.
    "rules in another order": (
        "first_match", r"(rules acl\.rules \{\n)(.*\n)(.*\n)", r"\1\3\2",
    ),
    "one decrement for four": (
        "ttl_hops", r"(%\d+: u8 = sub %\S+) %\d+", r"%9000: u8 = constant 1\n  \1 %9000",
    ),
    "a packet that survives its last hop": (
        "ttl_hops", r"branch %\d+ -> fourth\.inside\.then\(\) \| fourth\.inside\.checked\(\)",
        "jump fourth.inside.checked()",
    ),
    "a test of the TTL as it came in": (
        "ttl_after_decrement", r"constant 64\n", "constant 63\n",
    ),
    "no condition on a port that a NAT has written": (
        "written_port", r"branch (%permits\.\d+) -> (acl\.inside\.else\(\)) \| acl\.inside\.then\(\)",
        r"jump \2",
    ),
    "a condition on the port as it came in": (
        "written_port", r"decide acl\.rules %pkt\.\d+", "decide acl.rules %pkt.0",
    ),
    "one port range for both NATs": (
        "two_pools", r"choose 0 from 5010\.\.5019", "choose 0 from 5000..5009",
    ),
    "a negation lost": (
        "conditions", r"(%\d+): bool = not (%\d+)\n", r"\1: bool = and \2 \2\n",
    ),
    "a refresh lost": (
        "napt_after_napt", r"  touch .*\n", "",
    ),
    "a lifetime a nanosecond too long": (
        "napt_after_napt", r"(timer \w+) (\d+)0\n", r"\1 \g<2>1\n",
    ),
    "a counter that is not counted": (
        "counters", r"  count .*\n", "",
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", FAULTS)
def test_a_known_fault_is_not_proved(what: str):
    name, wanted, instead = FAULTS[what]
    written, result = as_written(f"{GATE}/{name}"), synthesized(f"{GATE}/{name}")
    assert prove(written, result).is_proved
    text = print_graph(result)
    changed, count = re.subn(wanted, instead, text, count=1)
    assert count == 1
    faulty = parse_graph(changed)
    assert is_well_formed(faulty)
    assert faulty != result
    assert not prove(written, faulty).is_proved


STALE = {
    b"checksum_add(load16(at), p->ipv4_change)": b"load16(at)",
    b"checksum_add(before, p->l4_change)": b"before",
}


@pytest.mark.parametrize("right", STALE)
def test_a_stale_checksum_is_seen_where_proofs_do_not_look(right: bytes, tmp_path: Path):
    """Graphs have no checksums: what leaves has right ones. That the C does it, too, differentials show."""
    graph = as_written("napts/napt_1")
    tree = emit(synthesized("napts/napt_1"), is_synthesized=True)
    place = "runtime/packet_in_frame.h"
    assert tree.files[place].count(right) == 1
    stale = replace(tree, files={**tree.files, place: tree.files[place].replace(right, STALE[right])})
    binary = build(stale, tmp_path / "built", name="chain").path
    arrivals = in_replay_order(graph, Traffic(graph, seed=3).random(200))
    with pytest.raises(AssertionError, match="interpreter"):
        assert_binary_equals_interpreter(graph, binary, arrivals, tmp_path / "run")
