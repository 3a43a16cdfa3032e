"""The whole synthesizer: real chains and random graphs, before and after, over packet sequences."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from synth.graph.nodes import Binary, ChainGraph, Write
from synth.graph.text import print_graph
from synth.graph.text_parser import parse_graph
from synth.graph.verify import verify
from synth.interpreter import Interpreter
from synth.language.checker import check_file
from synth.lower import lower
from synth.synthesis import synthesize
from tests.synthesis.passes import check_equal, small_graph
from tests.synthesis.random_graphs import random_graph
from tests.traffic import Arrival, Traffic

CHAINS = Path(__file__).resolve().parents[2] / "chains"
EXAMPLES = (
    "isp/isp_chain",
    "motivating/napt_firewall_lb",
    "napts/napt_1",
    "napts/napt_3",
    "routers/router_2",
    "routers/router_10",
)


def chain(name: str) -> ChainGraph:
    typed = check_file(CHAINS / f"{name}.chain").chain
    assert typed is not None
    return lower(typed)


def verify_synthesized(graph: ChainGraph) -> None:
    verify(graph, is_synthesized=True)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_real_chain_does_the_same_and_does_less(name: str, full: bool):
    graph = chain(name)
    result = synthesize(graph, check=verify_synthesized)
    check_equal(graph, result.graph, rounds=60 if full else 6)
    assert result.after.blocks < result.before.blocks
    arrivals = Traffic(graph, 5).random(400)
    before, after = work_done(graph, arrivals), work_done(result.graph, arrivals)
    assert all(after[word] <= before[word] for word in after), (before, after)
    assert after["Branch"] < before["Branch"]
    assert after["Read"] < before["Read"]
    assert result.remarks


def work_done(graph: ChainGraph, arrivals: list[Arrival]) -> Counter[str]:
    """Return how often traffic makes a chain do each kind of operation and end of a block."""
    done: Counter[str] = Counter()
    parts = {
        block.name: [type(op).__name__ for op in block.operations] + [type(block.terminator).__name__]
        for block in graph.blocks
    }
    interpreter = Interpreter(graph)
    program = interpreter._program
    blocks = [
        replace(block, steps=(lambda *_, words=parts[block.name]: done.update(words), *block.steps))
        for block in program.blocks
    ]
    interpreter._program = replace(program, blocks=tuple(blocks))
    for arrival in arrivals:
        interpreter.receive(arrival.interface, arrival.data, arrival.time)
    for word in ("Constant", "Select", "Resize", "Jump", "Deliver"):
        done.pop(word, None)
    return done


def test_ten_napts_stay_within_the_sum_of_their_parts():
    result = synthesize(chain("napts/napt_10"))
    verify_synthesized(result.graph)
    assert result.after.blocks <= result.before.blocks
    assert result.after.writes < result.before.writes / 2
    assert result.after.state_operations <= result.before.state_operations * 1.1


def test_random_graphs_do_the_same(full: bool):
    for seed in range(2000 if full else 12):
        graph = random_graph(seed)
        result = synthesize(graph, check=verify_synthesized)
        check_equal(graph, result.graph, seed)
        assert result.after.blocks <= 4 * result.before.blocks


def test_the_same_chain_gives_the_same_text_which_can_be_read_back():
    first, second = (synthesize(chain("motivating/napt_firewall_lb")).graph for _ in range(2))
    assert print_graph(first) == print_graph(second)
    assert print_graph(parse_graph(print_graph(first))) == print_graph(first)


HOP = """
block {nf}.in(%{p}0: packet):
  %{p}1: bool = has %{p}0 ipv4
  branch %{p}1 -> {nf}.ttl() | {nf}.other()
block {nf}.other():
  deliver drop {nf}.other
block {nf}.ttl():
  %{p}2: u8 = read %{p}0 ipv4.ttl
  %{p}3: u8 = constant 1
  %{p}4: bool = le %{p}2 %{p}3
  branch %{p}4 -> {nf}.dead() | {nf}.check()
block {nf}.dead():
  deliver drop {nf}.dead
block {nf}.check():
  %{p}5: bool = sub_overflows %{p}2 %{p}3
  branch %{p}5 -> {nf}.wrong() | {nf}.hop()
block {nf}.wrong():
  deliver drop {nf}.arithmetic
block {nf}.hop():
  %{p}6: u8 = sub %{p}2 %{p}3
  %{p}7: packet = write %{p}0 ipv4.ttl %{p}6
  deliver {next}(%{p}7)
"""


def test_ten_hops_are_one_subtraction_and_each_packet_dies_where_it_did():
    names = [*"abcdefghij"]
    followers = [f"{name}.in" for name in names[1:]] + ["exit wan"]
    text = "".join(
        HOP.format(nf=name, p=f"{number + 1}", next=after)
        for number, (name, after) in enumerate(zip(names, followers, strict=True))
    )
    graph = small_graph(text, "\n".join(f"handler {name}.in nf {name} side in" for name in names[1:]))
    result = synthesize(graph, check=verify_synthesized)
    check_equal(graph, result.graph, rounds=20)
    operations = [op for block in result.graph.blocks for op in block.operations]
    assert [op.op for op in operations if isinstance(op, Binary)].count("sub") == 1
    assert sum(isinstance(op, Write) for op in operations) == 1
    assert result.after.tests == 11
    assert result.graph.drops == graph.drops
