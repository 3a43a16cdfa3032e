"""Draw a graph with Graphviz."""

from synth.graph.nodes import ChainGraph


def to_dot(graph: ChainGraph) -> str:
    """Return the graph in Graphviz's language."""
    raise NotImplementedError


def to_svg(graph: ChainGraph) -> str:
    """Return the graph as SVG."""
    raise NotImplementedError
