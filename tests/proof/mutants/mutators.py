"""Small changes to a graph that each break what it means, as a faulty pass might.

A mutator lists all places where its change can be made. What comes out need not be well formed: that is a
way of being refused, too, but such mutants say nothing about the walk, and are left out.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from synth.graph.errors import InvalidGraph
from synth.graph.nodes import (
    Binary,
    Block,
    Branch,
    ChainGraph,
    Constant,
    Count,
    Deliver,
    Edge,
    EntryWrite,
    Exit,
    Find,
    IcmpError,
    Insert,
    Jump,
    KeyedTable,
    Op,
    Read,
    RouteTable,
    RulesDecide,
    RuleTable,
    StateObject,
    Terminator,
    Touch,
    Unary,
    Value,
    VectorWrite,
    Write,
    live_rules,
)
from synth.graph.verify import verify
from synth.graph.walk import map_values, operands
from synth.net.fields import FIELDS
from synth.net.icmp import ICMP_ERRORS

Mutator = Callable[[ChainGraph], Iterator[ChainGraph]]


def is_well_formed(graph: ChainGraph) -> bool:
    try:
        verify(graph, is_synthesized=True)
    except InvalidGraph:
        return False
    return True


def with_block(graph: ChainGraph, block: Block) -> ChainGraph:
    blocks = tuple(block if one.name == block.name else one for one in graph.blocks)
    return replace(graph, blocks=blocks)


def with_op(graph: ChainGraph, block: Block, at: int, *ops: Op) -> ChainGraph:
    operations = (*block.operations[:at], *ops, *block.operations[at + 1 :])
    return with_block(graph, replace(block, operations=operations))


def with_end(graph: ChainGraph, block: Block, end: Terminator) -> ChainGraph:
    return with_block(graph, replace(block, terminator=end))


def with_state(graph: ChainGraph, state: StateObject) -> ChainGraph:
    states = tuple(state if one.name == state.name else one for one in graph.states)
    return replace(graph, states=states)


def without(graph: ChainGraph, block: Block, at: int, instead: dict[Value, Value]) -> ChainGraph:
    """Return the graph without an operation whose results are other values instead."""
    gone = with_op(graph, block, at)

    def change(value: Value) -> Value:
        return instead.get(value, value)

    blocks = tuple(
        replace(
            one,
            operations=tuple(map_values(op, change) for op in one.operations),
            terminator=map_values(one.terminator, change),
        )
        for one in gone.blocks
    )
    return replace(gone, blocks=blocks)


def places(graph: ChainGraph) -> Iterator[tuple[Block, int, Op]]:
    for block in graph.blocks:
        for at, op in enumerate(block.operations):
            yield block, at, op


# ---------------------------------------------------------------- control flow


def swap_branch_targets(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block in graph.blocks:
        if isinstance(end := block.terminator, Branch):
            yield with_end(graph, block, replace(end, then=end.otherwise, otherwise=end.then))


def decide_branch(graph: ChainGraph) -> Iterator[ChainGraph]:
    """Drop a condition: always go one way."""
    for block in graph.blocks:
        if isinstance(end := block.terminator, Branch):
            for to in (end.then, end.otherwise):
                yield with_end(graph, block, Jump(to=to, span=end.span))


def lead_elsewhere(graph: ChainGraph) -> Iterator[ChainGraph]:
    """Lead an edge into another block with arguments of the same types."""
    for block in graph.blocks:
        if not isinstance(end := block.terminator, Jump):
            continue
        types = [value.type for value in end.to.arguments]
        for other in graph.blocks:
            if other.name not in (block.name, end.to.block) and [v.type for v in other.parameters] == types:
                yield with_end(graph, block, replace(end, to=Edge(other.name, end.to.arguments)))


def swap_arguments(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block in graph.blocks:
        if not isinstance(end := block.terminator, Jump):
            continue
        given = end.to.arguments
        for at in range(1, len(given)):
            if given[at - 1] != given[at] and given[at - 1].type == given[at].type:
                swapped = (*given[: at - 1], given[at], given[at - 1], *given[at + 1 :])
                yield with_end(graph, block, replace(end, to=Edge(end.to.block, swapped)))


def drop_for_another_reason(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block in graph.blocks:
        if isinstance(end := block.terminator, Deliver) and end.drop is not None:
            for other in graph.drops[:2]:
                if other != end.drop:
                    yield with_end(graph, block, replace(end, drop=other))


def leave_on_another_interface(graph: ChainGraph) -> Iterator[ChainGraph]:
    names = [interface.name for interface in graph.interfaces]
    for block in graph.blocks:
        if isinstance(end := block.terminator, Deliver):
            for at, emission in enumerate(end.emissions):
                if isinstance(emission, Exit):
                    other = names[(names.index(emission.interface) + 1) % len(names)]
                    moved = replace(emission, interface=other)
                    yield with_end(
                        graph,
                        block,
                        replace(end, emissions=(*end.emissions[:at], moved, *end.emissions[at + 1 :])),
                    )


def send_twice(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block in graph.blocks:
        if isinstance(end := block.terminator, Deliver) and end.emissions:
            yield with_end(graph, block, replace(end, emissions=end.emissions * 2))


def reorder_emissions(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block in graph.blocks:
        if isinstance(end := block.terminator, Deliver) and end.emissions != end.emissions[::-1]:
            yield with_end(graph, block, replace(end, emissions=end.emissions[::-1]))


def send_as_received(graph: ChainGraph) -> Iterator[ChainGraph]:
    """Send the packet as it was before its last write."""
    written = {op.results[0]: op.packet for _, _, op in places(graph) if isinstance(op, Write)}
    for block in graph.blocks:
        if isinstance(end := block.terminator, Deliver):
            for at, emission in enumerate(end.emissions):
                if isinstance(emission, Exit) and emission.packet in written:
                    stale = replace(emission, packet=written[emission.packet])
                    yield with_end(
                        graph,
                        block,
                        replace(end, emissions=(*end.emissions[:at], stale, *end.emissions[at + 1 :])),
                    )


# ---------------------------------------------------------------- values


def lose_negation(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block, at, op in places(graph):
        if isinstance(op, Unary) and op.op == "not":
            yield without(graph, block, at, {op.results[0]: op.operand})


def change_constant(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block, at, op in places(graph):
        if isinstance(op, Constant):
            width = getattr(op.results[0].type, "width", 1)
            yield with_op(graph, block, at, replace(op, value=(op.value + 1) % (1 << width)))


OTHER_OP = {
    "add": "sub", "sub": "add", "le": "lt", "lt": "le", "eq": "ne", "ne": "eq", "and": "or", "or": "and",
    "add_overflows": "sub_overflows", "sub_overflows": "add_overflows", "rem": "div", "div": "rem",
}  # fmt: skip


def change_operator(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block, at, op in places(graph):
        if isinstance(op, Binary) and op.op in OTHER_OP:
            yield with_op(graph, block, at, replace(op, op=OTHER_OP[op.op]))


def swap_operands(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block, at, op in places(graph):
        if isinstance(op, Binary) and op.op in ("sub", "le", "lt", "sub_overflows", "div", "rem"):
            yield with_op(graph, block, at, replace(op, left=op.right, right=op.left))


def read_another_field(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block, at, op in places(graph):
        if isinstance(op, Read) and (other := _other_field(op.path)):
            yield with_op(graph, block, at, replace(op, path=other))


def _other_field(path: str) -> str | None:
    own = FIELDS[path]
    return next(
        (
            other
            for other, field in FIELDS.items()
            if other != path
            and (field.header, field.width, field.kind) == (own.header, own.width, own.kind)
            and field.is_writable == own.is_writable
        ),
        None,
    )


# ---------------------------------------------------------------- writes


def lose_write(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block, at, op in places(graph):
        if isinstance(op, Write):
            yield without(graph, block, at, {op.results[0]: op.packet})


def write_another_field(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block, at, op in places(graph):
        if isinstance(op, Write) and (other := _other_field(op.path)):
            yield with_op(graph, block, at, replace(op, path=other))


def write_what_was_there(graph: ChainGraph) -> Iterator[ChainGraph]:
    """Write a field's old value: a read of the field as it was, in place of the one that is due."""
    new_id = 1 + max(value.id for block in graph.blocks for op in block.operations for value in op.results)
    for block, at, op in places(graph):
        if isinstance(op, Write):
            old = Value(new_id, op.value.type)
            read = Read(results=(old,), packet=op.packet, path=op.path)
            yield with_op(graph, block, at, read, replace(op, value=old))


# ---------------------------------------------------------------- state


def lose_state_operation(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block, at, op in places(graph):
        if isinstance(op, Touch | EntryWrite | VectorWrite | Count):
            yield with_op(graph, block, at)


def repeat_state_operation(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block, at, op in places(graph):
        if isinstance(op, VectorWrite | Count | EntryWrite):
            yield with_op(graph, block, at, op, op)


def touch_another_timer(graph: ChainGraph) -> Iterator[ChainGraph]:
    timers = {state.name: [name for name, _ in state.timers] for state in tables(graph)}
    for block, at, op in places(graph):
        if isinstance(op, Touch):
            for other in timers[op.table]:
                if other != op.timer:
                    yield with_op(graph, block, at, replace(op, timer=other))


def look_up_by_another_key(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block, at, op in places(graph):
        if isinstance(op, Find):
            for one in range(len(op.key)):
                for other in range(one):
                    key = list(op.key)
                    if key[one] != key[other] and key[one].type == key[other].type:
                        key[one], key[other] = key[other], key[one]
                        yield with_op(graph, block, at, replace(op, key=tuple(key)))


def look_up_in_another_index(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block, at, op in places(graph):
        if isinstance(op, Find):
            yield with_op(graph, block, at, replace(op, index="unique" if op.index == "key" else "key"))


def choose_from_another_range(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block, at, op in places(graph):
        if isinstance(op, Insert) and op.choose is not None:
            position, low, high = op.choose
            yield with_op(graph, block, at, replace(op, choose=(position, low, high - 1)))
            yield with_op(graph, block, at, replace(op, choose=(position, low + 1, high)))


def insert_under_another_key(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block, at, op in places(graph):
        if isinstance(op, Insert):
            defined = [value for one in block.operations[:at] for value in operands(one)]
            for position, own in enumerate(op.key):
                other = next((v for v in defined if v.type == own.type and v != own), None)
                if other is not None:
                    key = (*op.key[:position], other, *op.key[position + 1 :])
                    yield with_op(graph, block, at, replace(op, key=key))


def swap_state_operations(graph: ChainGraph) -> Iterator[ChainGraph]:
    """Let two operations on one vector change places, where the first does not feed the second."""
    for block in graph.blocks:
        for at in range(1, len(block.operations)):
            one, other = block.operations[at - 1 : at + 1]
            if isinstance(one, VectorWrite | EntryWrite) and not set(one.results) & set(operands(other)):
                ops = (*block.operations[: at - 1], other, one, *block.operations[at + 1 :])
                if type(one) is type(other):
                    yield with_block(graph, replace(block, operations=ops))


# ---------------------------------------------------------------- declarations


def tables(graph: ChainGraph) -> list[KeyedTable]:
    return [state for state in graph.states if isinstance(state, KeyedTable)]


def change_lifetime(graph: ChainGraph) -> Iterator[ChainGraph]:
    for table in tables(graph):
        for at, (name, lifetime) in enumerate(table.timers):
            timers = (*table.timers[:at], (name, lifetime + 1), *table.timers[at + 1 :])
            yield with_state(graph, replace(table, timers=timers))


def change_capacity(graph: ChainGraph) -> Iterator[ChainGraph]:
    for table in tables(graph):
        yield with_state(graph, replace(table, capacity=table.capacity - 1))


def swap_rules(graph: ChainGraph) -> Iterator[ChainGraph]:
    for state in graph.states:
        if isinstance(state, RuleTable) and len(state.rules.rules) > 1:
            rules = (*state.rules.rules[1::-1], *state.rules.rules[2:])
            yield with_state(graph, replace(state, rules=replace(state.rules, rules=rules)))


def look_at_a_rule_less(graph: ChainGraph) -> Iterator[ChainGraph]:
    """Leave out a rule that decides something, as if it did not."""
    for state in graph.states:
        if isinstance(state, RuleTable):
            live = tuple(live_rules(state))
            for number in live:
                yield with_state(graph, replace(state, live=tuple(one for one in live if one != number)))


def ask_for_a_match(graph: ChainGraph) -> Iterator[ChainGraph]:
    """Take a match of a rule set for its verdict, or the verdict for a match."""
    for block, at, op in places(graph):
        if isinstance(op, RulesDecide):
            matched, permits, number = op.results
            yield with_op(graph, block, at, replace(op, results=(permits, matched, number)))


def lose_route(graph: ChainGraph) -> Iterator[ChainGraph]:
    for state in graph.states:
        if isinstance(state, RouteTable):
            yield with_state(
                graph, replace(state, routes=replace(state.routes, routes=state.routes.routes[1:]))
            )


def change_budget(graph: ChainGraph) -> Iterator[ChainGraph]:
    for at, handler in enumerate(graph.handlers):
        if handler.budget is not None:
            changed = replace(handler, budget=handler.budget + 1)
            yield replace(graph, handlers=(*graph.handlers[:at], changed, *graph.handlers[at + 1 :]))


def skip_budget(graph: ChainGraph) -> Iterator[ChainGraph]:
    """Count no visits of a handler any more."""
    for at, handler in enumerate(graph.handlers):
        if handler.budget is not None:
            free = replace(handler, budget=None)
            yield replace(graph, handlers=(*graph.handlers[:at], free, *graph.handlers[at + 1 :]))


def change_mac(graph: ChainGraph) -> Iterator[ChainGraph]:
    first = graph.interfaces[0]
    yield replace(graph, interfaces=(replace(first, mac=first.mac + 1), *graph.interfaces[1:]))


def swap_entries(graph: ChainGraph) -> Iterator[ChainGraph]:
    one, other, *rest = graph.interfaces
    if one.entry != other.entry and None not in (one.entry, other.entry):
        swapped = (replace(one, entry=other.entry), replace(other, entry=one.entry), *rest)
        yield replace(graph, interfaces=swapped)


def make_another_error(graph: ChainGraph) -> Iterator[ChainGraph]:
    for block, at, op in places(graph):
        if isinstance(op, IcmpError):
            for error in (error for error in ICMP_ERRORS if error != op.error):
                yield with_op(graph, block, at, replace(op, error=error))


def quote_before_the_last_write(graph: ChainGraph) -> Iterator[ChainGraph]:
    writes = {op.results[0]: op for _, _, op in places(graph) if isinstance(op, Write)}
    for block, at, op in places(graph):
        if isinstance(op, IcmpError) and op.packet in writes:
            yield with_op(graph, block, at, replace(op, packet=writes[op.packet].packet))


def exchange_errors(graph: ChainGraph) -> Iterator[ChainGraph]:
    """Send the packet that an error is about in place of the error."""
    for block, at, op in places(graph):
        if isinstance(op, IcmpError):
            yield without(graph, block, at, {op.results[0]: op.packet})


ALL: tuple[Mutator, ...] = (
    swap_branch_targets,
    decide_branch,
    lead_elsewhere,
    swap_arguments,
    drop_for_another_reason,
    leave_on_another_interface,
    send_twice,
    reorder_emissions,
    send_as_received,
    lose_negation,
    change_constant,
    change_operator,
    swap_operands,
    read_another_field,
    lose_write,
    write_another_field,
    write_what_was_there,
    lose_state_operation,
    repeat_state_operation,
    touch_another_timer,
    look_up_by_another_key,
    look_up_in_another_index,
    choose_from_another_range,
    insert_under_another_key,
    swap_state_operations,
    change_lifetime,
    change_capacity,
    swap_rules,
    look_at_a_rule_less,
    ask_for_a_match,
    lose_route,
    change_budget,
    skip_budget,
    change_mac,
    swap_entries,
    make_another_error,
    quote_before_the_last_write,
    exchange_errors,
)
