"""Emit the C of a chain graph, each NF as written."""

from synth.codegen.tree import SourceTree
from synth.graph.nodes import ChainGraph


def emit(graph: ChainGraph) -> SourceTree:
    """Return the source files of a chain's core; the same graph gives the same bytes.

    Raises:
        UserError: the graph holds something that C does not express yet, or one frame can cause
            more frames than a burst's buffer holds (E6xx).
    """
    raise NotImplementedError
