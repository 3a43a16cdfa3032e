"""The drawing of graphs, by the real Graphviz."""

import re
import shutil

import pytest

from synth.driver import Source, load
from synth.graph.draw import to_dot, to_dot_beside, to_image
from synth.graph.errors import GraphvizError
from synth.graph.text_parser import parse_graph
from synth.lower import lower
from synth.synthesis import synthesize
from tests.conftest import REPOSITORY
from tests.graph.test_verify import SOUND
from tests.lower.hand_made import napt


def test_the_drawing_names_nfs_interfaces_blocks_and_drops() -> None:
    dot = to_dot(lower(napt()))
    assert 'subgraph "cluster nat"' in dot
    assert 'label="nat  hand.chain"' in dot
    assert '"in lan" -> "nat.inside" [style=bold]' in dot
    assert '"nat.inside.with_b" -> "out wan" [label="%pkt.21", style=bold]' in dot
    assert "drop nat.no_port\\l" in dot


def test_operations_stand_beside_the_numbers_of_their_lines() -> None:
    assert "   3  %is_ipv4.1 = has %pkt.0 ipv4\\l      %is_tcp.2 = has" in to_dot(lower(napt()))


def test_several_emissions_are_numbered_in_their_order() -> None:
    dot = to_dot(parse_graph(SOUND))
    assert '"nf.in.out" -> "out wan" [label="1. %33", style=bold]' in dot
    assert '"nf.in.out" -> "out lan" [label="2. %pkt.0", style=bold]' in dot


def test_the_same_graph_is_drawn_the_same() -> None:
    assert to_dot(lower(napt())) == to_dot(lower(napt()))


def test_a_synthesized_graph_stands_beside_the_chain_under_names_of_its_own() -> None:
    written = lower(napt())
    synthesized = synthesize(written).graph
    dot = to_dot_beside(written, synthesized)
    for form, graph in (("written", written), ("synthesized", synthesized)):
        assert f'subgraph "cluster {form}"' in dot
        title = "as written" if form == "written" else form
        assert f'label="{graph.name}, {title}: {len(graph.blocks)} blocks"' in dot
        for block in graph.blocks:
            assert dot.count(f'  "{form}/{block.name}" [label=') == 1
    assert 'subgraph "cluster written/nat"' in dot
    assert '"synthesized/in lan" -> "synthesized/nat.inside" [style=bold]' in dot
    assert not any('"written/' in line and '"synthesized/' in line for line in dot.splitlines())


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs `dot`: apt-get install graphviz")
def test_graphviz_puts_the_two_graphs_side_by_side() -> None:
    written = lower(napt())
    svg = to_image(to_dot_beside(written, synthesize(written).graph), "svg").decode()
    shape = r'<title>cluster (\w+)</title>\n<polygon[^>]* points="([^"]+)"'
    found = {
        name: [float(point.split(",")[0]) for point in points.split()]
        for name, points in re.findall(shape, svg)
    }
    assert set(found) == {"written", "synthesized"}
    assert max(found["written"]) < min(found["synthesized"])


def test_a_block_is_drawn_once_in_the_nf_that_it_belongs_to() -> None:
    graph = load(Source(path=REPOSITORY / "chains" / "routers" / "router_2.chain")).graph
    dot = to_dot(graph)
    for block in graph.blocks:
        assert dot.count(f'    "{block.name}" [label=') == 1


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs `dot`: apt-get install graphviz")
def test_graphviz_makes_an_svg_of_it() -> None:
    svg = to_image(to_dot(lower(napt())), "svg").decode()
    assert svg.startswith("<?xml")
    assert "nat.inside.with_b" in svg
    assert svg.count('class="cluster"') == 1


def test_without_graphviz_the_error_names_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(GraphvizError, match="apt-get install graphviz"):
        to_image(to_dot(lower(napt())), "svg")
