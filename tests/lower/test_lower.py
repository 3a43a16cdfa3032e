"""What each construct becomes, on typed chains made by hand. Every graph is verified."""

from dataclasses import replace

import pytest

from synth.graph.nodes import (
    Binary,
    Bits,
    Block,
    Branch,
    ChainGraph,
    Constant,
    Deliver,
    EntryRead,
    Exit,
    Has,
    KeyedTable,
    ListTable,
    Read,
    Ring,
    Vector,
)
from synth.graph.verify import verify
from synth.language import typed
from synth.language.typed import (
    AssignField,
    Conditional,
    Count,
    CounterState,
    Drop,
    Emit,
    Endpoint,
    Fallback,
    Give,
    IsKind,
    Let,
    ListAt,
    Local,
    Logic,
    Perform,
    TypedChain,
    TypedNf,
)
from synth.language.types import FLOW, Bool, Entry, Ipv4, List, Record, Side, Tuple, Type, UInt
from synth.language.values import ListValue, Value
from synth.lower import lower
from synth.lower.context import BrokenTypedChain
from tests.lower.hand_made import (
    ANY,
    IPV4,
    TCP_OR_UDP,
    U8,
    U16,
    U32,
    at,
    between,
    binary,
    chain,
    emit,
    handler,
    if_,
    napt,
    nf,
    number,
    packet,
    read,
    side,
)

REST = handler(None, ANY, Drop(reason="other"))
TTL = read("ipv4.ttl", U8, IPV4)


def graph_of(made: TypedNf, arguments: tuple[tuple[str, Value], ...] = ()) -> ChainGraph:
    graph = lower(between(made, arguments))
    verify(graph)
    return graph


def inside(*body: typed.Statement, pattern: typed.Pattern = IPV4) -> TypedNf:
    """Return an NF that does this with IPv4 packets from inside."""
    return nf(handler(("inside",), pattern, *body), REST)


def block(graph: ChainGraph, name: str) -> Block:
    return next(found for found in graph.blocks if found.name == name)


def names(graph: ChainGraph) -> list[str]:
    return [found.name for found in graph.blocks if found.name.startswith("made.inside")]


def let(name: str, value: typed.Expr | Fallback) -> Let:
    return Let(name=name, value=value, span=at(4))


def set_ttl(value: typed.Expr) -> AssignField:
    return AssignField(packet="pkt", path="ipv4.ttl", value=value, span=at(5))


def ops(graph: ChainGraph, kind: type) -> list[object]:
    return [op for found in graph.blocks for op in found.operations if isinstance(op, kind)]


# ---------------------------------------------------------------- handlers and patterns


def test_patterns_are_tested_in_order_and_the_last_one_needs_no_test() -> None:
    graph = graph_of(
        nf(handler(None, TCP_OR_UDP, emit("outside")), handler(None, IPV4, emit("outside")), REST)
    )
    entry = block(graph, "made.inside")
    assert [op.header for op in entry.operations if isinstance(op, Has)] == ["ipv4", "tcp", "udp", "fragment"]
    assert names(graph) == [
        "made.inside",
        "made.inside.handler1",
        "made.inside.test2",
        "made.inside.handler2",
        "made.inside.handler3",
    ]
    assert graph.drops == ("made.other",)


def test_a_handler_that_no_packet_comes_to_is_left_out() -> None:
    graph = graph_of(nf(handler(None, ANY, emit("outside")), REST))
    assert names(graph) == ["made.inside"]
    assert graph.drops == ()


def test_a_handler_of_several_sides_stands_once_for_each() -> None:
    graph = graph_of(nf(handler(None, ANY, Emit(side=None, packet=packet()))))
    assert [found.terminator for found in graph.blocks] == [
        Deliver(emissions=(Exit("wan", graph.blocks[0].parameters[0]),)),
        Deliver(emissions=(Exit("lan", graph.blocks[1].parameters[0]),)),
    ]


def test_packets_without_a_handler_break_the_typed_chain() -> None:
    with pytest.raises(BrokenTypedChain, match="packets without a handler"):
        lower(between(nf(handler(None, IPV4, emit("outside")))))


# ---------------------------------------------------------------- control flow


def test_only_a_packet_that_differs_is_an_argument_after_an_if() -> None:
    body = (
        let("ttl", TTL),
        if_(binary("==", Local(type=U8, name="ttl"), number(9, U8), Bool()), (set_ttl(number(8, U8)),)),
        set_ttl(Local(type=U8, name="ttl")),
        emit("outside"),
    )
    graph = graph_of(inside(*body))
    after = block(graph, "made.inside.after")
    assert [parameter.hint for parameter in after.parameters] == ["pkt"]
    assert names(graph) == [
        "made.inside",
        "made.inside.handler1",
        "made.inside.then",
        "made.inside.after",
        "made.inside.handler2",
    ]


def test_a_packet_that_is_not_used_after_an_if_is_no_argument() -> None:
    drop = if_(binary("==", TTL, number(9, U8), Bool()), (set_ttl(number(8, U8)),))
    graph = graph_of(inside(drop, Drop(reason="always")))
    assert block(graph, "made.inside.after").parameters == ()
    assert "write" not in {type(op).__name__.lower() for found in graph.blocks for op in found.operations}


def test_and_reads_a_header_only_where_the_test_before_has_shown_it() -> None:
    is_tcp = IsKind(type=Bool(), packet=packet(IPV4), pattern=typed.PatternName("tcp"))
    syn = read("tcp.syn", Bool(), IPV4)
    both = Logic(type=Bool(), op="&&", left=is_tcp, right=syn)
    graph = graph_of(inside(if_(both, (Drop(reason="syn"),)), emit("outside")))
    assert names(graph)[1:5] == [
        "made.inside.handler1",
        "made.inside.and",
        "made.inside.then",
        "made.inside.else",
    ]


@pytest.mark.parametrize(("op", "constant"), [("&&", 0), ("||", 1)])
def test_a_truth_value_of_two_tests_is_joined_by_an_argument(op: str, constant: int) -> None:
    left, right = (binary("<", TTL, number(limit, U8), Bool()) for limit in (9, 7))
    value = Logic(type=Bool(), op=op, left=left, right=right)  # type: ignore[arg-type]
    body = (let("both", value), if_(Local(type=Bool(), name="both"), (Drop(reason="low"),)), emit("outside"))
    graph = graph_of(inside(*body))
    (joined,) = block(graph, "made.inside.value").parameters
    assert joined.hint == "both"
    decided = block(graph, "made.inside.false" if op == "&&" else "made.inside.true")
    assert [op.value for op in decided.operations if isinstance(op, Constant)] == [constant]


def test_not_exchanges_the_ways_without_an_operation() -> None:
    test = typed.Unary(type=Bool(), op="!", operand=binary("==", TTL, number(9, U8), Bool()))
    graph = graph_of(inside(if_(test, (Drop(reason="no"),)), emit("outside")))
    branch = block(graph, "made.inside.handler1").terminator
    assert isinstance(branch, Branch)
    assert branch.otherwise.block == "made.inside.then"


def test_a_condition_of_parameters_leaves_only_the_way_that_is_taken() -> None:
    strict = typed.Parameter(type=Bool(), name="strict")
    body = (if_(strict, (Drop(reason="strict"),), (set_ttl(number(1, U8)),)), emit("outside"))
    made = replace(
        inside(*body), parameters=(typed.NfParameter(name="strict", type=Bool(), default=None, doc=""),)
    )
    assert graph_of(made, (("strict", (0,)),)).drops == ("made.other",)
    assert graph_of(made, (("strict", (1,)),)).drops == ("made.strict", "made.other")
    folded = Logic(type=Bool(), op="||", left=strict, right=binary("==", TTL, number(9, U8), Bool()))
    made = replace(
        made, handlers=(handler(("inside",), IPV4, if_(folded, (Drop(reason="a"),)), emit("outside")), REST)
    )
    assert names(graph_of(made, (("strict", (1,)),))) == [
        "made.inside",
        "made.inside.handler1",
        "made.inside.handler2",
    ]


def test_a_conditional_expression_is_joined_by_an_argument() -> None:
    value = Conditional(
        type=U8,
        condition=binary("<", TTL, number(9, U8), Bool()),
        then=number(1, U8),
        otherwise=number(2, U8),
    )
    graph = graph_of(inside(set_ttl(value), emit("outside")))
    assert [parameter.type for parameter in block(graph, "made.inside.value").parameters] == [Bits(8)]


# ---------------------------------------------------------------- arithmetic


def arithmetic(op: str, left: typed.Expr, right: typed.Expr, of: Type = U8) -> ChainGraph:
    return graph_of(inside(let("x", binary(op, left, right, of)), _use("x", of), emit("outside")))


def _use(name: str, of: Type) -> typed.Statement:
    return if_(binary("==", Local(type=of, name=name), number(3, of), Bool()), (Drop(reason="three"),))


@pytest.mark.parametrize("op", ["+", "-", "*", "/", "%"])
def test_arithmetic_that_may_not_fit_is_tested_and_drops(op: str) -> None:
    graph = arithmetic(op, TTL, TTL)
    assert "made.arithmetic" in graph.drops
    failed = block(graph, "made.inside.arithmetic")
    assert failed.terminator == Deliver(emissions=(), drop="made.arithmetic")


@pytest.mark.parametrize(
    ("op", "right"), [("+", 0), ("-", 0), ("*", 1), ("/", 3), ("%", 3), ("+%", 200), ("-%", 200), ("*%", 200)]
)
def test_no_test_is_made_where_constants_prove_that_it_fits(op: str, right: int) -> None:
    assert "made.arithmetic" not in arithmetic(op, TTL, number(right, U8)).drops


def test_what_was_widened_is_known_to_be_small() -> None:
    wide = typed.Convert(type=U16, operand=TTL)
    assert "made.arithmetic" not in arithmetic("+", wide, number(1000), U16).drops
    assert "made.arithmetic" not in arithmetic("*", wide, number(257), U16).drops
    assert "made.arithmetic" in arithmetic("*", wide, number(258), U16).drops


def test_narrowing_is_tested_unless_the_value_is_known_to_fit() -> None:
    wide = binary("&", read("ipv4.id", U16, IPV4), number(0xFF), U16)
    for operand, is_tested in ((read("ipv4.id", U16, IPV4), True), (wide, False)):
        value = typed.Convert(type=U8, operand=operand)
        graph = graph_of(inside(set_ttl(value), emit("outside")))
        assert ("made.arithmetic" in graph.drops) is is_tested


def test_constants_are_computed() -> None:
    graph = arithmetic("-", binary("*", number(7, U8), number(11, U8), U8), number(74, U8))
    assert [op for op in ops(graph, Binary) if op.left.type == Bits(8)] == []  # type: ignore[attr-defined]
    assert "made.three" in graph.drops


def test_a_shift_takes_an_amount_of_any_width() -> None:
    graph = graph_of(inside(set_ttl(binary("<<", TTL, read("ipv4.id", U16, IPV4), U8)), emit("outside")))
    (shift,) = (op for op in ops(graph, Binary) if op.op == "shl")  # type: ignore[attr-defined]
    assert shift.left.type == shift.right.type == Bits(16)  # type: ignore[attr-defined]


# ---------------------------------------------------------------- fallbacks and state


def test_a_nat_finds_or_inserts_or_drops() -> None:
    graph = lower(napt())
    verify(graph)
    inside_blocks = [found.name for found in graph.blocks if found.name.startswith("nat.inside")]
    assert inside_blocks == [
        "nat.inside",
        "nat.inside.handler1",
        "nat.inside.missing",
        "nat.inside.with_b",
        "nat.inside.refused",
        "nat.inside.handler2",
    ]
    (bindings,) = graph.states
    assert isinstance(bindings, KeyedTable)
    assert [column.name for column in (*bindings.key, *bindings.unique)] == [
        "inside_0", "inside_1", "inside_2", "outside_0", "outside_1",
    ]  # fmt: skip
    assert (bindings.capacity, bindings.timers) == (2 * 64512, (("idle", 120 * 10**9),))


def test_a_member_of_an_entry_reads_only_its_own_columns() -> None:
    assert [op.column for op in ops(lower(napt()), EntryRead)] == ["outside_0", "inside_0", "inside_1"]  # type: ignore[attr-defined]


BACKEND = Record("backend", (("address", Ipv4()), ("weight", U16)))


def balanced(*body: typed.Statement) -> ChainGraph:
    made = replace(
        inside(*body),
        parameters=(typed.NfParameter(name="backends", type=List(BACKEND), default=None, doc=""),),
        states=(typed.RingState(name="picks", list="backends", by=0, weight=1, slots=number(7)),),
    )
    return graph_of(made, (("backends", ListValue(((5, 1), (6, 0)))),))


def test_a_value_that_is_absent_may_come_from_a_block() -> None:
    second = ListAt(type=BACKEND, list="backends", index=TTL)
    ring = typed.RingPick(type=BACKEND, ring="picks", hash=typed.HashOf(type=U32, operand=TTL))
    fallback = Fallback(type=BACKEND, options=(second,), otherwise=(Give(value=ring),))
    chosen = typed.Member(type=Ipv4(), operand=Local(type=BACKEND, name="b"), index=0)
    graph = balanced(
        let("b", fallback), AssignField(packet="pkt", path="ipv4.dst", value=chosen), emit("outside")
    )
    assert [parameter.hint for parameter in block(graph, "made.inside.with_b").parameters] == ["b_0"]
    lists, ring_table = graph.states
    assert isinstance(lists, ListTable)
    assert isinstance(ring_table, Ring)
    assert [column.name for column in lists.columns] == ["address", "weight"]
    assert ring_table.slots == (0,) * 7, "a weight of zero gets no slot"


def test_a_block_that_emits_and_gives_nothing_ends_the_handler() -> None:
    second = ListAt(type=BACKEND, list="backends", index=TTL)
    fallback = Fallback(type=BACKEND, options=(second,), otherwise=(emit("inside"),))
    graph = balanced(let("b", fallback), emit("outside"))
    ends = [found.terminator for found in graph.blocks if isinstance(found.terminator, Deliver)]
    assert [[exit_.interface for exit_ in end.emissions] for end in ends[:2]] == [["wan"], ["lan"]]  # type: ignore[union-attr]


def test_after_a_block_where_no_value_is_wanted_the_handler_goes_on() -> None:
    table = typed.TableState(
        name="seen", key=("ttl", U8), unique=None, values=(), timers=(), capacity=number(4)
    )
    insert = typed.Insert(type=Entry("seen"), table="seen", key=TTL, unique=None, values=())
    learn = Perform(
        value=Fallback(
            type=Entry("seen"),
            options=(insert,),
            otherwise=(Count(counter="full", amount=number(1, UInt(64))),),
        )
    )
    made = replace(inside(learn, emit("outside")), states=(table, CounterState(name="full")))
    graph = graph_of(made)
    assert names(graph)[1:4] == ["made.inside.handler1", "made.inside.refused", "made.inside.done"]


def test_tables_that_nothing_looks_into_are_left_out_and_states_are_not() -> None:
    assert balanced(emit("outside")).states == ()
    made = replace(inside(emit("outside")), states=(CounterState(name="unused"),))
    assert [state.name for state in graph_of(made).states] == ["made.unused"]


def test_columns_of_one_name_are_told_apart() -> None:
    pair = Tuple((U8, U8))
    table = typed.TableState(
        name="t",
        key=("k", pair),
        unique=None,
        values=(
            typed.TableValue(name="k_0", type=U8, default=None),
            typed.TableValue(name="f", type=FLOW, default=None),
        ),
        timers=(),
        capacity=number(4),
    )
    (state,) = graph_of(replace(inside(emit("outside")), states=(table,))).states
    assert isinstance(state, KeyedTable)
    assert [column.name for column in (*state.key, *state.values)] == [
        "k_0", "k_1", "k_0_", "f_src", "f_dst", "f_sport", "f_dport", "f_protocol",
    ]  # fmt: skip


def test_a_vector_cell_is_compared_with_the_size_only_if_the_index_can_be_larger() -> None:
    for size, is_compared in ((200, True), (256, False)):
        cell = Fallback(
            type=U16,
            options=(typed.VectorAt(type=U16, vector="v", index=TTL),),
            otherwise=Drop(reason="past"),
        )
        vector = typed.VectorState(name="v", element=U16, size=number(size, U32), initial=None)
        made = replace(inside(let("x", cell), _use("x", U16), emit("outside")), states=(vector,))
        graph = graph_of(made)
        assert ("made.past" in graph.drops) is is_compared
        assert graph.states == (
            Vector(name="made.v", columns=graph.states[0].columns, size=size, initial=(0,)),  # type: ignore[union-attr]
        )


# ---------------------------------------------------------------- flows and functions


def test_the_flow_of_a_packet_with_ports_or_an_echo_is_joined() -> None:
    either = typed.PatternAll(
        (
            typed.PatternAny(tuple(map(typed.PatternName, ("tcp", "udp", "icmp_echo")))),
            typed.PatternNot(typed.PatternName("fragment")),
        )
    )
    flow = typed.FlowOf(type=FLOW, packet=packet(either))
    body = (let("f", flow), _use_flow(), emit("outside"))
    graph = graph_of(inside(*body, pattern=either))
    assert [parameter.type for parameter in block(graph, "made.inside.flow").parameters] == [
        Bits(16),
        Bits(16),
    ]
    echo = block(graph, "made.inside.flow_of_echo")
    assert [op.path for op in echo.operations if isinstance(op, Read)] == ["icmp_echo.id"]


def _use_flow() -> typed.Statement:
    flow = Local(type=FLOW, name="f")
    same = binary("==", flow, typed.Reverse(type=FLOW, operand=flow), Bool())
    return if_(same, (Drop(reason="land"),))


def test_a_function_is_lowered_in_place_and_leaves_the_callers_names() -> None:
    double = typed.TypedFunction(
        name="double",
        parameters=(("x", U8),),
        result=U8,
        lets=(let("y", binary("+%", Local(type=U8, name="x"), Local(type=U8, name="x"), U8)),),
        value=Local(type=U8, name="y"),
    )
    call = typed.Call(type=U8, function=double, arguments=(Local(type=U8, name="y"),))
    graph = graph_of(
        inside(
            let("y", TTL), let("z", call), set_ttl(Local(type=U8, name="z")), _use("y", U8), emit("outside")
        )
    )
    adds = [op for op in ops(graph, Binary) if op.op == "add"]  # type: ignore[attr-defined]
    assert len(adds) == 1
    (read_op,) = ops(graph, Read)
    assert adds[0].left == read_op.results[0]  # type: ignore[attr-defined]


# ---------------------------------------------------------------- emissions and wires


def test_ways_that_emitted_to_other_sides_stay_apart() -> None:
    test = binary("<", TTL, number(9, U8), Bool())
    graph = graph_of(inside(if_(test, (emit("inside"),), (emit("outside"),)), emit("outside")))
    ends = [found.terminator for found in graph.blocks if isinstance(found.terminator, Deliver)]
    assert [[exit_.interface for exit_ in end.emissions] for end in ends] == [
        ["lan", "wan"],
        ["wan", "wan"],
        [],
        [],
    ]  # type: ignore[union-attr]


def test_an_emitted_packet_stays_as_it_was_when_the_handler_goes_on_writing() -> None:
    graph = graph_of(inside(emit("outside"), set_ttl(number(1, U8)), emit("outside")))
    end = block(graph, "made.inside.handler1").terminator
    assert isinstance(end, Deliver)
    first, second = (emission.packet for emission in end.emissions if isinstance(emission, Exit))
    assert first == block(graph, "made.inside").parameters[0]
    assert second != first


def test_a_drop_after_emissions_keeps_them() -> None:
    end = block(graph_of(inside(emit("outside"), Drop(reason="copied"))), "made.inside.handler1").terminator
    assert isinstance(end, Deliver)
    assert (len(end.emissions), end.drop) == (1, "made.copied")


def test_a_computed_side_is_compared_in_turn_and_the_last_needs_no_test() -> None:
    condition = binary("<", TTL, number(9, U8), Bool())
    where = Conditional(type=Side(), condition=condition, then=side("inside"), otherwise=side("outside"))
    body = (let("where", where), Emit(side=Local(type=Side(), name="where"), packet=packet()))
    graph = graph_of(inside(*body))
    assert names(graph)[-3:] == ["made.inside.to_inside", "made.inside.to_outside", "made.inside.handler2"]
    assert graph.drops == ("made.other",)


def test_a_constant_side_is_no_computed_one() -> None:
    graph = graph_of(inside(Emit(side=side("outside"), packet=packet())))
    assert names(graph) == ["made.inside", "made.inside.handler1", "made.inside.handler2"]


def test_others_of_a_lonely_side_is_a_drop() -> None:
    made = nf(handler(None, ANY, Emit(side=None, packet=packet())), sides=("inside",))
    instance = typed.Instance(name="hub", nf=made, arguments=(), sides=("inside",))
    graph = lower(chain((instance,), ((Endpoint("lan"), Endpoint("hub", "inside")),)))
    verify(graph)
    assert graph.drops == ("hub.no_side",)


def two(budget: int | None, back: str) -> TypedChain:
    """Return two forwarders in a row; the second sends what it gets to its side `back`."""
    forward = nf(handler(("inside",), ANY, emit("outside")), handler(("outside",), ANY, emit("inside")))
    turn = nf(handler(("inside",), ANY, emit(back)), handler(("outside",), ANY, emit("inside")))
    sides = ("inside", "outside")
    first = typed.Instance(name="a", nf=forward, arguments=(), sides=sides)
    second = typed.Instance(name="b", nf=turn, arguments=(), sides=sides)
    ends = (
        (Endpoint("lan"), Endpoint("a", "inside")),
        (Endpoint("a", "outside"), Endpoint("b", "inside")),
        (Endpoint("b", "outside"), Endpoint("wan")),
    )
    return chain((first, second), (*ends, *((target, source) for source, target in ends)), budget)


def test_sides_hand_over_to_each_other() -> None:
    graph = lower(two(None, "outside"))
    verify(graph)
    assert [handled.block for handled in graph.handlers] == ["a.inside", "a.outside", "b.inside", "b.outside"]
    assert all(handled.budget is None for handled in graph.handlers)


def test_only_handlers_on_a_cycle_have_a_budget() -> None:
    first = typed.Instance(
        name="a",
        nf=nf(handler(None, ANY, emit("outside"))),
        arguments=(),
        sides=("inside", "outside"),
    )
    second = typed.Instance(
        name="b",
        nf=nf(handler(("inside",), IPV4, emit("inside")), handler(None, ANY, emit("outside"))),
        arguments=(),
        sides=("inside", "outside"),
    )
    ends = (
        (Endpoint("lan"), Endpoint("a", "inside")),
        (Endpoint("a", "outside"), Endpoint("b", "inside")),
        (Endpoint("b", "inside"), Endpoint("a", "outside")),
        (Endpoint("b", "outside"), Endpoint("wan")),
        (Endpoint("wan"), Endpoint("b", "outside")),
    )
    graph = lower(chain((first, second), ends, budget=3))
    verify(graph)
    budgets = {handled.block: handled.budget for handled in graph.handlers}
    assert budgets == {"a.inside": None, "a.outside": 3, "b.inside": 3, "b.outside": None}
    assert graph.drops == ("a.chain_loop", "b.chain_loop")


def test_sides_that_no_packet_comes_to_are_left_out() -> None:
    graph = lower(replace(two(None, "outside"), wires=two(None, "outside").wires[:3]))
    verify(graph)
    assert [handled.block for handled in graph.handlers] == ["a.inside", "b.inside"]
    assert [interface.entry for interface in graph.interfaces] == ["a.inside", None]
