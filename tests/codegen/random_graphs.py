"""Random graphs: any acyclic control flow, all operations, packets that part and come together.

They are not what lowering makes: joins cross, values live long, packets are written in one arm and
used unchanged in the other. All traffic for them is TCP over IPv4, so every field is there.
"""

import random
from typing import get_args

from synth.graph.nodes import (
    Binary,
    BinaryOp,
    Bits,
    Block,
    Bool,
    Branch,
    BucketTake,
    ChainGraph,
    Column,
    Constant,
    Count,
    Counter,
    Deliver,
    Edge,
    Entry,
    EntryRead,
    EntryWrite,
    Exit,
    Find,
    Handler,
    Has,
    Hash,
    Insert,
    Interface,
    Jump,
    KeyedTable,
    Length,
    ListFind,
    ListRead,
    ListTable,
    Op,
    Packet,
    Read,
    Resize,
    Ring,
    RingPick,
    Select,
    Sketch,
    SketchAdd,
    SketchEstimate,
    TokenBucket,
    Touch,
    Type,
    Unary,
    Value,
    Vector,
    VectorRead,
    VectorWrite,
    Write,
)
from synth.graph.walk import drop_names
from synth.net.fields import FIELDS
from synth.traffic.frames import TCP, Frame
from synth.traffic.random_traffic import SECOND, Arrival

WIDTHS = (1, 7, 8, 12, 16, 24, 32, 48, 64)
READABLE = [path for path, field in FIELDS.items() if field.header in ("eth", "ipv4", "l4", "tcp")]
WRITABLE = [path for path in READABLE if FIELDS[path].is_writable]

STATES = (
    KeyedTable(
        name="t.table",
        key=(Column("a", 16), Column("b", 8)),
        unique=(Column("c", 8), Column("d", 12)),
        values=(Column("e", 7), Column("f", 1, is_bool=True)),
        timers=(("short", 2 * SECOND), ("long", 9 * SECOND)),
        capacity=6,
    ),
    Vector(name="t.vector", columns=(Column("x", 16), Column("y", 1, is_bool=True)), size=4, initial=(7, 1)),
    Counter(name="t.counter"),
    TokenBucket(name="t.bucket", rate=4000, burst=200),
    Sketch(name="t.sketch", key=(Column("k", 12),), rows=2, columns=3),
    ListTable(
        name="t.list", columns=(Column("p", 32), Column("q", 8)), rows=((1, 2), (0xFFFFFFFF, 4), (5, 6))
    ),
    Ring(name="t.ring", list="t.list", slots=(2, 0, 1, 1, 2)),
)


class Maker:
    """Makes the blocks of one handler."""

    def __init__(self, source: random.Random, first_id: int, name: str, targets: list[str]) -> None:
        self.random = source
        self.name = name
        self.targets = targets
        self.next_id = first_id
        self.usable: dict[Value, str] = {}

    def value(self, of: Type) -> Value:
        self.next_id += 1
        return Value(self.next_id, of, self.random.choice(("", "x", "flow", "int", "packet", "state")))

    def blocks(self, size: int) -> list[Block]:
        names = [self.name] + [f"{self.name}.b{number}" for number in range(1, size)]
        successors = self._successors(names)
        dominators = _dominators(names, successors)
        single = {to for to in names if sum(row.count(to) for row in successors.values()) == 1}
        parameters = {
            name: (self.value(Packet()),) if name == self.name else self._parameters() for name in names
        }
        scopes: dict[str, list[Value]] = {}
        operations: dict[str, list[Op]] = {}
        conditions: dict[str, Value] = {}
        for name in names:
            above = [value for other in dominators[name] if other != name for value in scopes[other]]
            scopes[name] = list(parameters[name])
            operations[name] = []
            inherited = above
            for _ in range(self.random.randrange(1, 9)):
                self._operation(operations[name], scopes[name], inherited, dominators[name])
            if len(successors[name]) == 2:
                then = successors[name][0] if successors[name][0] in single else None
                conditions[name] = self._condition(operations[name], scopes[name], inherited, then)
        ends = {
            name: self._terminator(
                name, successors[name], dominators, scopes, parameters, operations, conditions
            )
            for name in names
        }
        return [
            Block(
                name=name,
                parameters=parameters[name],
                operations=tuple(operations[name]),
                terminator=ends[name],
            )
            for name in names
        ]

    def _successors(self, names: list[str]) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {name: [] for name in names}
        for number, name in enumerate(names[1:], start=1):
            free = [before for before in names[:number] if len(found[before]) < 2]
            found[self.random.choice(free[-4:])].append(name)
        for number, name in enumerate(names):
            later = names[number + 1 :]
            if len(found[name]) == 1 and later and self.random.random() < 0.6:
                found[name].append(self.random.choice(later))
                self.random.shuffle(found[name])
        return found

    def _parameters(self) -> tuple[Value, ...]:
        types: list[Type] = [Packet(), Bool(), Bits(16), Bits(32), Bits(48)]
        return tuple(self.value(self.random.choice(types)) for _ in range(self.random.randrange(3)))

    def _pick(self, operations: list[Op], own: list[Value], above: list[Value], of: Type) -> Value:
        fitting = [value for value in own + above if value.type == of]
        if fitting and self.random.random() < 0.85:
            return self.random.choice(fitting[-12:])
        if isinstance(of, Packet):
            return self.random.choice(fitting)
        result = self.value(of)
        most = 1 if isinstance(of, Bool) else (1 << of.width) - 1  # type: ignore[union-attr]
        constant = self.random.choice((0, 1, most, self.random.randrange(most + 1)))
        operations.append(Constant(results=(result,), value=constant))
        own.append(result)
        return result

    def _scalar(self) -> Type:
        types: list[Type] = [Bool(), *(Bits(width) for width in WIDTHS)]
        return self.random.choice(types)

    def _operation(self, ops: list[Op], own: list[Value], above: list[Value], dominators: list[str]) -> None:
        def pick(of: Type) -> Value:
            return self._pick(ops, own, above, of)

        def make(kind: type[Op], *types: Type, **fields: object) -> None:
            results = tuple(self.value(of) for of in types)
            ops.append(kind(results=results, **fields))  # type: ignore[arg-type]
            own.extend(results)

        of, width = self._scalar(), Bits(self.random.choice(WIDTHS))
        entries = [value for value, home in self.usable.items() if home in dominators]
        match self.random.randrange(20):
            case 0 | 1 | 2 | 3:
                op = self.random.choice(get_args(BinaryOp))
                if op in ("and", "or", "xor", "eq", "ne") and self.random.random() < 0.4:
                    width = Bool()  # type: ignore[assignment]
                is_truth = op in ("eq", "ne", "lt", "le") or op.endswith("overflows")
                make(Binary, Bool() if is_truth else width, op=op, left=pick(width), right=pick(width))
            case 4:
                make(Unary, width, op="complement", operand=pick(width))
            case 5:
                make(Unary, Bool(), op="not", operand=pick(Bool()))
            case 6:
                make(Select, of, condition=pick(Bool()), then=pick(of), otherwise=pick(of))
            case 7:
                make(Resize, width, operand=pick(of))
            case 8:
                make(Hash, Bits(32), operands=tuple(pick(self._scalar()) for _ in range(3)))
            case 9:
                make(Has, Bool(), packet=pick(Packet()), header=self.random.choice(("tcp", "udp", "vlan")))
            case 10 | 11:
                path = self.random.choice(READABLE)
                make(Read, _field_type(path), packet=pick(Packet()), path=path)
            case 12 | 13 | 14:
                path = self.random.choice(WRITABLE)
                make(Write, Packet(), packet=pick(Packet()), path=path, value=pick(_field_type(path)))
            case 15:
                make(Length, Bits(32), packet=pick(Packet()))
            case 16:
                index = self._masked(ops, own, above)
                if self.random.random() < 0.5:
                    make(VectorRead, Bits(16), Bool(), vector="t.vector", index=index)
                else:
                    make(VectorWrite, vector="t.vector", index=index, values=(pick(Bits(16)), pick(Bool())))
            case 17:
                if self.random.random() < 0.5:
                    make(BucketTake, Bool(), bucket="t.bucket", amount=self._resized(ops, own, pick(Bits(7))))
                else:
                    make(Count, counter="t.counter", amount=pick(Bits(64)))
            case 18:
                if self.random.random() < 0.5:
                    make(SketchAdd, sketch="t.sketch", key=(pick(Bits(12)),), amount=pick(Bits(64)))
                else:
                    make(SketchEstimate, Bits(32), sketch="t.sketch", key=(pick(Bits(12)),))
            case _ if entries and self.random.random() < 0.7:
                entry = self.random.choice(entries)
                match self.random.randrange(4):
                    case 0:
                        make(Touch, table="t.table", entry=entry, timer=self.random.choice(("short", "long")))
                    case 1:
                        make(EntryWrite, table="t.table", entry=entry, column="e", value=pick(Bits(7)))
                    case 2:
                        make(EntryRead, Bits(7), table="t.table", entry=entry, column="e")
                    case _:
                        make(EntryRead, Bits(8), table="t.table", entry=entry, column="c")
            case _:
                if self.random.random() < 0.3:
                    make(ListFind, Bool(), Bits(32), Bits(8), list="t.list", column=1, value=pick(Bits(8)))
                elif self.random.random() < 0.5:
                    make(ListRead, Bool(), Bits(32), Bits(8), list="t.list", index=pick(Bits(7)))
                else:
                    make(RingPick, Bits(32), Bits(8), ring="t.ring", hash=pick(Bits(32)))

    def _masked(self, ops: list[Op], own: list[Value], above: list[Value]) -> Value:
        three, result = self.value(Bits(8)), self.value(Bits(8))
        ops.append(Constant(results=(three,), value=3))
        ops.append(
            Binary(results=(result,), op="and", left=self._pick(ops, own, above, Bits(8)), right=three)
        )
        own.append(result)
        return result

    def _resized(self, ops: list[Op], own: list[Value], value: Value) -> Value:
        result = self.value(Bits(64))
        ops.append(Resize(results=(result,), operand=value))
        own.append(result)
        return result

    def _condition(self, ops: list[Op], own: list[Value], above: list[Value], then: str | None) -> Value:
        if then is None or self.random.random() < 0.4:
            return self._pick(ops, own, above, Bool())

        def pick(width: int) -> Value:
            return self._pick(ops, own, above, Bits(width))

        found, entry = self.value(Bool()), self.value(Entry("t.table"))
        key, unique = (pick(16), pick(8)), (pick(8), pick(12))
        values = (pick(7), self._pick(ops, own, above, Bool()))
        match self.random.randrange(4):
            case 0:
                ops.append(Find(results=(found, entry), table="t.table", index="key", key=key))
            case 1:
                ops.append(Find(results=(found, entry), table="t.table", index="unique", key=unique))
            case 2:
                ops.append(
                    Insert(results=(found, entry), table="t.table", key=key, unique=unique, values=values)
                )
            case _:
                ops.append(
                    Insert(
                        results=(found, entry),
                        table="t.table",
                        key=key,
                        unique=(None, unique[1]),
                        values=values,
                        choose=(0, 3, 9),
                    )
                )
        self.usable[entry] = then
        own.append(found)
        return found

    def _terminator(
        self,
        name: str,
        successors: list[str],
        dominators: dict[str, list[str]],
        scopes: dict[str, list[Value]],
        parameters: dict[str, tuple[Value, ...]],
        operations: dict[str, list[Op]],
        conditions: dict[str, Value],
    ) -> Jump | Branch | Deliver:
        own = scopes[name]
        above = [value for other in dominators[name] if other != name for value in scopes[other]]

        def edge(to: str) -> Edge:
            return Edge(
                to, tuple(self._pick(operations[name], own, above, one.type) for one in parameters[to])
            )

        match successors:
            case [one]:
                return Jump(to=edge(one))
            case [one, two]:
                return Branch(condition=conditions[name], then=edge(one), otherwise=edge(two))
            case _:
                return self._deliver(own + above)

    def _deliver(self, values: list[Value]) -> Deliver:
        packets = [value for value in values if isinstance(value.type, Packet)]
        count = self.random.choice((0, 1, 1, 1, 2, 3))
        emissions: list[Exit | Edge] = []
        for _ in range(count):
            target, packet = self.random.choice(self.targets), self.random.choice(packets)
            emissions.append(Edge(target, (packet,)) if "." in target else Exit(target, packet))
        is_drop = count == 0 or self.random.random() < 0.2
        return Deliver(emissions=tuple(emissions), drop=f"{self.name}_gone" if is_drop else None)


def random_graph(seed: int) -> ChainGraph:
    """Return a random graph of two NFs; the second may send back to the first, within a budget."""
    source = random.Random(seed)
    is_cyclic = source.random() < 0.4
    first = Maker(source, 0, "m.in", ["a", "b", "n.in"])
    blocks = first.blocks(source.randrange(1, 14))
    second = Maker(source, 100_000, "n.in", ["a", "b", *(["m.in"] if is_cyclic else [])])
    blocks += second.blocks(source.randrange(1, 10))
    budget = 2 if is_cyclic else None
    handlers = (Handler("m.in", "m", "in", budget), Handler("n.in", "n", "in", budget))
    return ChainGraph(
        name=f"random_{seed}",
        interfaces=(Interface("a", 1, (), "m.in"), Interface("b", 2, (), "n.in")),
        states=STATES,
        handlers=handlers,
        blocks=tuple(blocks),
        drops=drop_names(handlers, blocks),
    )


def tcp_arrivals(seed: int, count: int) -> list[Arrival]:
    """Return TCP frames in few flows, with now and then a jump in time."""
    source = random.Random(seed)
    now, arrivals = 5 * SECOND, []
    for _ in range(count):
        now += source.choice((0, 1, 1000, SECOND // 4, 3 * SECOND))
        frame = Frame(
            source.choice((1, 0x0A000001, 0xFFFFFFFF)), source.choice((2, 0xC0000201)), TCP,
            source.choice((1, 80, 65535)), source.choice((1, 443)), source.choice((0, 1, 64, 255)),
            source.randrange(256), payload=bytes(source.randrange(20)),
            eth_dst=source.choice((1, 0x0200_0000_0001)),
        )  # fmt: skip
        arrivals.append(Arrival(source.choice("ab"), now, frame.encode()))
    return arrivals


def _field_type(path: str) -> Type:
    field = FIELDS[path]
    return Bool() if field.kind == "bool" else Bits(field.width)


def _dominators(names: list[str], successors: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return the dominators of each block, outermost first. Blocks come in topological order."""
    found: dict[str, list[str]] = {names[0]: [names[0]]}
    for name in names[1:]:
        before = [other for other in names if name in successors[other]]
        shared = [one for one in found[before[0]] if all(one in found[other] for other in before)]
        found[name] = [*shared, name]
    return found
