"""Print a graph as text: closed, exact, and read back by `text_parser.parse_graph`.

    block nat.inside(%pkt.0: packet):
      %1: bool = has %pkt.0 ipv4
      branch %1 -> nat.inside.handler1 | nat.inside.not_translated

A value is `%hint.id`, or `%id` without a hint. Spans are not printed; the abbreviated form, for
people, says as comments where a block comes from and shows only the first rows of large tables.
"""

from collections.abc import Iterable
from typing import assert_never

from synth.diagnostics.spans import NOWHERE, Span
from synth.graph.nodes import (
    Bits,
    Block,
    Bool,
    Branch,
    ChainGraph,
    Deliver,
    Edge,
    Entry,
    Exit,
    Handler,
    Interface,
    Jump,
    Op,
    Packet,
    Terminator,
    Type,
    Value,
)
from synth.graph.text_forms import form_of
from synth.graph.text_states import print_state
from synth.net.addresses import print_ipv4, print_mac
from synth.resources import shown_path


def print_graph(graph: ChainGraph, *, abbreviate: bool = False) -> str:
    """Return the graph as text that `text_parser.parse_graph` reads back, unless abbreviated."""
    paragraphs = [f"chain {graph.name}", _lines(_interface(interface) for interface in graph.interfaces)]
    paragraphs += [print_state(state, abbreviate=abbreviate) for state in graph.states]
    paragraphs.append(_lines(_handler(handler) for handler in graph.handlers))
    paragraphs.append(_lines(f"drop {name}" for name in graph.drops))
    paragraphs += [print_block(block, with_places=abbreviate) for block in graph.blocks]
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph) + "\n"


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def _interface(interface: Interface) -> str:
    parts = [f"interface {interface.name} mac {print_mac(interface.mac)}"]
    parts += [f"address {print_ipv4(address)}/{length}" for address, length in interface.addresses]
    if interface.entry is not None:
        parts.append(f"entry {interface.entry}")
    return " ".join(parts)


def _handler(handler: Handler) -> str:
    budget = "" if handler.budget is None else f" budget {handler.budget}"
    return f"handler {handler.block} nf {handler.nf} side {handler.side}{budget}"


def print_block(block: Block, *, with_places: bool = False) -> str:
    """Return a block as text; with places, its source line is a comment on its first line."""
    place = _place(block.span) if with_places else ""
    parameters = ", ".join(map(print_definition, block.parameters))
    lines = [f"block {block.name}({parameters}):{place}"]
    lines += [f"  {print_operation(op)}" for op in block.operations]
    lines.append(f"  {print_terminator(block.terminator)}")
    return "\n".join(lines)


def _place(span: Span) -> str:
    return "" if span == NOWHERE else f"  // {shown_path(span.file)}:{span.line}"


def print_operation(op: Op) -> str:
    """Return an operation as text, its results with their types."""
    action = print_action(op)
    return f"{', '.join(map(print_definition, op.results))} = {action}" if op.results else action


def print_action(op: Op) -> str:
    """Return an operation as text without its results."""
    form = form_of(op)
    parts = (_part(kind, getattr(op, field)) for kind, field in form.parts)
    return " ".join(part for part in (form.word, *parts) if part)


def _part(kind: str, content: object) -> str:
    match kind, content:
        case "value", Value():
            return print_value(content)
        case (("values" | "slots"), tuple()):
            return f"({', '.join('_' if item is None else print_value(item) for item in content)})"
        case "choice", None:
            return ""
        case "choice", (position, low, high):
            return f"choose {position} from {low}..{high}"
        case _:
            return str(content)


def print_terminator(terminator: Terminator) -> str:
    """Return a block's last line."""
    match terminator:
        case Jump(to=to):
            return f"jump {_edge(to)}"
        case Branch(condition=condition, then=then, otherwise=otherwise):
            return f"branch {print_value(condition)} -> {_edge(then)} | {_edge(otherwise)}"
        case Deliver(emissions=emissions, drop=drop):
            parts = ["deliver", ", ".join(_emission(emission) for emission in emissions)]
            parts += [] if drop is None else ["drop", drop]
            return " ".join(part for part in parts if part)
        case _:
            assert_never(terminator)


def _emission(emission: Exit | Edge) -> str:
    if isinstance(emission, Exit):
        return f"exit {emission.interface}({print_value(emission.packet)})"
    return _edge(emission)


def _edge(edge: Edge) -> str:
    return f"{edge.block}({', '.join(map(print_value, edge.arguments))})"


def print_value(value: Value) -> str:
    """Return a value as it is written where it is used."""
    return f"%{value.hint}.{value.id}" if value.hint else f"%{value.id}"


def print_definition(value: Value) -> str:
    """Return a value with its type, as it is written where it is defined."""
    return f"{print_value(value)}: {print_type(value.type)}"


def print_type(of: Type) -> str:
    """Return a value's type as text."""
    match of:
        case Bits(width):
            return f"u{width}"
        case Bool():
            return "bool"
        case Packet():
            return "packet"
        case Entry(table):
            return f"entry {table}"
        case _:
            assert_never(of)
