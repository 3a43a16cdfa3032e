"""Random graphs with every kind of node. They are closed, but obey no other rule of the verifier."""

from dataclasses import fields
from typing import Any, get_args

from hypothesis import strategies as st

from synth.graph import nodes
from synth.graph.nodes import (
    Bits,
    Block,
    Bool,
    BucketColumn,
    ChainGraph,
    Column,
    Edge,
    Entry,
    Exit,
    Handler,
    Interface,
    Op,
    Packet,
    StateObject,
    Value,
)
from synth.graph.text_forms import FORMS, Form
from synth.language.values import (
    PrefixValue,
    RangeValue,
    RouteTableValue,
    RouteValue,
    RuleSetValue,
    RuleValue,
)

NAMES = st.from_regex(r"[a-z_][a-z0-9_]{0,6}", fullmatch=True)
DOTTED = st.builds(lambda a, b: f"{a}.{b}", NAMES, NAMES)
INTEGERS = st.integers(0, 2**64 - 1)
TYPES = st.one_of(
    st.builds(Bits, st.integers(1, 128)), st.just(Bool()), st.just(Packet()), st.builds(Entry, DOTTED)
)
U32S = st.integers(0, 2**32 - 1)
U16S = st.integers(0, 2**16 - 1)


@st.composite
def columns(draw: st.DrawFn) -> Column:
    if draw(st.booleans()):
        return Column(draw(NAMES), 1, is_bool=True)
    return Column(draw(NAMES), draw(st.integers(1, 128)))


ROWS_OF_COLUMNS = st.lists(columns(), max_size=3).map(tuple)
NUMBERS = st.lists(INTEGERS, max_size=3).map(tuple)
PREFIXES = st.builds(PrefixValue, U32S, st.integers(0, 32))
RANGES = st.builds(RangeValue, U16S, U16S)
RULES = st.builds(RuleValue, st.booleans(), PREFIXES, PREFIXES, U16S, U16S, RANGES, RANGES, U16S, U16S)
ROUTES = st.builds(RouteValue, PREFIXES, st.none() | NUMBERS)
BUCKET_COLUMNS = st.builds(BucketColumn, NAMES, INTEGERS, INTEGERS)

STATES: st.SearchStrategy[StateObject] = st.one_of(
    st.builds(
        nodes.KeyedTable,
        name=DOTTED,
        key=ROWS_OF_COLUMNS,
        unique=ROWS_OF_COLUMNS,
        values=st.lists(columns() | BUCKET_COLUMNS, max_size=3).map(tuple),
        timers=st.lists(st.tuples(NAMES, INTEGERS), max_size=2).map(tuple),
        capacity=INTEGERS,
    ),
    st.builds(nodes.Vector, name=DOTTED, columns=ROWS_OF_COLUMNS, size=INTEGERS, initial=NUMBERS),
    st.builds(nodes.Counter, name=DOTTED),
    st.builds(nodes.TokenBucket, name=DOTTED, rate=INTEGERS, burst=INTEGERS),
    st.builds(nodes.Sketch, name=DOTTED, key=ROWS_OF_COLUMNS, rows=INTEGERS, columns=INTEGERS),
    st.builds(
        nodes.RuleTable, name=DOTTED, rules=st.builds(RuleSetValue, st.lists(RULES, max_size=12).map(tuple))
    ),
    st.builds(
        nodes.RouteTable,
        name=DOTTED,
        columns=ROWS_OF_COLUMNS,
        routes=st.builds(RouteTableValue, st.lists(ROUTES, max_size=12).map(tuple)),
    ),
    st.builds(
        nodes.ListTable, name=DOTTED, columns=ROWS_OF_COLUMNS, rows=st.lists(NUMBERS, max_size=12).map(tuple)
    ),
    st.builds(nodes.Ring, name=DOTTED, list=DOTTED, slots=st.lists(U16S, max_size=40).map(tuple)),
)


@st.composite
def graphs(draw: st.DrawFn) -> ChainGraph:
    """Draw a graph: values first, then blocks that define and use them in any order."""
    hints = st.just("") | NAMES
    values = [Value(number, draw(TYPES), draw(hints)) for number in range(draw(st.integers(1, 8)))]
    names = draw(st.lists(DOTTED, min_size=1, max_size=4, unique=True))
    parts = _deal(draw, values, len(names))
    return ChainGraph(
        name=draw(NAMES),
        interfaces=tuple(draw(st.lists(_interfaces(), max_size=2))),
        states=tuple(draw(st.lists(STATES, max_size=4))),
        handlers=tuple(draw(st.lists(_handlers(names), max_size=2))),
        blocks=tuple(draw(_blocks(name, own, values, names)) for name, own in zip(names, parts, strict=True)),
        drops=tuple(draw(st.lists(DOTTED, max_size=2))),
    )


def _deal(draw: st.DrawFn, values: list[Value], parts: int) -> list[list[Value]]:
    dealt: list[list[Value]] = [[] for _ in range(parts)]
    for value in values:
        dealt[draw(st.integers(0, parts - 1))].append(value)
    return dealt


@st.composite
def _interfaces(draw: st.DrawFn) -> Interface:
    addresses = draw(st.lists(st.tuples(U32S, st.integers(0, 32)), max_size=2))
    return Interface(draw(NAMES), draw(st.integers(0, 2**48 - 1)), tuple(addresses), draw(st.none() | DOTTED))


@st.composite
def _handlers(draw: st.DrawFn, names: list[str]) -> Handler:
    return Handler(
        draw(st.sampled_from(names)), draw(DOTTED), draw(NAMES), draw(st.none() | st.integers(1, 9))
    )


@st.composite
def _blocks(draw: st.DrawFn, name: str, own: list[Value], values: list[Value], names: list[str]) -> Block:
    at = draw(st.integers(0, len(own)))
    operations = [draw(operations_of(draw(st.sampled_from(FORMS)), (value,), values)) for value in own[at:]]
    operations += draw(
        st.lists(st.sampled_from(FORMS).flatmap(lambda form: operations_of(form, (), values)), max_size=3)
    )
    edges = st.builds(Edge, st.sampled_from(names), st.lists(st.sampled_from(values), max_size=3).map(tuple))
    exits = st.builds(Exit, NAMES, st.sampled_from(values))
    terminator = draw(
        st.one_of(
            st.builds(nodes.Jump, to=edges),
            st.builds(nodes.Branch, condition=st.sampled_from(values), then=edges, otherwise=edges),
            st.builds(
                nodes.Deliver,
                emissions=st.lists(edges | exits, max_size=3).map(tuple),
                drop=st.none() | DOTTED,
            ),
        )
    )
    return Block(name=name, parameters=tuple(own[:at]), operations=tuple(operations), terminator=terminator)


@st.composite
def operations_of(draw: st.DrawFn, form: Form, results: tuple[Value, ...], values: list[Value]) -> Op:
    """Draw an operation of a form with any operands."""
    of_kind: dict[str, st.SearchStrategy[Any]] = {
        "value": st.sampled_from(values),
        "values": st.lists(st.sampled_from(values), max_size=3).map(tuple),
        "slots": st.lists(st.none() | st.sampled_from(values), max_size=3).map(tuple),
        "name": NAMES | DOTTED,
        "int": INTEGERS,
        "choice": st.none() | st.tuples(st.integers(0, 3), U16S, U16S),
    }
    drawn = {field: draw(of_kind[kind]) for kind, field in form.parts}
    return form.of(results=results, **dict(form.fixed), **drawn)


def forms_cover_all_operations() -> bool:
    """Tell whether each field of each operation stands in its form."""
    written = {(form.of, field) for form in FORMS for _, field in form.parts}
    written |= {(form.of, field) for form in FORMS for field, _ in form.fixed}
    all_fields = {
        (of, part.name) for of in get_args(Op) for part in fields(of) if part.name not in ("results", "span")
    }
    return written == all_fields
