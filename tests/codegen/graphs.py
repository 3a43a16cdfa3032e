"""The graphs that the tests of generated C share."""

from pathlib import Path

from synth.graph.nodes import ChainGraph
from synth.language.checker import check_file
from synth.lower import lower
from tests.graph.evaluator_graphs import FLOOD_AND_LOOP, LOOKUPS, NAT, graph_of

CHAINS = Path(__file__).resolve().parents[2] / "chains"


def chain_graph(path: str) -> ChainGraph:
    """Return the graph of a chain of the repository."""
    chain = check_file(CHAINS / path).chain
    assert chain is not None
    return lower(chain)


GRAPHS = {"nat_chain": NAT, "lookups": LOOKUPS, "flood": FLOOD_AND_LOOP}
"""Hand-made graphs that between them use every operation."""

EXAMPLES = {
    "isp_chain": "isp/isp_chain.chain",
    "napt_firewall_lb": "motivating/napt_firewall_lb.chain",
    "napt_1": "napts/napt_1.chain",
    "router_2": "routers/router_2.chain",
}


def any_graph(name: str) -> ChainGraph:
    """Return a hand-made graph or that of an example chain."""
    return graph_of(GRAPHS[name]) if name in GRAPHS else chain_graph(EXAMPLES[name])
