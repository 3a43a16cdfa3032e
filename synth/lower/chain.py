"""Lower a whole chain."""

from synth.graph.nodes import ChainGraph
from synth.language.typed import TypedChain


def lower(chain: TypedChain) -> ChainGraph:
    """Return the chain as a graph: one entry block for each side on which an NF receives."""
    raise NotImplementedError
