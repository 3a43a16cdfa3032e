"""Hand over from NF to NF by a jump: one receive and one transmission a packet.

    deliver b.inside(%p.4)   becomes   jump b.inside(%p.4)

Sound: a delivery of one packet without a drop generates nothing, nothing waits behind it that does
not wait behind the jump too, and a visit budget is counted on entering a block, however that happens.
Left alone: several emissions (their order is the order of handing over), drops, and what leaves the chain.
"""

from dataclasses import replace

from synth.graph.cycles import local_successors
from synth.graph.nodes import Block, ChainGraph, Deliver, Edge, Jump
from synth.graph.walk import closure
from synth.synthesis.remarks import Outcome, Remark
from synth.synthesis.ssa import rebuild


def hand_over(graph: ChainGraph) -> Outcome:
    """Make a jump of each delivery of one packet to one handler."""
    owners = _owners(graph)
    blocks: list[Block] = []
    remarks: list[Remark] = []
    for block in graph.blocks:
        match block.terminator:
            case Deliver(emissions=(Edge() as edge,), drop=None, span=span):
                blocks.append(replace(block, terminator=Jump(to=edge, span=span)))
                text = f"hand-over from {owners[block.name]} to {owners[edge.block]} removed"
                remarks.append(Remark("hand_over", text, span))
            case _:
                blocks.append(block)
    return Outcome(rebuild(graph, blocks), tuple(remarks)) if remarks else Outcome(graph)


def _owners(graph: ChainGraph) -> dict[str, str]:
    """Return the NF of each block."""
    successors = local_successors(graph.blocks)
    return {name: handler.nf for handler in graph.handlers for name in closure((handler.block,), successors)}
