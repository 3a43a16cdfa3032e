"""Replace a branch whose condition is known by a jump.

    branch %3 -> a() | b()        becomes        jump a()

when dominating branches, the ranges of values or the kinds that the packet can be say that %3 is true.

A negated condition swaps the ways, so that the test itself is left for others to compare with.
"""

from dataclasses import replace

from synth.graph.nodes import Block, Branch, ChainGraph, Jump, Unary
from synth.synthesis.known import Knowledge, Scope
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
            terminator = decide_branch(block.terminator, known.scope(name))
            if isinstance(terminator, Jump):
                remarks.append(remark_decided(block.terminator))
            block = replace(block, terminator=terminator)
        blocks.append(block)
    if tuple(blocks) == graph.blocks:
        return Outcome(graph)
    return Outcome(rebuild(graph, blocks), tuple(remarks))


def decide_branch(branch: Branch, scope: Scope) -> Branch | Jump:
    """Return a branch's way if there is only one, else the branch with its condition freed of `not`."""
    if branch.then == branch.otherwise:
        return Jump(to=branch.then, span=branch.span)
    answer = scope.constant(branch.condition)
    if answer is not None:
        return Jump(to=branch.then if answer else branch.otherwise, span=branch.span)
    inner = scope.producers.get(branch.condition)
    if isinstance(inner, Unary):
        return replace(branch, condition=inner.operand, then=branch.otherwise, otherwise=branch.then)
    return branch


def remark_decided(branch: Branch) -> Remark:
    """Return the remark for a branch that is gone."""
    return Remark("decide", "test removed: only one way is possible here", branch.span)
