"""What a pass says about what it did: for `synth explain`, with the places in the source."""

from dataclasses import dataclass

from synth.diagnostics.spans import Span
from synth.graph.nodes import ChainGraph


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing that a pass eliminated or moved.

    Attributes:
        pass_name: the pass, named as its file.
        text: what, in words, without the places.
        place: where what is gone stood; `NOWHERE` when the source has no such place.
        cause: where that stands which made it redundant, if it is one place.
    """

    pass_name: str
    text: str
    place: Span
    cause: Span | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a pass returns: the same graph object when there was nothing to do."""

    graph: ChainGraph
    remarks: tuple[Remark, ...] = ()
