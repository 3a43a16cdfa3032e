"""Random well-formed graphs, as unlike real chains as they may be: to find passes that change a meaning.

Every handler tests, reads, writes, computes and keeps state at random; handlers deliver to later ones,
or, in half of the graphs, to any, with visit budgets.
"""

import random
from dataclasses import dataclass, field, replace

from synth.graph import nodes
from synth.graph.nodes import (
    Bits,
    Block,
    Bool,
    Branch,
    ChainGraph,
    Column,
    Deliver,
    Edge,
    Exit,
    Handler,
    Interface,
    Jump,
    KeyedTable,
    Op,
    Packet,
    Terminator,
    Type,
    Value,
)
from synth.graph.verify import verify
from synth.graph.walk import drop_names, entries, reachable
from synth.language.values import (
    PrefixValue,
    RangeValue,
    RouteTableValue,
    RouteValue,
    RuleSetValue,
    RuleValue,
)
from synth.net.fields import FIELDS
from synth.net.kinds import HEADERS, UNIVERSE, Kind

ALL = PrefixValue(0, 0)
PORTS = RangeValue(0, 65535)
STATES: tuple[nodes.StateObject, ...] = (
    KeyedTable(
        name="s.flows",
        key=(Column("src", 32), Column("low", 8)),
        unique=(Column("port", 16),),
        values=(Column("seen", 8), Column("flag", 1, is_bool=True)),
        timers=(("idle", 40_000_000), ("short", 5_000_000)),
        capacity=6,
    ),
    nodes.Vector(name="s.turn", columns=(Column("count", 8),), size=4, initial=(250,)),
    nodes.Counter(name="s.count"),
    nodes.RuleTable(
        name="s.rules",
        rules=RuleSetValue(
            (
                RuleValue(False, ALL, ALL, 6, 255, RangeValue(0, 1000), PORTS, 0, 0),
                RuleValue(True, PrefixValue(0x0A000000, 27), ALL, 0, 0, PORTS, PORTS, 0, 0),
                RuleValue(False, ALL, ALL, 6, 255, PORTS, PORTS, 0x0200, 0x0200),
            )
        ),
    ),
    nodes.RouteTable(
        name="s.routes",
        columns=(Column("side", 8), Column("mac", 48)),
        routes=RouteTableValue(
            (
                RouteValue(PrefixValue(0x0A000000, 28), (0, 1)),
                RouteValue(PrefixValue(0x0A000000, 8), (1, 2)),
                RouteValue(PrefixValue(0, 1), None),
                RouteValue(ALL, (2, 3)),
            )
        ),
    ),
)
WRITABLE = [path for path, field in FIELDS.items() if field.is_writable]
POPULAR = ["ipv4.ttl", "ipv4.src", "ipv4.dst", "l4.sport", "l4.dport", "eth.src", "ipv4.df", "tcp.syn"]


@dataclass
class Scope:
    """What a piece of code may use: scalars, live entries, packets, and what the packet can be."""

    packet: Value
    kinds: frozenset[Kind]
    scalars: list[Value] = field(default_factory=list)
    entries: list[Value] = field(default_factory=list)
    packets: list[Value] = field(default_factory=list)

    def copy(self, kinds: frozenset[Kind] | None = None) -> "Scope":
        return Scope(
            self.packet,
            self.kinds if kinds is None else kinds,
            list(self.scalars),
            list(self.entries),
            list(self.packets),
        )


class Maker:
    def __init__(self, seed: int, handlers: int, size: int) -> None:
        self.random = random.Random(seed)
        self.is_cyclic = self.random.random() < 0.5
        self.size = size
        self.next_id = 0
        self.blocks: list[Block] = []
        self.names = [f"nf{number}.in" for number in range(handlers)]

    def value(self, of: Type) -> Value:
        self.next_id += 1
        return Value(self.next_id - 1, of)

    def graph(self) -> ChainGraph:
        for number, name in enumerate(self.names):
            self.number, self.parts = number, 0
            packet = self.value(Packet())
            scope = Scope(packet, UNIVERSE, packets=[packet])
            self.code(name, (packet,), [], scope, self.size)
        interfaces = (
            Interface("lan", 0x020000000001, ((0x0A000001, 8),), self.names[0]),
            Interface("wan", 0x020000000002, (), self.names[1]),
        )
        budgets = [
            self.random.choice((1, 1, 2)) if self.is_cyclic and number > 1 else None
            for number in range(len(self.names))
        ]
        handlers = tuple(
            Handler(name, name.split(".")[0], "in", budget)
            for name, budget in zip(self.names, budgets, strict=True)
        )
        graph = ChainGraph(
            name="random",
            interfaces=interfaces,
            states=STATES,
            handlers=handlers,
            blocks=tuple(self.blocks),
            drops=(),
        )
        found = reachable(graph.blocks, entries(graph))
        graph = replace(
            graph,
            blocks=tuple(block for block in graph.blocks if block.name in found),
            handlers=tuple(handler for handler in handlers if handler.block in found),
        )
        graph = replace(graph, drops=drop_names(graph.handlers, graph.blocks))
        verify(graph)
        return graph

    # ------------------------------------------------------------ code

    def part(self) -> str:
        self.parts += 1
        return f"nf{self.number}.in.b{self.parts}"

    def end(
        self, name: str, parameters: tuple[Value, ...], operations: list[Op], terminator: Terminator
    ) -> None:
        self.blocks.append(
            Block(name=name, parameters=parameters, operations=tuple(operations), terminator=terminator)
        )

    def code(self, name: str, parameters: tuple[Value, ...], ops: list[Op], scope: Scope, size: int) -> None:
        """Make the block and all that follows it."""
        while size > 0:
            size -= 1
            chance = self.random.random()
            if chance < 0.14:
                self.test_kind(name, parameters, ops, scope, size)
                return
            if chance < 0.26:
                self.test_value(name, parameters, ops, scope, size)
                return
            if chance < 0.36 and len(scope.entries) < 2:
                self.find(name, parameters, ops, scope, size)
                return
            self.statement(ops, scope)
        self.end(name, parameters, ops, self.deliver(scope))

    def deliver(self, scope: Scope) -> Terminator:
        chance = self.random.random()
        drop = f"nf{self.number}.{self.random.choice(('denied', 'full'))}"
        if chance < 0.06:
            return Deliver(emissions=(), drop=drop)
        count = 1 if chance < 0.85 else self.random.randrange(1, 4)
        emissions = tuple(self.emission(scope) for _ in range(count))
        return Deliver(emissions=emissions, drop=drop if chance > 0.95 else None)

    def emission(self, scope: Scope) -> Exit | Edge:
        packet = scope.packet if self.random.random() < 0.8 else self.random.choice(scope.packets)
        low = 2 if self.is_cyclic else max(2, self.number + 1)
        if low < len(self.names) and self.random.random() < 0.75:
            return Edge(self.random.choice(self.names[low:]), (packet,))
        return Exit(self.random.choice(("lan", "wan")), packet)

    def fork(
        self,
        name: str,
        parameters: tuple[Value, ...],
        ops: list[Op],
        condition: Value,
        scopes: tuple[Scope, Scope],
        size: int,
    ) -> None:
        """Branch; the two ways go apart for good, or come together with a packet and scalars."""
        first, second = self.part(), self.part()
        self.end(name, parameters, ops, Branch(condition=condition, then=Edge(first), otherwise=Edge(second)))
        if self.random.random() < 0.45:
            for way, scope in zip((first, second), scopes, strict=True):
                self.code(way, (), [], scope, size * 2 // 3)
            return
        join, outer = self.part(), scopes[0].copy(scopes[0].kinds | scopes[1].kinds)
        packet, number, truth = self.value(Packet()), self.value(Bits(8)), self.value(Bool())
        for way, scope in zip((first, second), scopes, strict=True):
            own: list[Op] = []
            for _ in range(self.random.randrange(3)):
                self.statement(own, scope)
            arguments = (scope.packet, self.scalar(own, scope, Bits(8)), self.scalar(own, scope, Bool()))
            self.end(way, (), own, Jump(to=Edge(join, arguments)))
        outer.packet = packet
        outer.packets.append(packet)
        outer.scalars = [value for value in outer.scalars if value in self.before] + [number, truth]
        outer.entries = [value for value in outer.entries if value in self.before]
        outer.packets = [value for value in outer.packets if value in self.before or value == packet]
        self.code(join, (packet, number, truth), [], outer, size)

    def remember(self, scope: Scope) -> None:
        self.before = {*scope.scalars, *scope.entries, *scope.packets}

    def test_kind(self, name, parameters, ops, scope, size) -> None:
        header = self.random.choice((*HEADERS, *("ipv4", "l4", "tcp") * 6))
        condition = self.value(Bool())
        ops.append(nodes.Has(packet=scope.packet, header=header, results=(condition,)))
        kinds = frozenset(kind for kind in scope.kinds if kind.has(header))
        others = scope.kinds - kinds
        scope.scalars.append(condition)
        self.remember(scope)
        # An impossible way keeps the kinds: nothing is read there that was not readable before.
        scopes = scope.copy(kinds or scope.kinds), scope.copy(others or scope.kinds)
        self.fork(name, parameters, ops, condition, scopes, size)

    def test_value(self, name, parameters, ops, scope, size) -> None:
        condition = self.scalar(ops, scope, Bool())
        self.remember(scope)
        self.fork(name, parameters, ops, condition, (scope.copy(), scope.copy()), size)

    def find(self, name, parameters, ops, scope, size) -> None:
        """A lookup, an insertion where it misses, and the entry on both ways."""
        key = self.scalar(ops, scope, Bits(32)), self.scalar(ops, scope, Bits(8))
        entry_type = nodes.Entry("s.flows")
        found, entry = self.value(Bool()), self.value(entry_type)
        if self.random.random() < 0.3:
            port = self.scalar(ops, scope, Bits(16))
            ops.append(nodes.Find(table="s.flows", index="unique", key=(port,), results=(found, entry)))
        else:
            ops.append(nodes.Find(table="s.flows", index="key", key=key, results=(found, entry)))
        miss, full, with_entry = self.part(), self.part(), self.part()
        self.end(
            name,
            parameters,
            ops,
            Branch(condition=found, then=Edge(with_entry, (entry,)), otherwise=Edge(miss)),
        )
        own: list[Op] = []
        done, made, joined = self.value(Bool()), self.value(entry_type), self.value(entry_type)
        values = self.scalar(own, scope.copy(), Bits(8)), self.scalar(own, scope.copy(), Bool())
        own.append(
            nodes.Insert(
                table="s.flows",
                key=key,
                unique=(None,),
                values=values,
                choose=(0, 1000, 1007),
                results=(done, made),
            )
        )
        self.end(miss, (), own, Branch(condition=done, then=Edge(with_entry, (made,)), otherwise=Edge(full)))
        self.code(full, (), [], scope.copy(), size // 3)
        scope.entries.append(joined)
        self.code(with_entry, (joined,), [], scope, size)

    # ------------------------------------------------------------ statements

    def statement(self, ops: list[Op], scope: Scope) -> None:
        chance = self.random.random()
        if scope.entries and chance < 0.35:
            self.use_entry(ops, scope)
        elif chance < 0.5:
            self.write(ops, scope)
        elif chance < 0.6:
            scope.scalars.append(self.computed(ops, scope, self.random.choice((Bits(8), Bool(), Bits(32)))))
        elif chance < 0.65:
            ops.append(
                nodes.Count(
                    counter="s.count",
                    amount=self.constant(ops, Bits(64), self.random.randrange(9)),
                    results=(),
                )
            )
        elif chance < 0.85:
            self.use_vector(ops, scope)
        else:
            self.look_up(ops, scope)

    def write(self, ops: list[Op], scope: Scope) -> None:
        paths = [
            path
            for path in (*WRITABLE, *POPULAR * 4)
            if all(kind.has(FIELDS[path].header) for kind in scope.kinds)
        ]
        path = self.random.choice(paths)
        of: Type = Bool() if FIELDS[path].kind == "bool" else Bits(FIELDS[path].width)
        if self.random.random() < 0.25:
            value = self.value(of)
            ops.append(nodes.Read(packet=self.random.choice(scope.packets[:1]), path=path, results=(value,)))
        else:
            value = self.scalar(ops, scope, of)
        result = self.value(Packet())
        ops.append(nodes.Write(packet=scope.packet, path=path, value=value, results=(result,)))
        scope.packet = result
        scope.packets.append(result)

    def show(self, value: Value, ops: list[Op], scope: Scope) -> None:
        """Add a value to a field that every frame has, so that it can be seen from outside."""
        old, wide, new, packet = (self.value(of) for of in (Bits(48), Bits(48), Bits(48), Packet()))
        ops.append(nodes.Read(packet=scope.packet, path="eth.dst", results=(old,)))
        ops.append(nodes.Resize(operand=value, results=(wide,)))
        ops.append(nodes.Binary(op="add", left=old, right=wide, results=(new,)))
        ops.append(nodes.Write(packet=scope.packet, path="eth.dst", value=new, results=(packet,)))
        scope.packet = packet
        scope.packets.append(packet)

    def use_vector(self, ops: list[Op], scope: Scope) -> None:
        index, count = self.constant(ops, Bits(8), self.random.randrange(4)), self.value(Bits(8))
        if self.random.random() < 0.5:
            ops.append(nodes.VectorRead(vector="s.turn", index=index, results=(count,)))
            scope.scalars.append(count)
            self.show(count, ops, scope)
        else:
            ops.append(
                nodes.VectorWrite(
                    vector="s.turn", index=index, values=(self.scalar(ops, scope, Bits(8)),), results=()
                )
            )

    def look_up(self, ops: list[Op], scope: Scope) -> None:
        is_ipv4 = all(kind.has("ipv4") for kind in scope.kinds)
        if is_ipv4 and self.random.random() < 0.5:
            matched, permits, rule = self.value(Bool()), self.value(Bool()), self.value(Bits(32))
            ops.append(
                nodes.RulesDecide(rules="s.rules", packet=scope.packet, results=(matched, permits, rule))
            )
            scope.scalars += [matched, permits]
            return
        address = self.scalar(ops, scope, Bits(32))
        found, side, mac = self.value(Bool()), self.value(Bits(8)), self.value(Bits(48))
        ops.append(nodes.RoutesLookup(routes="s.routes", address=address, results=(found, side, mac)))
        scope.scalars += [found, side, mac]

    def use_entry(self, ops: list[Op], scope: Scope) -> None:
        entry, chance = self.random.choice(scope.entries), self.random.random()
        if chance < 0.4:
            column, of = self.random.choice(
                [("src", Bits(32)), ("port", Bits(16)), *[("seen", Bits(8))] * 3, ("flag", Bool())]
            )
            result = self.value(of)
            ops.append(nodes.EntryRead(table="s.flows", entry=entry, column=column, results=(result,)))
            scope.scalars.append(result)
            self.show(result, ops, scope)
        elif chance < 0.75:
            value = self.scalar(ops, scope, Bits(8))
            ops.append(nodes.EntryWrite(table="s.flows", entry=entry, column="seen", value=value, results=()))
        else:
            timer = self.random.choice(("idle", "short"))
            ops.append(nodes.Touch(table="s.flows", entry=entry, timer=timer, results=()))

    # ------------------------------------------------------------ scalars

    def constant(self, ops: list[Op], of: Type, number: int) -> Value:
        result = self.value(of)
        ops.append(nodes.Constant(value=number, results=(result,)))
        return result

    def scalar(self, ops: list[Op], scope: Scope, of: Type) -> Value:
        known = [value for value in scope.scalars if value.type == of]
        chance = self.random.random()
        if known and chance < 0.5:
            return self.random.choice(known)
        paths = [
            path
            for path in (*FIELDS, *POPULAR * 6)
            if all(kind.has(FIELDS[path].header) for kind in scope.kinds)
            and (Bool() if FIELDS[path].kind == "bool" else Bits(FIELDS[path].width)) == of
        ]
        if paths and chance < 0.75:
            result = self.value(of)
            packet = scope.packet if self.random.random() < 0.8 else scope.packets[0]
            ops.append(nodes.Read(packet=packet, path=self.random.choice(paths), results=(result,)))
            scope.scalars.append(result)
            return result
        if chance > 0.9 or (isinstance(of, Bool) and chance > 0.6):
            return self.computed(ops, scope, of)
        top = 1 if isinstance(of, Bool) else (1 << of.width) - 1
        return self.constant(
            ops, of, min(top, self.random.choice((0, 1, 1, 2, 3, 10, 63, 64, 0x0A000003, top)))
        )

    def computed(self, ops: list[Op], scope: Scope, of: Type) -> Value:
        result, pick = self.value(of), self.random.choice
        if self.random.random() < 0.1:
            parts = self.scalar(ops, scope, Bool()), self.scalar(ops, scope, of), self.scalar(ops, scope, of)
            ops.append(nodes.Select(condition=parts[0], then=parts[1], otherwise=parts[2], results=(result,)))
        elif isinstance(of, Bool) and self.random.random() < 0.15:
            ops.append(nodes.Unary(op="not", operand=self.scalar(ops, scope, of), results=(result,)))
        elif isinstance(of, Bool):
            operand = pick((Bits(8), Bits(8), Bits(16), Bits(32), Bool()))
            truths = ("and", "or", "xor", "eq", "ne")
            word = pick(
                truths
                if operand == Bool()
                else ("eq", "ne", "lt", "le", "le", "add_overflows", "sub_overflows", "mul_overflows")
            )
            left, right = self.scalar(ops, scope, operand), self.scalar(ops, scope, operand)
            ops.append(nodes.Binary(op=word, left=left, right=right, results=(result,)))
        elif self.random.random() < 0.2:
            source = pick((Bits(8), Bits(16), Bits(32), Bool()))
            ops.append(nodes.Resize(operand=self.scalar(ops, scope, source), results=(result,)))
        else:
            # IPv6 addresses are masked and compared, and not computed with.
            is_wide = isinstance(of, Bits) and of.width > 64
            arithmetic = () if is_wide else ("add", "sub", "sub", "mul", "div", "rem", "shl", "shr")
            word = pick((*arithmetic, "and", "or", "xor"))
            left, right = self.scalar(ops, scope, of), self.scalar(ops, scope, of)
            ops.append(nodes.Binary(op=word, left=left, right=right, results=(result,)))
        return result


def random_graph(seed: int, handlers: int = 5, size: int = 14) -> ChainGraph:
    """Return a graph for a seed, well formed."""
    return Maker(seed, handlers, size).graph()
