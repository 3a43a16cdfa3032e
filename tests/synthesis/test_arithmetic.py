"""Folding and ranges, against every value of two small integers."""

import random
from typing import get_args

from synth.graph import nodes
from synth.graph.nodes import (
    Binary,
    BinaryOp,
    Bits,
    Block,
    Bool,
    Branch,
    ChainGraph,
    Constant,
    Deliver,
    Edge,
    Exit,
    Handler,
    Interface,
    Op,
    Packet,
    Resize,
    Type,
    Value,
)
from synth.graph.verify import verify
from synth.interpreter import Interpreter
from synth.synthesis import synthesize

SMALL, WIDE = Bits(3), Bits(5)
WORDS: tuple[BinaryOp, ...] = get_args(BinaryOp)
COMPARISONS: tuple[BinaryOp, ...] = (
    "eq",
    "ne",
    "lt",
    "le",
    "add_overflows",
    "sub_overflows",
    "mul_overflows",
)


class Maker:
    """Makes a row of tests, each on a random comparison; who passes one goes on, who fails shows a value."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0
        self.ops: list[Op] = []
        self.pool: dict[Type, list[Value]] = {SMALL: [], WIDE: [], Bool(): []}

    def value(self, of: Type) -> Value:
        self.count += 1
        return Value(self.count - 1, of)

    def add(self, make: type[Op], of: Type, **fields: object) -> Value:
        result = self.value(of)
        self.ops.append(make(results=(result,), **fields))  # type: ignore[arg-type]
        return result

    def constant(self, number: int, of: Type) -> Value:
        return self.add(Constant, of, value=number)

    def operand(self, of: Type) -> Value:
        if self.random.random() < 0.45:
            top = 1 if of == Bool() else 7
            return self.constant(self.random.choice((0, 1, 1, 2, 3, 5, top)) & top, of)
        recent = self.pool[of][-6:]
        return self.random.choice(recent)

    def compute(self) -> None:
        of = self.random.choice((SMALL, SMALL, WIDE))
        chance = self.random.random()
        if chance < 0.15:
            other = self.operand(WIDE if of == SMALL else SMALL)
            self.pool[of].append(self.add(Resize, of, operand=other))
        elif chance < 0.25:
            condition, then, otherwise = self.operand(Bool()), self.operand(of), self.operand(of)
            fields = {"condition": condition, "then": then, "otherwise": otherwise}
            self.pool[of].append(self.add(nodes.Select, of, **fields))
        else:
            word = self.random.choice(
                ("add", "sub", "sub", *(word for word in WORDS if word not in COMPARISONS))
            )
            self.pool[of].append(self.add(Binary, of, op=word, left=self.operand(of), right=self.operand(of)))

    def compare(self) -> Value:
        chance = self.random.random()
        if chance < 0.15 and len(self.pool[Bool()]) > 2:
            word = self.random.choice(("and", "or", "xor", "eq", "ne"))
            left, right = self.operand(Bool()), self.operand(Bool())
            found = self.add(Binary, Bool(), op=word, left=left, right=right)
        elif chance < 0.25:
            found = self.add(nodes.Unary, Bool(), op="not", operand=self.operand(Bool()))
        else:
            of = self.random.choice((SMALL, SMALL, WIDE))
            word = self.random.choice(("le", "lt", *COMPARISONS))
            found = self.add(Binary, Bool(), op=word, left=self.operand(of), right=self.operand(of))
        self.pool[Bool()].append(found)
        return found

    def graph(self, tests: int) -> ChainGraph:
        packet = self.value(Packet())
        source = self.add(nodes.Read, Bits(48), packet=packet, path="eth.src")
        shift = self.constant(3, Bits(48))
        upper = self.add(Binary, Bits(48), op="shr", left=source, right=shift)
        self.pool[SMALL] += [self.add(Resize, SMALL, operand=part) for part in (source, upper)]
        self.pool[WIDE].append(self.add(Resize, WIDE, operand=self.pool[SMALL][0]))
        self.pool[Bool()].append(self.constant(1, Bool()))
        blocks: list[Block] = []
        name, parameters = "a.in", (packet,)
        for number in range(tests):
            for _ in range(self.random.randrange(1, 4)):
                self.compute()
            condition = self.compare()
            ways = Edge(f"a.t{number}"), Edge(f"a.e{number}")
            ways = ways if self.random.random() < 0.5 else ways[::-1]
            end = Branch(condition=condition, then=ways[0], otherwise=ways[1])
            blocks.append(Block(name=name, parameters=parameters, operations=tuple(self.ops), terminator=end))
            self.ops = []
            blocks.append(self.leave(f"a.e{number}", packet))
            name, parameters = f"a.t{number}", ()
        blocks.append(self.leave(name, packet))
        graph = ChainGraph(
            name="arithmetic",
            interfaces=(Interface("lan", 2, (), "a.in"),),
            states=(),
            handlers=(Handler("a.in", "a", "in"),),
            blocks=tuple(blocks),
            drops=(),
        )
        verify(graph)
        return graph

    def leave(self, name: str, packet: Value) -> Block:
        """A block that shows where a packet came to, and one of the values."""
        kept, self.ops = self.ops, []
        shown = self.add(Resize, Bits(48), operand=self.random.choice(self.pool[WIDE]))
        place = self.constant(int(name[3:] + str(len(name))), Bits(48))
        first = self.add(nodes.Write, Packet(), packet=packet, path="eth.src", value=shown)
        second = self.add(nodes.Write, Packet(), packet=first, path="eth.dst", value=place)
        block = Block(
            name=name,
            parameters=(),
            operations=tuple(self.ops),
            terminator=Deliver(emissions=(Exit("lan", second),)),
        )
        self.ops = kept
        return block


def test_every_value_takes_the_same_way_and_gives_the_same_result(full: bool):
    for seed in range(5000 if full else 150):
        graph = Maker(seed).graph(8)
        result = synthesize(graph).graph
        before, after = Interpreter(graph), Interpreter(result)
        for number in range(64):
            frame = bytes(6) + number.to_bytes(6, "big") + b"\x88\xb5" + bytes(46)
            assert after.receive("lan", frame, 0) == before.receive("lan", frame, 0), (seed, number)
