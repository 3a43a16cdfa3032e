"""Ask a rule set for its verdict alone, where no match comes to the same as a denial.

    branch %matched -> a() | no()
    block a():                              becomes        branch %permits -> yes() | no()
      branch %permits -> yes() | no()

A rule set that no rule of it matches does not permit, so the first test adds nothing. Left alone: where
a packet that no rule matches is treated in another way.
"""

from dataclasses import replace

from synth.graph.nodes import Block, Branch, ChainGraph, RulesDecide, Value
from synth.synthesis.remarks import Outcome, Remark
from synth.synthesis.ssa import find_flow, rebuild


def ask_verdicts(graph: ChainGraph) -> Outcome:
    """Remove the tests of whether a rule matched that the verdict answers too."""
    flow = find_flow(graph)
    kept = flow.fixed | flow.counted
    permits = {
        op.results[0]: op.results[1]
        for block in graph.blocks
        for op in block.operations
        if isinstance(op, RulesDecide)
    }
    shorter: dict[str, Branch] = {}
    for block in graph.blocks:
        end = block.terminator
        if isinstance(end, Branch) and end.condition in permits and end.then.block not in kept:
            found = _shortened(end, flow.blocks[end.then.block], permits[end.condition])
            if found is not None:
                shorter[block.name] = found
    if not shorter:
        return Outcome(graph)
    blocks = (replace(block, terminator=shorter.get(block.name, block.terminator)) for block in graph.blocks)
    text = "test whether a rule matched: the verdict says it"
    remarks = tuple(
        Remark("verdicts", text, block.terminator.span) for block in graph.blocks if block.name in shorter
    )
    return Outcome(rebuild(graph, tuple(blocks)), remarks)


def _shortened(test: Branch, inner: Block, permits: Value) -> Branch | None:
    """Return the test of the verdict that stands behind a test of a match, if both fail alike."""
    end = inner.terminator
    if inner.parameters or inner.operations or not isinstance(end, Branch):
        return None
    return end if end.condition == permits and end.otherwise == test.otherwise else None
