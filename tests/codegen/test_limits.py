"""What cannot become C is the user's error, with its place; never wrong code."""

from dataclasses import replace

import pytest

from synth.codegen.emit import emit
from synth.diagnostics.diagnostic import UserError
from synth.graph.nodes import ChainGraph, Deliver, Edge, Exit, KeyedTable
from tests.codegen.graphs import any_graph


def codes(graph: ChainGraph) -> list[tuple[str, str]]:
    with pytest.raises(UserError) as refused:
        emit(graph)
    return [(found.code, found.message) for found in refused.value.diagnostics]


def test_a_chain_whose_frames_multiply_beyond_the_buffer_is_refused() -> None:
    graph = any_graph("flood")
    many = tuple(
        replace(block, terminator=Deliver(emissions=(Edge("mark.in", block.parameters), ) * 70))
        if block.name == "hub.in" else block
        for block in graph.blocks
    )  # fmt: skip
    assert codes(replace(graph, blocks=many)) == [
        ("E601", "one frame received on `a` can cause more than 256 frames")
    ]


def test_emissions_per_frame_counts_the_worst_way_through_a_cycle() -> None:
    # hub sends to mark twice and to b once; each mark sends 2 frames out, and once more to itself.
    text = emit(any_graph("flood")).files["core.c"].decode()
    assert ".emissions_per_frame = 9," in text


def test_a_chain_without_copies_sends_one_frame_for_each() -> None:
    assert ".emissions_per_frame = 1," in emit(any_graph("isp_chain")).files["core.c"].decode()


def test_a_table_larger_than_the_runtime_holds_is_refused_where_it_is_declared() -> None:
    graph = any_graph("napt_1")
    states = tuple(
        replace(state, capacity=1 << 31) if isinstance(state, KeyedTable) else state for state in graph.states
    )
    assert codes(replace(graph, states=states)) == [
        ("E602", "a table of 2,147,483,648 entries (at most 1,073,741,824) cannot be compiled to C yet")
    ]


def test_an_exit_needs_no_buffer_beyond_its_own() -> None:
    graph = any_graph("flood")
    blocks = tuple(
        replace(block, terminator=Deliver(emissions=(Exit("b", block.parameters[0]),) * 3))
        if block.name == "hub.in" else block
        for block in graph.blocks
    )  # fmt: skip
    assert ".emissions_per_frame = 3," in emit(replace(graph, blocks=blocks)).files["core.c"].decode()
