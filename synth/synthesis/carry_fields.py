"""Carry written fields as values, and write a packet only where one must exist.

Each packet value becomes the packet that came in (its *base*) and the fields in which it differs:

    %p.3: packet = write %p.0 ipv4.ttl %t.2
    jump b(%p.3)                                becomes   jump b(%p.0, %t.2)
    block b(%p.4: packet):                                block b(%p.4: packet, %ttl.9: u8):
    %5: u8 = read %p.4 ipv4.ttl                           (%5 is %ttl.9)
    deliver exit wan(%p.4)                                %10: packet = write %p.4 ipv4.ttl %ttl.9 ...

Packets exist where they leave, where rules are matched (then with the fields that rules read), and where
they are delivered or arrive in a fixed block. A field that only some ways into a block could have, because not all packets
there have its header, is written on these ways; the base is then that packet.

Sound: a packet is its bytes and its writes; checksums follow from the sum of all differences when it leaves.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

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
from synth.graph.presence import Presence, find_presence
from synth.graph.verify_types import field_type
from synth.graph.walk import edges, operands
from synth.net.fields import FIELDS
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
        self._carried = _find_carried(self._flow, self._presence)
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
        operations: list[Op] = []
        for op in block.operations:
            operations += self._operation(op)
        terminator, more, splits = self._terminator(block)
        changed = replace(
            block, parameters=tuple(parameters), operations=(*operations, *more), terminator=terminator
        )
        return [changed, *splits]

    def _operation(self, op: Op) -> Iterable[Op]:
        """Return what stands for an operation; writes and reads of written fields are gone."""
        match op:
            case Write(packet=packet, path=path, value=value, results=(result,)):
                self._write(op, self._virtual(packet), path, self._value(value), result)
                return ()
            case Read(packet=packet, path=path, results=(result,)):
                virtual = self._virtual(packet)
                if path in virtual.fields:
                    self._values[result] = virtual.fields[path]
                    cause = self._places.get((path, virtual.fields[path]))
                    text = f"`{path}` is not read: the value written before is used"
                    self._remarks.append(
                        Remark("carry_fields", text, op.span, None if cause is None else cause.span)
                    )
                    return ()
                return (replace(op, packet=virtual.base),)
            case Has(packet=packet) | Length(packet=packet):
                return (replace(op, packet=self._virtual(packet).base),)
            case RulesDecide(packet=packet):
                virtual = self._virtual(packet)
                seen = {path: value for path, value in virtual.fields.items() if path in RULE_FIELDS}
                made, writes = self._make(_Virtual(virtual.base, seen))
                return (*writes, replace(op, packet=made))
            case _:
                made_for: dict[Value, Value] = {}
                before: list[Op] = []
                for value in operands(op):
                    if isinstance(value.type, Packet):
                        made_for[value], writes = self._make(self._virtual(value))
                        before += writes
                return (*before, substitute(op, lambda value: made_for.get(value, self._value(value))))

    def _write(self, op: Write, virtual: _Virtual, path: str, value: Value, result: Value) -> None:
        old = self._places.get((path, virtual.fields[path])) if path in virtual.fields else None
        if old is not None:
            text = f"write of `{path}` is overwritten before the packet leaves"
            self._remarks.append(Remark("carry_fields", text, old.span, op.span))
        self._places[path, value] = op
        fields = {**virtual.fields, path: value}
        self._packets[result] = _Virtual(
            virtual.base, {name: fields[name] for name in sorted(fields, key=_RANKS.__getitem__)}
        )

    def _make(self, virtual: _Virtual) -> tuple[Value, list[Op]]:
        """Return a packet with its fields written, and the writes."""
        packet, writes = virtual.base, list[Op]()
        for path, value in virtual.fields.items():
            result = self._fresh.like(packet)
            place = self._places.get((path, value))
            span = NOWHERE if place is None else place.span
            writes.append(Write(packet=packet, path=path, value=value, results=(result,), span=span))
            packet = result
        return packet, writes

    def _terminator(self, block: Block) -> tuple[Terminator, list[Op], list[Block]]:
        """Return the block's end, what it computes for it, and new blocks on its edges."""
        before: list[Op] = []
        splits: list[Block] = []
        match block.terminator:
            case Deliver(emissions=emissions):
                made: list[Exit | Edge] = []
                for emission in emissions:
                    made.append(self._emission(emission, before))
                return replace(block.terminator, emissions=tuple(made)), before, splits
            case Jump(to=to):
                edge, operations = self._edge(to)
                return replace(block.terminator, to=edge), operations, splits
            case Branch(then=then, otherwise=otherwise) as branch:
                ways = [self._split(block, edge, splits) for edge in (then, otherwise)]
                changed = replace(
                    branch, condition=self._value(branch.condition), then=ways[0], otherwise=ways[1]
                )
                return changed, before, splits

    def _emission(self, emission: Exit | Edge, before: list[Op]) -> Exit | Edge:
        if isinstance(emission, Exit):
            packet, writes = self._make(self._virtual(emission.packet))
            before += writes
            return replace(emission, packet=packet)
        edge, operations = self._edge(emission)
        before += operations
        return edge

    def _split(self, block: Block, edge: Edge, splits: list[Block]) -> Edge:
        """Return an edge; through a block of its own when something must be computed on it."""
        changed, operations = self._edge(edge)
        if not operations:
            return changed
        name = self._fresh.block(block.name)
        splits.append(
            Block(
                name=name,
                parameters=(),
                operations=tuple(operations),
                terminator=Jump(to=changed, span=block.terminator.span),
                span=block.span,
            )
        )
        return Edge(name)

    def _edge(self, edge: Edge) -> tuple[Edge, list[Op]]:
        """Return an edge with the carried fields as arguments, and what must be computed for it."""
        arguments: list[Value] = []
        operations: list[Op] = []
        for parameter, argument in zip(self._flow.blocks[edge.block].parameters, edge.arguments, strict=True):
            if not isinstance(argument.type, Packet):
                arguments.append(self._value(argument))
                continue
            virtual = self._virtual(argument)
            carried = self._carried.get(parameter, ())
            left = {path: value for path, value in virtual.fields.items() if path not in carried}
            base, writes = self._make(_Virtual(virtual.base, left))
            arguments.append(base)
            operations += writes
            for path in carried:
                if path not in virtual.fields:
                    result = self._fresh.value(field_type(path), path.split(".")[1])
                    operations.append(Read(packet=virtual.base, path=path, results=(result,)))
                arguments.append(virtual.fields[path] if path in virtual.fields else result)
        return Edge(edge.block, tuple(arguments)), operations


def _find_carried(flow: Flow, presence: Presence) -> dict[Value, tuple[str, ...]]:
    """Return, for each packet parameter, the fields in which it may differ from its base.

    A forward dataflow: what is written on some way in, unless packets without the header come in too.
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
                    kinds = (
                        presence.kinds(edge.block, parameter) if isinstance(parameter.type, Packet) else ()
                    )
                    arriving = {
                        path
                        for path in differing.get(argument, ())
                        if all(kind.has(FIELDS[path].header) for kind in kinds)
                    }
                    known = differing.get(parameter, frozenset())
                    if not arriving <= known:
                        differing[parameter] = known | arriving
                        is_changing = True
    return {
        parameter: tuple(sorted(differing[parameter], key=_RANKS.__getitem__))
        for name in flow.order
        for parameter in flow.blocks[name].parameters
        if differing.get(parameter)
    }
