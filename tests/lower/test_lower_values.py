"""What arithmetic, fallbacks, flows and functions become. Every graph is verified."""

from dataclasses import replace

import pytest

from synth.graph.nodes import (
    Binary,
    Bits,
    ChainGraph,
    Deliver,
    EntryRead,
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
    Count,
    CounterState,
    Drop,
    Fallback,
    Give,
    ListAt,
    Local,
    Perform,
)
from synth.language.types import FLOW, Bool, Entry, Ipv4, List, Record, Tuple, Type, UInt
from synth.language.values import ListValue
from synth.lower import lower
from synth.lower.states import lower_states
from tests.lower.hand_made import (
    IPV4,
    U8,
    U16,
    U32,
    binary,
    emit,
    if_,
    napt,
    number,
    packet,
    read,
)
from tests.lower.lowered import TTL, block, graph_of, inside, let, names, ops, set_ttl

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


def test_state_that_nothing_touches_is_left_out_and_counters_are_not() -> None:
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
    made = replace(inside(emit("outside")), states=(table,))
    (state,) = lower_states(typed.Instance(name="made", nf=made, sides=made.sides, arguments=()))
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
            typed.PatternName("ipv4"),
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
