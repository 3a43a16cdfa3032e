"""The example chains as graphs: verified, read back from their text, and like their golden files."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from synth.graph.nodes import ChainGraph, ListTable, RouteTable, RuleTable
from synth.graph.text import print_graph
from synth.graph.text_parser import parse_graph
from synth.graph.verify import verify
from synth.language.checker.check import check_file
from synth.language.values import RouteTableValue, RuleSetValue
from synth.lower import lower
from tests.conftest import REPOSITORY, Golden

CHAINS = sorted(path for path in (REPOSITORY / "chains").glob("*/*.chain") if path.parent.name != "nf")
GOLDENS = ("isp_chain", "napt_firewall_lb", "napt_1", "napt_2", "router_1", "router_2")
"""The longer rows are these again, and the larger rule sets stand in tables."""

SHOWN_ROWS = 4


@cache
def graph_of(path: Path) -> ChainGraph:
    chain = check_file(path).chain
    assert chain is not None
    return lower(chain)


def with_short_tables(graph: ChainGraph) -> ChainGraph:
    """Return the graph with the first rows of its tables: goldens are to be read."""
    states = []
    for state in graph.states:
        match state:
            case RuleTable(rules=rules):
                states.append(replace(state, rules=RuleSetValue(rules.rules[:SHOWN_ROWS])))
            case RouteTable(routes=routes):
                states.append(replace(state, routes=RouteTableValue(routes.routes[:SHOWN_ROWS])))
            case _:
                states.append(state)
    return replace(graph, states=tuple(states))


@pytest.mark.parametrize("path", CHAINS, ids=lambda path: path.stem)
def test_a_chain_is_lowered_to_a_sound_graph_that_its_text_gives_back(path: Path) -> None:
    graph = graph_of(path)
    verify(graph)
    text = print_graph(graph)
    parsed = parse_graph(text)
    assert parsed == graph
    assert print_graph(parsed) == text


@pytest.mark.parametrize("name", GOLDENS)
def test_a_graph_is_like_its_golden_file(name: str, golden: Golden) -> None:
    (path,) = (path for path in CHAINS if path.stem == name)
    text = print_graph(with_short_tables(graph_of(path)))
    golden(REPOSITORY / "tests" / "goldens" / f"{name}.graph", text)


def test_every_node_knows_its_place_in_a_source_file() -> None:
    for path in CHAINS:
        for block in graph_of(path).blocks:
            spans = [block.span, block.terminator.span, *(op.span for op in block.operations)]
            assert all(span.file.endswith(".chain") for span in spans), block.name


def test_a_graph_grows_with_the_chain_and_not_faster() -> None:
    sizes = {path.stem: len(graph_of(path).blocks) for path in CHAINS}
    assert sizes["napt_10"] == 10 * sizes["napt_1"]
    assert sizes["router_10"] == 10 * sizes["router_1"]
    assert sizes["isp_chain"] == sizes["isp_chain_8550"]


def test_tables_of_a_chain_stay_tables() -> None:
    (path,) = (path for path in CHAINS if path.stem == "isp_chain_8550")
    graph = graph_of(path)
    (rules,) = (state for state in graph.states if isinstance(state, RuleTable))
    assert len(rules.rules.rules) == 8550
    assert not any(isinstance(state, ListTable) for state in graph.states)
