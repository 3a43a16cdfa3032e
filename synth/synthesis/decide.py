"""Replace a branch whose condition is known by a jump.

    branch %3 -> a() | b()     (%3 true: a dominating branch, ranges or the packet's kinds say so)    becomes    jump a()

A negated condition swaps the ways, so that the test itself is left for others to compare with.
"""

from dataclasses import replace

from synth.graph.nodes import Block, Branch, ChainGraph, Jump, Unary
from synth.synthesis.known import Knowledge
from synth.synthesis.remarks import Outcome, Remark
from synth.synthesis.ssa import rebuild


def decide(graph: ChainGraph) -> Outcome:
    """Remove the branches that can go only one way."""
    known = Knowledge(graph)
    blocks: list[Block] = []
    remarks: list[Remark] = []
    for name in known.flow.order:
        block = known.flow.blocks[name]
        if isinstance(block.terminator, Branch):
            changed = _decide(block, block.terminator, known)
            if isinstance(changed.terminator, Jump):
                remarks.append(Remark("decide", "test removed: only one way is possible here", block.terminator.span))
            block = changed
        blocks.append(block)
    if tuple(blocks) == graph.blocks:
        return Outcome(graph)
    return Outcome(rebuild(graph, blocks), tuple(remarks))


def _decide(block: Block, branch: Branch, known: Knowledge) -> Block:
    if branch.then == branch.otherwise:
        return replace(block, terminator=Jump(to=branch.then, span=branch.span))
    answer = known.scope(block.name).constant(branch.condition)
    if answer is not None:
        to = branch.then if answer else branch.otherwise
        return replace(block, terminator=Jump(to=to, span=branch.span))
    inner = known.producers.get(branch.condition)
    if isinstance(inner, Unary):
        swapped = replace(branch, condition=inner.operand, then=branch.otherwise, otherwise=branch.then)
        return replace(block, terminator=swapped)
    return block
