"""What lowering knows of the instance at hand."""

from collections.abc import Mapping
from dataclasses import dataclass

from synth.graph.nodes import Column
from synth.language.typed import Endpoint, Instance
from synth.language.values import Value as StaticData
from synth.lower.builder import Builder


class BrokenTypedChain(Exception):
    """The typed chain does not keep what `typed.py` guarantees: an error of ours."""


@dataclass(frozen=True, slots=True)
class Context:
    """An instance, while the handlers of one of its sides are lowered.

    Attributes:
        builder: makes the graph's blocks.
        instance: the NF with its arguments.
        parameters: the arguments by name.
        outputs: where what leaves each side arrives; sides without a wire outwards are missing.
        columns: the columns of each table member, by table and declared name.
        sizes: the sizes of the NF's vectors.
        side: the side on which the packet came.
    """

    builder: Builder
    instance: Instance
    parameters: Mapping[str, StaticData]
    outputs: Mapping[str, Endpoint]
    columns: Mapping[tuple[str, str], tuple[Column, ...]]
    sizes: Mapping[str, int]
    side: str

    def object(self, name: str) -> str:
        """Return the name in the graph of one of the NF's state objects, tables or drops."""
        return f"{self.instance.name}.{name}"

    def block(self, word: str) -> str:
        """Return the name of a block of this side."""
        return f"{self.instance.name}.{self.side}.{word}"
