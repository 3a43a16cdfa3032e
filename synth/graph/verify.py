"""Check that a graph is well formed."""

from synth.graph.nodes import ChainGraph


def verify(graph: ChainGraph) -> None:
    """Do nothing for a well-formed graph.

    Raises:
        InvalidGraph: with all violations.
    """
    raise NotImplementedError
