"""Running a prepared graph on one packet: the meaning of blocks, branches and deliveries.

This is all of it, for every domain. An integer condition leaves one way to go on; a Z3 term may
leave two, and then the path forks. Deliveries are depth first: each emission runs to its own end,
in order, before the next one starts. No simplification happens here.
"""

from typing import Any

from synth.graph.evaluator.domain import C, P, State, Time, V
from synth.graph.evaluator.path import Delivery, Path
from synth.graph.evaluator.program import Fork, HandOver, Leave, Program, ReadyBlock, Way


def evaluate(
    program: Program[V, P, C], state: State[V, P], condition: C, *, interface: str, packet: P, now: Time
) -> list[Path[V, P, C]]:
    """Run a packet that an interface received, and return the ended paths in a fixed order.

    The state is changed in place; with several paths, each ends with its own. `interface` must have
    an entry (`program.entries`), and `now` must not be less than in any earlier run.
    """
    path: Path[V, P, C] = Path(state, now, condition, list(program.blank))
    todo = [(_enter(program, program.entries[interface], [packet], path), path)]
    ended = []
    while todo:
        block, path = todo.pop()
        while block is not None:
            for step in block.steps:
                step(path.slots, path)
            match block.end:
                case Way() as way:
                    block = follow(program, way, path)
                case Fork() as fork:
                    ways = program.domain.branch(path.slots[fork.condition], path.condition)
                    for holds, branch_condition in ways[:0:-1]:
                        other = path.fork(branch_condition)
                        todo.append((follow(program, fork.then if holds else fork.otherwise, other), other))
                    holds, path.condition = ways[0]
                    block = follow(program, fork.then if holds else fork.otherwise, path)
                case HandOver() as end:
                    block = hand_over(program, end, path)
        ended.append(path)
    return ended


def follow(program: Program[V, P, C], way: Way, path: Path[V, P, C]) -> ReadyBlock | None:
    """Take an edge: give the block its arguments, and return it. None: the run is over."""
    block = program.blocks[way.block]
    if block.budget is None and not way.arguments:  # most edges of most graphs
        return block
    return _enter(program, way, [path.slots[slot] for slot in way.arguments], path)


def _enter(
    program: Program[V, P, C], way: Way, arguments: list[Any], path: Path[V, P, C]
) -> ReadyBlock | None:
    """Go into a block, unless the packet's budget for it is spent: then it is dropped."""
    block = program.blocks[way.block]
    if block.budget is not None:
        budget, loop = block.budget
        visits = path.visits.get(block.name, 0) + 1
        if visits > budget:
            path.drop(loop)
            return next_delivery(program, path)
        path.visits = path.visits | {block.name: visits}
    slots = path.slots
    for slot, value in zip(way.parameters, arguments, strict=True):
        slots[slot] = value
    return block


def hand_over(program: Program[V, P, C], end: HandOver, path: Path[V, P, C]) -> ReadyBlock | None:
    """End a handler: account for it, queue what it emitted, and start the next delivery."""
    path.generated += len(end.emissions)
    if end.drop is None:
        path.generated -= 1
    else:
        path.drop(end.drop)
    if len(end.emissions) == 1 and isinstance(end.emissions[0], Way):
        return follow(program, end.emissions[0], path)
    last = len(end.emissions) - 1
    for number in range(last, -1, -1):
        emission = end.emissions[number]
        # Slots of the handler's dominators stay readable; only the last emission may take them over.
        slots = path.slots if number == last else list(path.slots)
        sources = (emission.packet,) if isinstance(emission, Leave) else emission.arguments
        arguments = [slots[slot] for slot in sources]
        path.waiting.append(Delivery(emission, arguments, slots, path.visits))
    return next_delivery(program, path)


def next_delivery(program: Program[V, P, C], path: Path[V, P, C]) -> ReadyBlock | None:
    """Start the next delivery that waits, and return its block. None: the run is over."""
    while path.waiting:
        delivery = path.waiting.pop()
        match delivery.target:
            case Leave(interface=interface):
                path.emissions.append((interface, delivery.arguments[0]))
            case Way() as way:
                path.slots, path.visits = delivery.slots, delivery.visits
                return _enter(program, way, delivery.arguments, path)
    return None
