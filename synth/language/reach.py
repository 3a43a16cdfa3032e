"""Which sides and handlers a packet can get to, read off a typed chain."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from synth.language import typed


def emits(nf: typed.TypedNf, sides: Sequence[str], side: str) -> tuple[str, ...]:
    """Return the sides, in order, on which the handlers of a side can emit.

    `sides` are those of the instance (`Instance.sides`). `others` are all but the side itself. A side that is
    computed may be any, the one where the packet arrived included.
    """
    found: set[str] = set()
    for handler in nf.handlers:
        if handler.sides is None or side in handler.sides:
            for emit in _emits_in(handler.body):
                found |= _targets(emit.side, sides, side)
    return tuple(name for name in sides if name in found)


def receives(nf: typed.TypedNf, sides: Sequence[str]) -> tuple[str, ...]:
    """Return the sides, in order, that have handlers."""
    return tuple(side for side in sides if any(it.sides is None or side in it.sides for it in nf.handlers))


def _targets(emitted: typed.Expr | None, sides: Sequence[str], side: str) -> set[str]:
    match emitted:
        case None:
            return set(sides) - {side}
        case typed.SideName(side=name):
            return {name}
        case typed.ArrivalSide():
            return {side}
        case typed.Conditional(then=then, otherwise=otherwise):
            return _targets(then, sides, side) | _targets(otherwise, sides, side)
        case _:
            return set(sides)


def _emits_in(block: typed.Block) -> list[typed.Emit]:
    found: list[typed.Emit] = []
    for statement in block:
        match statement:
            case typed.Emit():
                found.append(statement)
            case typed.If(then=then, otherwise=otherwise):
                found += [*_emits_in(then), *_emits_in(otherwise)]
            case (
                typed.Let(value=value)
                | typed.Perform(value=value)
                | typed.AssignField(value=value)
                | typed.AssignEntry(value=value)
                | typed.AssignVector(value=value)
            ):
                if isinstance(value, typed.Fallback) and isinstance(value.otherwise, tuple):
                    found += _emits_in(value.otherwise)
            case (
                typed.Touch()
                | typed.Remove()
                | typed.Count()
                | typed.SketchAdd()
                | typed.Drop()
                | typed.Give()
            ):
                pass
            case _:
                assert_never(statement)
    return found


# ---------------------------------------------------------------- from handler to handler


@dataclass(frozen=True, slots=True)
class Reach:
    """The sides where packets arrive at NFs, and from each those where they can arrive next."""

    successors: Mapping[typed.Endpoint, tuple[typed.Endpoint, ...]]


def find_reach(chain: typed.TypedChain) -> Reach:
    """Return how packets can go on from every side of every instance that has handlers."""
    wired = {wire.source: wire.target for wire in chain.wires}
    interfaces = {interface.name for interface in chain.interfaces}
    successors: dict[typed.Endpoint, tuple[typed.Endpoint, ...]] = {}
    for instance in chain.instances:
        for side in receives(instance.nf, instance.sides):
            out = (typed.Endpoint(instance.name, name) for name in emits(instance.nf, instance.sides, side))
            targets = (wired[endpoint] for endpoint in out if endpoint in wired)
            successors[typed.Endpoint(instance.name, side)] = tuple(
                target for target in targets if target.owner not in interfaces
            )
    return Reach(successors)


def find_cycles(reach: Reach) -> tuple[tuple[typed.Endpoint, ...], ...]:
    """Return the groups of sides that packets can go round through, each in the chain's order.

    A side is in a group exactly when a packet that arrives there can come back to it.
    """
    groups: list[tuple[typed.Endpoint, ...]] = []
    for group in _strong_components(reach.successors):
        first = group[0]
        if len(group) > 1 or first in reach.successors.get(first, ()):
            groups.append(tuple(endpoint for endpoint in reach.successors if endpoint in group))
    order = {endpoint: position for position, endpoint in enumerate(reach.successors)}
    return tuple(sorted(groups, key=lambda group: order[group[0]]))


def find_round_trip(reach: Reach, group: Sequence[typed.Endpoint]) -> tuple[typed.Endpoint, ...]:
    """Return a shortest way from the first side of a group back to itself, without the return."""
    start, inside = group[0], set(group)
    came_from: dict[typed.Endpoint, typed.Endpoint] = {}
    queue = [start]
    for here in queue:
        for there in reach.successors.get(here, ()):
            if there == start:
                return _trace(came_from, start, here)
            if there in inside and there not in came_from:
                came_from[there] = here
                queue.append(there)
    raise AssertionError("a group of sides that lead round has a round trip")


def _trace(
    came_from: Mapping[typed.Endpoint, typed.Endpoint], start: typed.Endpoint, end: typed.Endpoint
) -> tuple[typed.Endpoint, ...]:
    way = [end]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return tuple(reversed(way))


def _strong_components(
    successors: Mapping[typed.Endpoint, Sequence[typed.Endpoint]],
) -> list[list[typed.Endpoint]]:
    """Return the strongly connected components (Tarjan 1972), without recursion."""
    index: dict[typed.Endpoint, int] = {}
    low: dict[typed.Endpoint, int] = {}
    stack: list[typed.Endpoint] = []
    on_stack: set[typed.Endpoint] = set()
    components: list[list[typed.Endpoint]] = []
    for root in successors:
        if root in index:
            continue
        work: list[tuple[typed.Endpoint, int]] = [(root, 0)]
        while work:
            here, position = work.pop()
            if position == 0:
                index[here] = low[here] = len(index)
                stack.append(here)
                on_stack.add(here)
            nexts = successors.get(here, ())
            if position > 0:
                low[here] = min(low[here], low[nexts[position - 1]])
            while position < len(nexts):
                there = nexts[position]
                position += 1
                if there not in index:
                    work += [(here, position), (there, 0)]
                    break
                if there in on_stack:
                    low[here] = min(low[here], index[there])
            else:
                if low[here] == index[here]:
                    components.append(_pop_component(stack, on_stack, here))
    return components


def _pop_component(
    stack: list[typed.Endpoint], on_stack: set[typed.Endpoint], root: typed.Endpoint
) -> list[typed.Endpoint]:
    component: list[typed.Endpoint] = []
    while not component or component[-1] != root:
        component.append(stack.pop())
        on_stack.discard(component[-1])
    return component
