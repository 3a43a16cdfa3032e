"""What each construct becomes, on typed chains made by hand. Every graph is verified."""

from dataclasses import replace

import pytest

from synth.graph.nodes import (
    Bits,
    Branch,
    Constant,
    Deliver,
    Exit,
    Has,
)
from synth.graph.verify import verify
from synth.language import typed
from synth.language.typed import (
    Conditional,
    Drop,
    Emit,
    Endpoint,
    IsKind,
    Local,
    Logic,
    TypedChain,
)
from synth.language.types import Bool, Side
from synth.lower import lower
from synth.lower.context import BrokenTypedChain
from tests.lower.hand_made import (
    ANY,
    IPV4,
    TCP_OR_UDP,
    U8,
    between,
    binary,
    chain,
    emit,
    handler,
    if_,
    nf,
    number,
    packet,
    read,
    side,
)
from tests.lower.lowered import REST, TTL, block, graph_of, inside, let, names, set_ttl

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
