"""A chain between a switch and the server: the split, shown to be right, and the server's graph."""

from dataclasses import replace
from pathlib import Path

import openflow
from synth.diagnostics.diagnostic import complain
from synth.graph.nodes import ChainGraph
from synth.graph.verify import verify
from synth.offload.server import graphs_of, with_drops
from synth.offload.soundness import find_unsound
from synth.offload.split import Split, split
from synth.offload.switch import Switch, read_switch
from synth.pipeline.choose import Chosen
from synth.pipeline.complaints import SplitNotProved
from synth.pipeline.stages import Stage
from synth.proof.validate import Proof, prove
from synth.reports import Stopwatch
from synth.synthesis import synthesize


def split_chain(graph: ChainGraph, switch: str) -> Split:
    """Split a chain for a switch: a name of `openflow/switches/`, or a YAML file.

    Raises:
        UserError: the description cannot be read or does not fit the chain.
        AssertionError: the entries are not what they should be: a fault of synth.
    """
    found = split(graph, load_switch(switch))
    problems = list(find_unsound(found))
    assert not problems, f"the flow entries are wrong: {problems[:3]}"
    return found


def load_switch(switch: str) -> Switch:
    """Read a switch's description, by name or from a file.

    Raises:
        UserError: it cannot be read.
    """
    known = Path(openflow.__file__).parent / "switches" / f"{switch}.yaml"
    return read_switch(known if known.is_file() else Path(switch))


def choose_server(
    found: Split, *, as_written: bool, is_proof_wanted: bool, stage: Stage, watch: Stopwatch
) -> Chosen:
    """Choose the server's graph of a split: synthesized when switch and server are proved to be the chain.

    Raises:
        UserError: not even the server's graph before synthesis is proved with the switch to be the chain.
    """
    graphs = graphs_of(found)
    verify(graphs.server)
    verify(graphs.specification)

    def show(server: ChainGraph) -> Proof:
        with stage("prove"), watch.measure("prove"):
            return prove(graphs.specification, with_drops(server, graphs, found.graph), graphs.premises)

    if as_written:
        return Chosen(graph=graphs.server, is_synthesized=False)
    with stage("synthesize"), watch.measure("synthesize"):
        synthesized = synthesize(graphs.server)
    chosen = Chosen(graph=synthesized.graph, is_synthesized=True, synthesized=synthesized)
    if not is_proof_wanted:
        return chosen
    proof = show(synthesized.graph)
    if proof.is_proved:
        return replace(chosen, proof=proof)
    if not show(graphs.server).is_proved:
        raise complain(SplitNotProved(span=found.graph.span, failure=proof.failures[0]))
    return Chosen(graph=graphs.server, is_synthesized=False, synthesized=synthesized, proof=proof)
