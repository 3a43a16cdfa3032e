"""Remove block arguments that always get the same value.

    jump c(%1)  ...  jump c(%1)                               jump c()  ...  jump c()
    block c(%5: u8):                              becomes     block c():       (%5 is %1)

An argument that only hands itself round counts as the same; so does one constant made in several
places. Fixed blocks keep theirs: what they get comes from outside.
"""

from dataclasses import replace

from synth.graph.nodes import Block, ChainGraph, Constant, Edge, Op, Type, Value
from synth.synthesis.remarks import Outcome
from synth.synthesis.ssa import Flow, Fresh, find_flow, map_edges, producers_of, rebuild, substitute_block

_Content = Value | tuple[int, Type]
"""What a parameter always is: a value, or a constant, wherever that is made."""


def remove_arguments(graph: ChainGraph) -> Outcome:
    """Remove the arguments that always get the same value."""
    flow = find_flow(graph)
    contents = _find_contents(flow, producers_of(graph))
    same = {parameter: content for parameter, content in contents.items() if content != parameter}
    if not same:
        return Outcome(graph)
    fresh = Fresh(graph)
    values = {parameter: content for parameter, content in same.items() if isinstance(content, Value)}
    blocks: list[Block] = []
    for name in flow.order:
        block = flow.blocks[name]
        constants: list[Op] = []
        for parameter in block.parameters:
            content = same.get(parameter)
            if isinstance(content, tuple):
                values[parameter] = fresh.value(content[1], parameter.hint)
                constants.append(Constant(value=content[0], results=(values[parameter],)))
        blocks.append(replace(block, operations=(*constants, *block.operations)))
    return Outcome(rebuild(graph, (_without(block, flow, values) for block in blocks)))


def _without(block: Block, flow: Flow, values: dict[Value, Value]) -> Block:
    """Return the block with parameters replaced by their values, and its edges without those arguments."""

    def shorten(edge: Edge) -> Edge:
        parameters = flow.blocks[edge.block].parameters
        kept = (
            argument
            for parameter, argument in zip(parameters, edge.arguments, strict=True)
            if parameter not in values
        )
        return Edge(edge.block, tuple(kept))

    shortened = replace(
        block,
        parameters=tuple(parameter for parameter in block.parameters if parameter not in values),
        terminator=map_edges(block.terminator, shorten),
    )
    return substitute_block(shortened, lambda value: values.get(value, value))


def _find_contents(flow: Flow, producers: dict[Value, Op]) -> dict[Value, _Content]:
    """Return what each parameter is: itself, where different values come in.

    Starts from "nothing came yet" and lets values arrive until nothing changes.
    """
    contents: dict[Value, _Content] = {
        parameter: parameter for name in flow.fixed for parameter in flow.blocks[name].parameters
    }

    def content(value: Value) -> _Content | None:
        op = producers.get(value)
        if isinstance(op, Constant):
            return op.value, value.type
        return value if value in producers else contents.get(value)

    is_changing = True
    while is_changing:
        is_changing = False
        for name in flow.order:
            if name in flow.fixed:
                continue
            for position, parameter in enumerate(flow.blocks[name].parameters):
                known = contents.get(parameter)
                arriving = {content(way.edge.arguments[position]) for way in flow.incoming[name]} - {None}
                if known == parameter or not arriving or arriving == {known}:
                    continue
                contents[parameter] = arriving.pop() or parameter if len(arriving) == 1 else parameter
                is_changing = True
    return contents
