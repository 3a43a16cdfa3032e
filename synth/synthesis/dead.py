"""Remove what nothing reads: operations, arguments, and state that is only written.

    %4: u8 = add %1 %2     (used nowhere)     becomes    nothing
    vector_write turn ...  (`turn` never read, or only to write it anew)     becomes    nothing

Marks what can be seen from outside (frames, drops, counters, which way a packet goes) and what that needs.
Counters stay, read or not: they are what the chain's reports show. So do declared drops and interfaces.
"""

from dataclasses import replace

from synth.graph.effects import effect, has_no_write
from synth.graph.nodes import (
    Block,
    Branch,
    ChainGraph,
    Count,
    Counter,
    Deliver,
    Edge,
    Exit,
    Op,
    Ring,
    Value,
)
from synth.graph.walk import edges, operands
from synth.synthesis.remarks import Outcome, Remark
from synth.synthesis.ssa import Flow, find_flow, map_edges, rebuild


def remove_dead(graph: ChainGraph) -> Outcome:
    """Remove operations, arguments and state objects that nothing needs."""
    flow = find_flow(graph)
    marks = _Marks(flow)
    blocks = tuple(_sweep(flow.blocks[name], flow, marks) for name in flow.order)
    gone = [
        op
        for name in flow.order
        for op in flow.blocks[name].operations
        if not marks.is_needed(op) and not has_no_write(op)
    ]
    kept = _used_objects(graph, blocks)
    states = tuple(state for state in graph.states if state.name in kept)
    if blocks == graph.blocks and states == graph.states:
        return Outcome(graph)
    remarks = [Remark("dead", f"write to {effect(op).object} that nothing reads", op.span) for op in gone]  # type: ignore[union-attr]
    remarks += [
        Remark("dead", f"state {state.name} is never used", state.span)
        for state in graph.states
        if state.name not in kept
    ]
    return Outcome(rebuild(replace(graph, states=states), blocks), tuple(remarks))


def _used_objects(graph: ChainGraph, blocks: tuple[Block, ...]) -> set[str]:
    kept = {
        touched.object for block in blocks for op in block.operations if (touched := effect(op)) is not None
    }
    kept |= {state.list for state in graph.states if isinstance(state, Ring) and state.name in kept}
    counters = {state.name for state in graph.states if isinstance(state, Counter)}
    return kept | counters


class _Marks:
    """What is needed: values, and objects whose content somebody reads."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._producers = {
            result: op for name in flow.order for op in flow.blocks[name].operations for result in op.results
        }
        self._arguments = self._find_arguments()
        self._writers = self._find_writers()
        self.values: set[Value] = set()
        self.objects: set[str] = set()
        self._todo: list[Value] = []
        for name in flow.order:
            self._mark_block(flow.blocks[name])
        while self._todo:
            self._mark_sources(self._todo.pop())

    def is_needed(self, op: Op) -> bool:
        """Tell whether an operation does anything that is needed."""
        if isinstance(op, Count) or any(result in self.values for result in op.results):
            return True
        touched = effect(op)
        return touched is not None and touched.access != "read" and touched.object in self.objects

    def _find_arguments(self) -> dict[Value, list[Value]]:
        found: dict[Value, list[Value]] = {}
        for name in self._flow.order:
            for edge in edges(self._flow.blocks[name].terminator):
                for parameter, argument in zip(
                    self._flow.blocks[edge.block].parameters, edge.arguments, strict=True
                ):
                    found.setdefault(parameter, []).append(argument)
        return found

    def _find_writers(self) -> dict[str, list[Op]]:
        found: dict[str, list[Op]] = {}
        for name in self._flow.order:
            for op in self._flow.blocks[name].operations:
                touched = effect(op)
                if touched is not None and touched.access != "read":
                    found.setdefault(touched.object, []).append(op)
        return found

    def _mark(self, *values: Value) -> None:
        for value in values:
            if value not in self.values:
                self.values.add(value)
                self._todo.append(value)

    def _mark_block(self, block: Block) -> None:
        if block.name in self._flow.fixed:
            self._mark(*block.parameters)
        for op in block.operations:
            if isinstance(op, Count):
                self._mark(op.amount)
        match block.terminator:
            case Branch(condition=condition):
                self._mark(condition)
            case Deliver(emissions=emissions):
                for emission in emissions:
                    self._mark(*([emission.packet] if isinstance(emission, Exit) else emission.arguments))
            case _:
                pass

    def _mark_sources(self, value: Value) -> None:
        self._mark(*self._arguments.get(value, ()))
        op = self._producers.get(value)
        if op is None:
            return
        self._mark(*operands(op))
        touched = effect(op)
        if touched is not None and touched.object not in self.objects:
            self.objects.add(touched.object)
            for writer in self._writers.get(touched.object, ()):
                self._mark(*operands(writer))


def _sweep(block: Block, flow: Flow, marks: _Marks) -> Block:
    """Return the block without operations and arguments that are not needed."""

    def shorten(edge: Edge) -> Edge:
        parameters = flow.blocks[edge.block].parameters
        kept = (
            argument
            for parameter, argument in zip(parameters, edge.arguments, strict=True)
            if parameter in marks.values
        )
        return Edge(edge.block, tuple(kept))

    return replace(
        block,
        parameters=tuple(parameter for parameter in block.parameters if parameter in marks.values),
        operations=tuple(op for op in block.operations if marks.is_needed(op)),
        terminator=map_edges(block.terminator, shorten),
    )
