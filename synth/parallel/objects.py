"""What becomes of each state object: split, locked, copied or summed, and each core's share of a table."""

from collections.abc import Collection, Iterator, Sequence

from synth.graph.nodes import ChainGraph, Counter, KeyedTable, StateObject
from synth.parallel.plan import InterfacePlan, ObjectPlan, Treatment
from synth.parallel.relations import Relation


def plan_objects(
    graph: ChainGraph,
    written: Collection[str],
    locked: Collection[str],
    relations: Sequence[Relation],
    interfaces: Sequence[InterfacePlan],
    cores: int,
) -> tuple[ObjectPlan, ...]:
    """Return the treatment of every state object, in the graph's order."""
    return tuple(
        ObjectPlan(
            name=state.name,
            treatment=(treatment := _treatment(state, written, locked)),
            by=tuple(_by(state.name, relations, interfaces)) if treatment == "split" else (),
            capacities=_capacities(state, treatment, cores),
        )
        for state in graph.states
    )


def _treatment(state: StateObject, written: Collection[str], locked: Collection[str]) -> Treatment:
    if isinstance(state, Counter):
        return "summed"
    if state.name not in written:
        return "copied"
    return "locked" if state.name in locked else "split"


def _by(name: str, relations: Sequence[Relation], interfaces: Sequence[InterfacePlan]) -> Iterator[str]:
    """Yield the interfaces whose packets use an object, with the fields that choose their core."""
    used = {unit.interface for one in relations for unit in one.units if one.causes[0].object == name}
    for interface in interfaces:
        if interface.name in used:
            yield f"{interface.name}: {', '.join(interface.shards_by) or 'nothing'}"


def _capacities(state: StateObject, treatment: Treatment, cores: int) -> tuple[int, ...]:
    """Return each core's share of a table, exactly: the first have one more where it does not divide."""
    if not isinstance(state, KeyedTable):
        return ()
    if treatment != "split":
        return (state.capacity,)
    each, more = divmod(state.capacity, cores)
    return tuple(each + (core < more) for core in range(cores))
