"""Carry written fields as values, and write a packet only where one must exist.

Each packet value becomes the packet that came in (its *base*) and the fields in which it differs:

    %p.3: packet = write %p.0 ipv4.ttl %t.2
    jump b(%p.3)                                becomes   jump b(%p.0, %t.2)
    block b(%p.4: packet):                                block b(%p.4: packet, %ttl.9: u8):
    %5: u8 = read %p.4 ipv4.ttl                           (%5 is %ttl.9)
    deliver exit wan(%p.4)                                %10: packet = write %p.4 ipv4.ttl %ttl.9 ...

Packets exist where they leave, where rules are matched (then with the fields that rules read), and where
they are delivered or arrive in a fixed block. There a field whose header not every packet has is written
behind a test; as an argument it is zero for packets without the header, for which nobody reads it.

Sound: a packet is its bytes and its writes; checksums follow from the sum of all differences when it leaves.
"""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from typing import assert_never

from synth.diagnostics.spans import NOWHERE
from synth.graph.nodes import (
    Block,
    Branch,
    ChainGraph,
    Deliver,
    Edge,
    Exit,
    Has,
    Jump,
    Length,
    Op,
    Packet,
    Read,
    RulesDecide,
    Terminator,
    Value,
    Write,
)
from synth.graph.presence import find_presence
from synth.graph.verify_types import field_type
from synth.graph.walk import edges, operands
from synth.net.fields import FIELDS
from synth.synthesis.code import Code
from synth.synthesis.remarks import Outcome, Remark
from synth.synthesis.ssa import Flow, Fresh, find_flow, rebuild, substitute

RULE_FIELDS = frozenset(
    (
        "ipv4.src", "ipv4.dst", "l4.sport", "l4.dport",
        *(f"tcp.{flag}" for flag in ("cwr", "ece", "urg", "ack", "psh", "rst", "syn", "fin")),
    )
)  # fmt: skip
"""The fields that may be written and that a rule can look at."""

_RANKS = {path: rank for rank, path in enumerate(FIELDS)}


@dataclass(frozen=True, slots=True)
class _Virtual:
    """A packet: its base, and the fields in which it may differ."""

    base: Value
    fields: Mapping[str, Value] = field(default_factory=dict)


def carry_fields(graph: ChainGraph) -> Outcome:
    """Replace packets that were written by their base and the written fields."""
    if not any(isinstance(op, Write) for block in graph.blocks for op in block.operations):
        return Outcome(graph)
    return _Carrier(graph).run()


class _Carrier:
    """The pass's working state: everything about packets that the rewriting of a block needs."""

    def __init__(self, graph: ChainGraph) -> None:
        self._graph = graph
        self._flow = find_flow(graph)
        self._presence = find_presence(graph)
        self._fresh = Fresh(graph)
        self._carried = _find_carried(self._flow)
        self._packets: dict[Value, _Virtual] = {}
        self._values: dict[Value, Value] = {}
        self._remarks: list[Remark] = []
        self._places: dict[tuple[str, Value], Write] = {}

    def run(self) -> Outcome:
        blocks: list[Block] = []
        for name in self._flow.order:
            blocks += self._rewrite(self._flow.blocks[name])
        return Outcome(rebuild(self._graph, blocks), tuple(self._remarks))

    def _value(self, value: Value) -> Value:
        return self._values.get(value, value)

    def _virtual(self, packet: Value) -> _Virtual:
        return self._packets.get(packet, _Virtual(packet))

    def _rewrite(self, block: Block) -> list[Block]:
        parameters: list[Value] = []
        for parameter in block.parameters:
            paths = self._carried.get(parameter, ())
            arguments = [self._fresh.value(field_type(path), path.split(".")[1]) for path in paths]
            parameters += [parameter, *arguments]
            if paths:
                self._packets[parameter] = _Virtual(parameter, dict(zip(paths, arguments, strict=True)))
        code = Code(self._fresh, block.name, tuple(parameters), block.span)
        for op in block.operations:
            self._operation(op, code, block.name)
        splits: list[Block] = []
        code.close(self._terminator(block, code, splits))
        return [*code.blocks, *splits]

    def _operation(self, op: Op, code: Code, place: str) -> None:
        """Add what stands for an operation; writes and reads of written fields are gone."""
        match op:
            case Write():
                self._write(op)
            case Read(packet=packet, path=path, results=(result,)) if path in self._virtual(packet).fields:
                self._values[result] = self._virtual(packet).fields[path]
                cause = self._places.get((path, self._values[result]))
                text = f"`{path}` is not read: the value written before is used"
                span = None if cause is None else cause.span
                self._remarks.append(Remark("carry_fields", text, op.span, span))
            case Read(packet=packet) | Has(packet=packet) | Length(packet=packet):
                code.add(replace(op, packet=self._virtual(packet).base))
            case RulesDecide(packet=packet):
                code.add(replace(op, packet=self._make(packet, code, place, RULE_FIELDS)))
            case _:
                packets = {value for value in operands(op) if isinstance(value.type, Packet)}
                made = {packet: self._make(packet, code, place) for packet in packets}
                code.add(substitute(op, lambda value: made.get(value, self._value(value))))

    def _write(self, op: Write) -> None:
        virtual, value = self._virtual(op.packet), self._value(op.value)
        old = self._places.get((op.path, virtual.fields[op.path])) if op.path in virtual.fields else None
        if old is not None:
            text = f"write of `{op.path}` is overwritten before the packet leaves"
            self._remarks.append(Remark("carry_fields", text, old.span, op.span))
        self._places[op.path, value] = op
        fields = {**virtual.fields, op.path: value}
        ordered = {path: fields[path] for path in sorted(fields, key=_RANKS.__getitem__)}
        self._packets[op.results[0]] = _Virtual(virtual.base, ordered)

    def _make(self, packet: Value, code: Code, place: str, wanted: Container[str] = FIELDS) -> Value:
        """Return a packet with its fields, or those that are wanted, written."""
        virtual, kinds = self._virtual(packet), self._presence.kinds(place, packet)
        made = virtual.base
        paths = [path for path in virtual.fields if path in wanted]
        for header, group in groupby(paths, key=lambda path: FIELDS[path].header):
            write = partial(self._add_writes, made, tuple(group), virtual.fields, code)
            made = code.where_present(virtual.base, header, kinds, write, otherwise=made)
        return made

    def _add_writes(
        self, packet: Value, paths: Iterable[str], fields: Mapping[str, Value], code: Code
    ) -> Value:
        for path in paths:
            result, origin = self._fresh.like(packet), self._places.get((path, fields[path]))
            span = NOWHERE if origin is None else origin.span
            code.add(Write(packet=packet, path=path, value=fields[path], results=(result,), span=span))
            packet = result
        return packet

    def _terminator(self, block: Block, code: Code, splits: list[Block]) -> Terminator:
        """Return the block's end; what it needs is added to the code, or to new blocks on its edges."""
        match block.terminator:
            case Deliver(emissions=emissions) as deliver:
                made = tuple(self._emission(emission, code, block.name) for emission in emissions)
                return replace(deliver, emissions=made)
            case Jump(to=to) as jump:
                return replace(jump, to=self._edge(to, code, block.name))
            case Branch(then=then, otherwise=otherwise) as branch:
                return replace(
                    branch,
                    condition=self._value(branch.condition),
                    then=self._split(block, then, splits),
                    otherwise=self._split(block, otherwise, splits),
                )
            case _:
                assert_never(block.terminator)

    def _emission(self, emission: Exit | Edge, code: Code, place: str) -> Exit | Edge:
        if isinstance(emission, Exit):
            return replace(emission, packet=self._make(emission.packet, code, place))
        return self._edge(emission, code, place)

    def _split(self, block: Block, edge: Edge, splits: list[Block]) -> Edge:
        """Return an edge of a branch; through a block of its own when something must be computed on it."""
        name = self._fresh.block(block.name)
        code = Code(self._fresh, name, (), block.span)
        changed = self._edge(edge, code, block.name)
        if code.is_empty:
            self._fresh.forget(name)
            return changed
        code.close(Jump(to=changed, span=block.terminator.span))
        splits += code.blocks
        return Edge(name)

    def _edge(self, edge: Edge, code: Code, place: str) -> Edge:
        """Return an edge with the carried fields as arguments; what must be computed for it is added."""
        arguments: list[Value] = []
        for parameter, argument in zip(self._flow.blocks[edge.block].parameters, edge.arguments, strict=True):
            if not isinstance(argument.type, Packet):
                arguments.append(self._value(argument))
            elif edge.block in self._flow.fixed:
                arguments.append(self._make(argument, code, place))
            else:
                virtual, paths = self._virtual(argument), self._carried.get(parameter, ())
                values = (self._field(argument, virtual, path, code, place) for path in paths)
                arguments += [virtual.base, *values]
        return Edge(edge.block, tuple(arguments))

    def _field(self, packet: Value, virtual: _Virtual, path: str, code: Code, place: str) -> Value:
        """Return a field's value; zero for packets that have no such field."""
        if path in virtual.fields:
            return virtual.fields[path]

        def read() -> Value:
            result = self._fresh.value(field_type(path), path.split(".")[1])
            code.add(Read(packet=virtual.base, path=path, results=(result,)))
            return result

        kinds = self._presence.kinds(place, packet)
        return code.where_present(virtual.base, FIELDS[path].header, kinds, read, otherwise=None)


def _find_carried(flow: Flow) -> dict[Value, tuple[str, ...]]:
    """Return, for each packet parameter, the fields in which it may differ from its base.

    A forward dataflow: what is written on some way in.
    """
    differing: dict[Value, frozenset[str]] = {}
    is_changing = True
    while is_changing:
        is_changing = False
        for name in flow.order:
            for op in flow.blocks[name].operations:
                if isinstance(op, Write):
                    differing[op.results[0]] = differing.get(op.packet, frozenset()) | {op.path}
            for edge in edges(flow.blocks[name].terminator):
                if edge.block in flow.fixed:
                    continue
                for parameter, argument in zip(
                    flow.blocks[edge.block].parameters, edge.arguments, strict=True
                ):
                    known = differing.get(parameter, frozenset())
                    grown = known | differing.get(argument, frozenset())
                    if grown != known:
                        differing[parameter] = grown
                        is_changing = True
    return {
        parameter: tuple(sorted(differing[parameter], key=_RANKS.__getitem__))
        for name in flow.order
        for parameter in flow.blocks[name].parameters
        if parameter in differing
    }
