"""Put the blocks of a chain into their final form. Nothing here changes what a packet meets.

Lowering opens a block wherever a way may begin and makes a row of scalars of every value. What this
leaves behind goes: blocks that only lead on, and rows' scalars that nothing uses. Then blocks are
put in the order in which a reader meets them, and blocks and values get their names and numbers.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from synth.graph.cycles import local_successors
from synth.graph.dominance import reverse_postorder
from synth.graph.effects import is_pure
from synth.graph.nodes import Block, Deliver, Edge, EntryRead, Jump, Op, Terminator, Value, VectorRead
from synth.graph.walk import definitions, edges, map_values, operands, terminator_operands, uses


def tidy(
    blocks: Sequence[Block], entries: Sequence[str], wanted: Mapping[str, str], hint: Callable[[Value], str]
) -> tuple[Block, ...]:
    """Return the blocks that can be reached from the handlers' entries, in their final form.

    Args:
        blocks: as they were built.
        entries: the handlers' blocks, in order; their names stay.
        wanted: the name that each block should have; a number is put behind one that is taken.
        hint: a value's name.
    """
    ordered = _order(_thread(blocks), entries)
    needed = _order(_thread(_drop_unused(ordered, entries)), entries)
    return _rename(needed, entries, wanted, hint)


def _thread(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Lead every edge past blocks that only jump on, and whose parameters nothing else uses."""
    homes = {value: block.name for block in blocks for value in block.parameters}
    used_outside = {
        homes[value]
        for block in blocks
        for value in uses(block)
        if homes.get(value, block.name) != block.name
    }
    forwards = {
        block.name: (block.parameters, block.terminator.to)
        for block in blocks
        if not block.operations and isinstance(block.terminator, Jump) and block.name not in used_outside
    }

    def final(edge: Edge) -> Edge:
        while edge.block in forwards:
            parameters, to = forwards[edge.block]
            given = dict(zip(parameters, edge.arguments, strict=True))
            edge = Edge(to.block, tuple(given.get(value, value) for value in to.arguments))
        return edge

    return tuple(replace(block, terminator=_redirect(block.terminator, final)) for block in blocks)


def _redirect(terminator: Terminator, change: Callable[[Edge], Edge]) -> Terminator:
    """Return a terminator with its edges within the handler changed."""
    if isinstance(terminator, Deliver):
        return terminator
    if isinstance(terminator, Jump):
        return replace(terminator, to=change(terminator.to))
    return replace(terminator, then=change(terminator.then), otherwise=change(terminator.otherwise))


def _order(blocks: Iterable[Block], entries: Iterable[str]) -> tuple[Block, ...]:
    """Return each handler's blocks, its entry first, a block after all that lead to it."""
    by_name = {block.name: block for block in blocks}
    successors = local_successors(by_name.values())
    return tuple(by_name[name] for entry in entries for name in reverse_postorder((entry,), successors))


def _drop_unused(blocks: Sequence[Block], entries: Sequence[str]) -> tuple[Block, ...]:
    """Leave out unused results of reading and computing, and parameters; entries keep their packets."""
    live = _live_values(blocks) | {
        value for block in blocks if block.name in entries for value in block.parameters
    }
    kept = {
        block.name: [at for at, value in enumerate(block.parameters) if value in live] for block in blocks
    }

    def trim(edge: Edge) -> Edge:
        return Edge(edge.block, tuple(edge.arguments[at] for at in kept[edge.block]))

    return tuple(
        replace(
            block,
            parameters=tuple(block.parameters[at] for at in kept[block.name]),
            operations=tuple(op for op in block.operations if _is_wanted(op) or set(op.results) & live),
            terminator=_redirect(block.terminator, trim),
        )
        for block in blocks
    )


def _is_wanted(op: Op) -> bool:
    """Tell whether an operation stays even if nothing uses its results: the author asked for it."""
    return not is_pure(op) and not isinstance(op, EntryRead | VectorRead)


def _live_values(blocks: Sequence[Block]) -> set[Value]:
    """Return the values that matter. An argument matters when the parameter that takes it does."""
    sources: dict[Value, list[Value]] = {}
    by_name = {block.name: block for block in blocks}
    todo: list[Value] = []
    for block in blocks:
        for op in block.operations:
            for result in op.results:
                sources.setdefault(result, []).extend(operands(op))
            if _is_wanted(op):
                todo.extend(operands(op))
        todo.extend(_demanded(block, by_name, sources))
    live: set[Value] = set()
    while todo:
        value = todo.pop()
        if value not in live:
            live.add(value)
            todo.extend(sources.get(value, ()))
    return live


def _demanded(
    block: Block, blocks: Mapping[str, Block], sources: dict[Value, list[Value]]
) -> Iterable[Value]:
    """Return what a block's end needs in any case, and note where its successors' parameters come from."""
    if isinstance(block.terminator, Deliver):
        return terminator_operands(block.terminator)
    for edge in edges(block.terminator):
        for parameter, argument in zip(blocks[edge.block].parameters, edge.arguments, strict=True):
            sources.setdefault(parameter, []).append(argument)
    return () if isinstance(block.terminator, Jump) else (block.terminator.condition,)


def _rename(
    blocks: Sequence[Block], entries: Sequence[str], wanted: Mapping[str, str], hint: Callable[[Value], str]
) -> tuple[Block, ...]:
    names = _final_names(blocks, entries, wanted)
    values = [value for block in blocks for value in definitions(block)]
    numbered = {value: Value(number, value.type, hint(value)) for number, value in enumerate(values)}
    changed = numbered.__getitem__
    return tuple(
        replace(
            block,
            name=names[block.name],
            parameters=tuple(map(changed, block.parameters)),
            operations=tuple(map_values(op, changed) for op in block.operations),
            terminator=_redirect(
                map_values(block.terminator, changed), lambda edge: Edge(names[edge.block], edge.arguments)
            ),
        )
        for block in blocks
    )


def _final_names(
    blocks: Iterable[Block], entries: Sequence[str], wanted: Mapping[str, str]
) -> dict[str, str]:
    names = {entry: entry for entry in entries}
    taken = set(entries)
    for block in blocks:
        if block.name in names:
            continue
        base = wanted[block.name]
        name, number = base, 2
        while name in taken:
            name = f"{base}_{number}" if base[-1].isdigit() else f"{base}{number}"
            number += 1
        names[block.name] = name
        taken.add(name)
    return names
