"""The passes in their order."""

from dataclasses import dataclass

from synth.graph.nodes import ChainGraph
from synth.synthesis.remarks import Remark
from synth.synthesis.statistics import Statistics


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesized:
    """The synthesized graph, what was eliminated on the way, and the sizes of both."""

    graph: ChainGraph
    remarks: tuple[Remark, ...]
    before: Statistics
    after: Statistics


def synthesize(graph: ChainGraph, *, budget: int = 4) -> Synthesized:
    """Return a graph of the same meaning that does everything once, as far as it can be seen.

    Args:
        graph: a well-formed graph, as lowered.
        budget: the result has at most this many times the blocks of `graph`.
    """
    raise NotImplementedError
