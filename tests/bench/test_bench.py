"""What `synth bench` measures with: its traffic, and what it reads off the programs."""

import re
from pathlib import Path

import pytest

from synth.bench.measure import find_machine
from synth.bench.programs import chain_program, macswap_program
from synth.bench.running import measure_instructions, measure_rate
from synth.bench.traffic import BenchTraffic, NothingPasses, accepted_traffic
from synth.captures import CapturedPacket, write_capture
from synth.codegen import ToolchainError, build, emit
from synth.graph.nodes import ChainGraph
from synth.net.frame import Rejected, admit
from synth.synthesis import synthesize
from synth.traffic.frames import TCP, UDP, read_frame
from tests.codegen.graphs import chain_graph
from tests.synthesis.passes import small_graph

DROPS_ALL = """
block a.in(%0: packet):
  deliver drop a.all
"""


def traffic_of(graph: ChainGraph, flows: int = 64, packets: int = 256) -> BenchTraffic:
    found = accepted_traffic(graph, flows=flows, packets=packets)
    assert isinstance(found, BenchTraffic)
    return found


@pytest.mark.parametrize("chain", ["isp/isp_chain.chain", "routers/router_2.chain", "napts/napt_2.chain"])
def test_the_traffic_is_small_right_frames_of_half_tcp_half_udp_that_leave(chain: str) -> None:
    traffic = traffic_of(chain_graph(chain))
    assert traffic.interface == "lan"
    assert traffic.flows == {TCP: 32, UDP: 32}
    assert traffic.leaving > 0.95
    assert len(traffic.frames) == 256
    assert {len(frame) for frame in traffic.frames} == {60}
    assert not any(isinstance(admit(frame), Rejected) for frame in traffic.frames)


def test_each_flow_has_as_many_packets_as_any_other() -> None:
    keys = []
    for data in traffic_of(chain_graph("routers/router_1.chain")).frames:
        frame = read_frame(data)
        assert frame is not None
        keys.append((frame.src, frame.dst, frame.protocol, frame.sport, frame.dport))
    assert {keys.count(key) for key in keys} == {4}
    assert len(set(keys)) == 64


def test_where_only_udp_passes_all_flows_are_udp() -> None:
    traffic = traffic_of(chain_graph("motivating/napt_firewall_lb.chain"), flows=16, packets=32)
    assert traffic.flows == {TCP: 0, UDP: 16}


def test_the_same_chain_gives_the_same_traffic() -> None:
    graph = chain_graph("napts/napt_1.chain")
    assert traffic_of(graph) == traffic_of(graph)


def test_a_chain_that_drops_everything_has_no_traffic_and_says_so() -> None:
    found = accepted_traffic(small_graph(DROPS_ALL), flows=8, packets=16)
    assert isinstance(found, NothingPasses)
    assert "no traffic for chain `small`" in found.title.format(**vars_of(found))
    assert found.found == 0
    assert found.tried > 0


def vars_of(found: NothingPasses) -> dict[str, object]:
    return {"chain": found.chain, "tried": found.tried, "found": found.found}


def test_a_program_that_is_missing_or_stops_is_told_with_its_command(tmp_path: Path) -> None:
    machine = find_machine()
    missing = chain_program("none", tmp_path / "none", tmp_path / "no.pcap", ("lan", "wan"), "lan", machine)
    with pytest.raises(ToolchainError, match=re.escape(str(tmp_path / "none"))):
        measure_rate(missing, 1)


def test_chain_and_testpmd_forward_the_traffic_and_are_counted(tmp_path: Path, full: bool) -> None:
    graph = chain_graph("routers/router_1.chain")
    traffic = traffic_of(graph, flows=1024, packets=4096)
    capture = tmp_path / "traffic.pcap"
    write_capture(capture, [CapturedPacket(number, frame) for number, frame in enumerate(traffic.frames)])
    tree = emit(synthesize(graph).graph, is_synthesized=True)
    binary = build(tree, tmp_path / "built", name="chain", march="x86-64-v3").path
    machine = find_machine()
    chain = chain_program("chain", binary, capture, ("lan", "wan"), traffic.interface, machine)
    for program in (chain, macswap_program(capture, machine)):
        assert measure_rate(program, 1) > 0
        if full:
            assert measure_instructions(program, tmp_path) > 50
