"""What a failed proof is followed by: packets on which the two graphs really differ, few of them."""

from pathlib import Path

import pytest

from synth.captures import read_capture
from synth.counterexample import behave, find_counterexample
from synth.counterexample.frames import describe, frame_of
from synth.graph.nodes import ChainGraph
from synth.interpreter import run_captures
from synth.net.frame import Frame, admit, field_reader
from synth.proof.validate import prove
from synth.proof.witness import find_witness
from tests.proof.chains import as_written, synthesized
from tests.proof.mutants import mutators
from tests.proof.mutants.mutators import Mutator, is_well_formed
from tests.synthesis.passes import small_graph

FINDABLE = (
    ("napts/napt_1", mutators.lose_negation, 2),
    ("napts/napt_1", mutators.lose_write, 4),
    ("napts/napt_1", mutators.leave_on_another_interface, 2),
    ("napts/napt_1", mutators.change_lifetime, 4),
    ("routers/router_2", mutators.swap_branch_targets, 1),
    ("routers/router_2", mutators.write_another_field, 1),
    ("motivating/napt_firewall_lb", mutators.lose_write, 3),
)


def first_refused(chain: str, mutator: Mutator) -> tuple[ChainGraph, ChainGraph]:
    written = as_written(chain)
    for mutant in mutator(synthesized(chain)):
        if is_well_formed(mutant) and not prove(written, mutant).is_proved:
            return written, mutant
    raise AssertionError("no mutant")


@pytest.mark.parametrize(("chain", "mutator", "most"), FINDABLE)
def test_few_packets_show_what_is_wrong(chain: str, mutator: Mutator, most: int):
    written, result = first_refused(chain, mutator)
    found = find_counterexample(written, result, prove(written, result))
    assert found is not None
    assert len(found.arrivals) <= most
    one, other = behave(written, found.arrivals), behave(result, found.arrivals)
    assert (one, other) == (found.written, found.result)
    assert one != other


def test_no_packet_can_be_left_out():
    written, result = first_refused("napts/napt_1", mutators.change_lifetime)
    found = find_counterexample(written, result, prove(written, result))
    assert found is not None
    for number in range(len(found.arrivals)):
        fewer = found.arrivals[:number] + found.arrivals[number + 1 :]
        assert behave(written, fewer) == behave(result, fewer)


def test_the_same_seed_finds_the_same():
    written, result = first_refused("napts/napt_1", mutators.lose_write)
    proof = prove(written, result)
    assert find_counterexample(written, result, proof, 5) == find_counterexample(written, result, proof, 5)


def test_captures_show_it_again(tmp_path: Path):
    written, result = first_refused("napts/napt_1", mutators.lose_write)
    found = find_counterexample(written, result, prove(written, result))
    assert found is not None
    found.write(tmp_path / "found")
    inputs = {path.stem: path for path in (tmp_path / "found").glob("*.pcap")}
    assert {arrival.interface for arrival in found.arrivals} == set(inputs)
    outputs = []
    for name, graph in (("written", written), ("result", result)):
        run_captures(graph, inputs, tmp_path / name)
        outputs.append([packet for path in sorted((tmp_path / name).glob("*.pcap"))
                        for packet in read_capture(path)])  # fmt: skip
    assert outputs[0] != outputs[1]
    text = (tmp_path / "found" / "counterexample.txt").read_text(encoding="utf-8")
    assert text == found.text()
    assert f"could not show: {found.claim}" in text
    assert "they differ in" in text


RARE = """
block a.in(%0: packet):
  %1: bool = has %0 tcp
  branch %1 -> a.tcp() | a.on()
block a.tcp():
  %2: u32 = read %0 tcp.seq
  %3: u32 = constant {rare}
  %4: bool = eq %2 %3
  branch %4 -> a.rare() | a.on()
block a.rare():
  deliver drop a.rare
block a.on():
  deliver exit wan(%0)
"""


def test_the_model_finds_what_random_traffic_does_not():
    written, result = (small_graph(RARE.format(rare=rare)) for rare in (0xDEADBEEF, 0xDEADBEE0))
    proof = prove(written, result)
    witness = find_witness(proof.differences[0])
    assert witness is not None
    assert witness.fields["tcp.seq"] in (0xDEADBEEF, 0xDEADBEE0)
    frame = frame_of(witness)
    assert frame is not None
    admitted = admit(frame)
    assert isinstance(admitted, Frame)
    assert field_reader("tcp.seq")(admitted) == witness.fields["tcp.seq"]
    found = find_counterexample(written, result, proof)
    assert found is not None
    assert len(found.arrivals) == 1
    assert "tcp" in describe(found.arrivals[0].data)


def test_a_frame_has_its_models_kind():
    """One model for each kind that a packet can be: the frame made of it is of that kind."""
    for word in ("arp", "icmp", "icmp_echo", "udp", "later_fragment", "vlan_inner"):
        text = f"""
        block a.in(%0: packet):
          %1: bool = has %0 {word}
          branch %1 -> a.yes() | a.on()
        block a.yes():
          deliver {{yes}}
        block a.on():
          deliver exit wan(%0)
        """
        written, result = (small_graph(text.format(yes=yes)) for yes in ("exit wan(%0)", "exit lan(%0)"))
        witness = find_witness(prove(written, result).differences[0])
        assert witness is not None
        frame = frame_of(witness)
        assert frame is not None
        admitted = admit(frame)
        assert isinstance(admitted, Frame)
        assert word in admitted.present


def test_nothing_is_looked_for_when_all_is_proved():
    graph = as_written("routers/router_1")
    assert find_counterexample(graph, graph, prove(graph, graph)) is None
