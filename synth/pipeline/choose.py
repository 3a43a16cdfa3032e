"""Which graph is built: the synthesized one if it is proved, else the chain as written."""

from dataclasses import dataclass

from synth.graph.nodes import ChainGraph
from synth.pipeline.stages import Stage
from synth.proof.validate import Proof, prove
from synth.reports import Stopwatch
from synth.synthesis import Synthesized, synthesize


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """A graph to build, and why it is that one.

    `synthesized` and `proof` are None when they were not asked for.
    """

    graph: ChainGraph
    is_synthesized: bool
    synthesized: Synthesized | None = None
    proof: Proof | None = None

    @property
    def form(self) -> str:
        """What is built, in words."""
        if not self.is_synthesized:
            return (
                "as written"
                if self.proof is None
                else "as written, since the synthesized chain is not proved"
            )
        return "synthesized and proved" if self.proof else "synthesized, not proved"


def choose(
    written: ChainGraph, *, as_written: bool, is_proof_wanted: bool, stage: Stage, watch: Stopwatch
) -> Chosen:
    """Synthesize and prove, unless the chain as written is asked for.

    What is not proved is not built: *unknown* counts as no.
    """
    if as_written:
        return Chosen(graph=written, is_synthesized=False)
    with stage("synthesize"), watch.measure("synthesize"):
        synthesized = synthesize(written)
    if not is_proof_wanted:
        return Chosen(graph=synthesized.graph, is_synthesized=True, synthesized=synthesized)
    with stage("prove"), watch.measure("prove"):
        proof = prove(written, synthesized.graph)
    return Chosen(
        graph=synthesized.graph if proof.is_proved else written,
        is_synthesized=proof.is_proved,
        synthesized=synthesized,
        proof=proof,
    )
