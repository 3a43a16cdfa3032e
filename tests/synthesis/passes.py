"""Text before, text after, and that both do the same: how each pass is tested."""

from collections.abc import Callable
from dataclasses import replace
from textwrap import dedent

from synth.graph.nodes import ChainGraph
from synth.graph.text import print_block
from synth.graph.text_parser import parse_graph
from synth.graph.verify import verify
from synth.graph.walk import drop_names
from synth.interpreter import Interpreter
from synth.synthesis.remarks import Outcome
from tests.traffic import Traffic

HEAD = """
chain small

interface lan mac 02:00:00:00:00:01 address 10.0.0.1/8 entry a.in
interface wan mac 02:00:00:00:00:02

table t capacity 4 {
  key (src: u32)
  value (seen: u8)
  timer idle 1000000000
}
vector turn size 2 (count: u8) initial (0)
counter seen
routes r (side: u8) {
  10.0.0.0/8 -> (0)
  0.0.0.0/0 -> (1)
}

handler a.in nf a side in
"""


def small_graph(text: str, handlers: str = "", states: str = "") -> ChainGraph:
    """Return a graph of the blocks in a text, with one way in (`a.in`) and one of each state object."""
    head = HEAD.replace("\nhandler", f"{dedent(states)}\nhandler")
    graph = parse_graph(head + dedent(handlers) + "\n" + dedent(text))
    graph = replace(graph, drops=drop_names(graph.handlers, graph.blocks))
    verify(graph)
    return graph


def blocks_of(graph: ChainGraph) -> str:
    """Return a graph's blocks as text."""
    return "\n\n".join(print_block(block) for block in graph.blocks)


def check_becomes(
    one: Callable[[ChainGraph], Outcome], before: str, after: str, handlers: str = "", states: str = ""
) -> Outcome:
    """Check what a pass makes of a graph, that it is well formed, and that it means the same."""
    graph = small_graph(before, handlers, states)
    outcome = one(graph)
    verify(outcome.graph, is_synthesized=True)
    found = blocks_of(outcome.graph)
    assert found == dedent(after).strip(), found
    check_equal(graph, outcome.graph)
    return outcome


def check_unchanged(
    one: Callable[[ChainGraph], Outcome], text: str, handlers: str = "", states: str = ""
) -> None:
    """Check that a pass has nothing to do, and says so by returning the same object."""
    graph = small_graph(text, handlers, states)
    assert one(graph).graph is graph


def check_equal(one: ChainGraph, other: ChainGraph, seed: int = 1, rounds: int = 4, size: int = 60) -> None:
    """Check that two graphs do the same to a random sequence of packets: frames, order and counters."""
    first, second, traffic = Interpreter(one), Interpreter(other), Traffic(one, seed)
    left: list[tuple[str, bytes]] = []
    for _ in range(rounds):
        for arrival in traffic.random(size) + traffic.answers(left, size // 2):
            out = first.receive(arrival.interface, arrival.data, arrival.time)
            assert second.receive(arrival.interface, arrival.data, arrival.time) == out, arrival
            left = (left + out)[-200:]
    assert second.report() == first.report()
