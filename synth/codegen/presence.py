"""Where a handler knows that a lookup has found something."""

from collections.abc import Iterator, Mapping

from synth.codegen.regions import Region
from synth.graph.nodes import Binary, Branch, Op, Unary, Value


def where_present(region: Region, makers: Mapping[Value, Op]) -> dict[Value, list[str]]:
    """Return the blocks that control enters only when a truth value holds, by that value."""
    found: dict[Value, list[str]] = {}
    for block in region.blocks.values():
        if isinstance(block.terminator, Branch):
            for edge, holds in ((block.terminator.then, True), (block.terminator.otherwise, False)):
                if len(region.predecessors[edge.block]) == 1:
                    for value in _implied(block.terminator.condition, holds, makers):
                        found.setdefault(value, []).append(edge.block)
    return found


def _implied(condition: Value, holds: bool, makers: Mapping[Value, Op]) -> Iterator[Value]:  # noqa: FBT001
    op = makers.get(condition)
    if isinstance(op, Unary) and op.op == "not":
        yield from _implied(op.operand, not holds, makers)
    elif isinstance(op, Binary) and op.op == ("and" if holds else "or"):
        yield from _implied(op.left, holds, makers)
        yield from _implied(op.right, holds, makers)
    elif holds:
        yield condition
