"""Lowered graphs of NFs made by hand, and how to look into them."""

from synth.graph.nodes import (
    Block,
    ChainGraph,
)
from synth.graph.verify import verify
from synth.language import typed
from synth.language.typed import (
    AssignField,
    Drop,
    Fallback,
    Let,
    TypedNf,
)
from synth.language.values import Value
from synth.lower import lower
from tests.lower.hand_made import (
    ANY,
    IPV4,
    U8,
    at,
    between,
    handler,
    nf,
    read,
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
