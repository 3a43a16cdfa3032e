"""Read a graph from its text form (`text.py`).

Types are known from definitions, which may stand after their uses: they are gathered first.
The text says all; nothing is checked beyond its syntax and that each value is defined (`verify` does).
"""

from typing import Any

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
    StateObject,
    Terminator,
    Type,
    Value,
)
from synth.graph.text_forms import BY_WORD
from synth.graph.text_states_parser import STATES
from synth.graph.text_tokens import Cursor, Token


def parse_graph(text: str, file: str = "<graph>") -> ChainGraph:
    """Return the graph that `text.print_graph` printed.

    Raises:
        UserError: the text is not a graph; the diagnostic says where and what was expected.
    """
    cursor = Cursor(text, file)
    values = _definitions(cursor)
    cursor.expect("chain")
    name = cursor.name()
    interfaces: list[Interface] = []
    while cursor.accepts("interface"):
        interfaces.append(_interface(cursor))
    states: list[StateObject] = []
    while cursor.next.text in STATES:
        states.append(STATES[cursor.name()](cursor))
    handlers: list[Handler] = []
    while cursor.accepts("handler"):
        handlers.append(_handler(cursor))
    drops: list[str] = []
    while cursor.accepts("drop"):
        drops.append(cursor.name())
    blocks: list[Block] = []
    while cursor.accepts("block"):
        blocks.append(_BlockParser(cursor, values).block())
    cursor.take("end", "`block` or the end")
    return ChainGraph(
        name=name,
        interfaces=tuple(interfaces),
        states=tuple(states),
        handlers=tuple(handlers),
        blocks=tuple(blocks),
        drops=tuple(drops),
    )


def _definitions(cursor: Cursor) -> dict[str, Value]:
    """Return the values by their text: a definition is a value token with a colon and a type."""
    values: dict[str, Value] = {}
    for index, token in enumerate(cursor.tokens[:-1]):
        if token.kind == "value" and cursor.tokens[index + 1].text == ":":
            values[token.text] = _value(token, _type(cursor, index + 2))
    return values


def _value(token: Token, of: Type) -> Value:
    hint, _, number = token.text[1:].rpartition(".")
    return Value(int(number), of, hint)


def _type(cursor: Cursor, index: int) -> Type:
    token = cursor.tokens[index]
    if token.text == "bool":
        return Bool()
    if token.text == "packet":
        return Packet()
    if token.text == "entry" and cursor.tokens[index + 1].kind == "name":
        return Entry(cursor.tokens[index + 1].text)
    if token.text[:1] == "u" and token.text[1:].isdecimal():
        return Bits(int(token.text[1:]))
    raise cursor.error("a type", token)


def _interface(cursor: Cursor) -> Interface:
    name = cursor.name()
    cursor.expect("mac")
    mac = int(cursor.take("mac", "a MAC address").replace(":", ""), 16)
    addresses: list[tuple[int, int]] = []
    while cursor.accepts("address"):
        addresses.append(cursor.prefix())
    entry = cursor.name() if cursor.accepts("entry") else None
    return Interface(name, mac, tuple(addresses), entry)


def _handler(cursor: Cursor) -> Handler:
    block = cursor.name()
    cursor.expect("nf")
    nf = cursor.name()
    cursor.expect("side")
    side = cursor.name()
    budget = cursor.integer() if cursor.accepts("budget") else None
    return Handler(block, nf, side, budget)


class _BlockParser:
    def __init__(self, cursor: Cursor, values: dict[str, Value]) -> None:
        self._cursor = cursor
        self._values = values

    def block(self) -> Block:
        name = self._cursor.name()
        self._cursor.expect("(")
        parameters: list[Value] = []
        while not self._cursor.accepts(")"):
            if parameters:
                self._cursor.expect(",")
            parameters.append(self._definition())
        self._cursor.expect(":")
        operations: list[Op] = []
        while self._cursor.next.kind == "value" or self._cursor.next.text in BY_WORD:
            operations.append(self._operation())
        return Block(
            name=name,
            parameters=tuple(parameters),
            operations=tuple(operations),
            terminator=self._terminator(),
        )

    def _definition(self) -> Value:
        value = self._use()
        self._cursor.expect(":")
        if isinstance(value.type, Entry):
            self._cursor.expect("entry")
        self._cursor.name()
        return value

    def _use(self) -> Value:
        token = self._cursor.next
        if token.kind == "value" and token.text not in self._values:
            raise self._cursor.error("a value that is defined", token)
        return self._values[self._cursor.take("value", "a value")]

    def _operation(self) -> Op:
        results: list[Value] = []
        while self._cursor.next.kind == "value":
            results.append(self._definition())
            if not self._cursor.accepts(","):
                self._cursor.expect("=")
                break
        if self._cursor.next.text not in BY_WORD:
            raise self._cursor.error("an operation")
        form = BY_WORD[self._cursor.name()]
        fields: dict[str, Any] = dict(form.fixed)
        for kind, field in form.parts:
            fields[field] = self._part(kind)
        return form.of(results=tuple(results), **fields)

    def _part(self, kind: str) -> Value | int | str | tuple[Value | None, ...] | tuple[int, int, int] | None:
        match kind:
            case "value":
                return self._use()
            case "values" | "slots":
                return self._list(may_choose=kind == "slots")
            case "int":
                return self._cursor.integer()
            case "choice":
                return self._choice()
            case _:
                return self._cursor.name()

    def _list(self, *, may_choose: bool) -> tuple[Value | None, ...]:
        values: list[Value | None] = []
        self._cursor.expect("(")
        while not self._cursor.accepts(")"):
            if values:
                self._cursor.expect(",")
            values.append(None if may_choose and self._cursor.accepts("_") else self._use())
        return tuple(values)

    def _choice(self) -> tuple[int, int, int] | None:
        if not self._cursor.accepts("choose"):
            return None
        position = self._cursor.integer()
        self._cursor.expect("from")
        low = self._cursor.integer()
        self._cursor.expect("..")
        return position, low, self._cursor.integer()

    def _terminator(self) -> Terminator:
        if self._cursor.accepts("jump"):
            return Jump(to=self._edge())
        if self._cursor.accepts("branch"):
            condition = self._use()
            self._cursor.expect("->")
            then = self._edge()
            self._cursor.expect("|")
            return Branch(condition=condition, then=then, otherwise=self._edge())
        if self._cursor.accepts("deliver"):
            return self._deliver()
        raise self._cursor.error("an operation, `jump`, `branch` or `deliver`")

    def _deliver(self) -> Deliver:
        emissions: list[Exit | Edge] = []
        while self._cursor.next.kind == "name" and self._cursor.next.text not in ("drop", "block"):
            emissions.append(self._emission())
            if not self._cursor.accepts(","):
                break
        drop = self._cursor.name() if self._cursor.accepts("drop") else None
        return Deliver(emissions=tuple(emissions), drop=drop)

    def _emission(self) -> Exit | Edge:
        if not self._cursor.accepts("exit"):
            return self._edge()
        interface = self._cursor.name()
        self._cursor.expect("(")
        packet = self._use()
        self._cursor.expect(")")
        return Exit(interface, packet)

    def _edge(self) -> Edge:
        block = self._cursor.name()
        arguments = self._list(may_choose=False)
        return Edge(block, tuple(value for value in arguments if value is not None))
