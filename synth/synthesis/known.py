"""What is known of values in a block: the kinds of packets, and a range for each scalar.

A range is (least, greatest). Ranges follow from a value's definition and from the branches that dominate
the block: behind `ttl <= 1` that was false, `ttl` is at least 2 and `ttl - 1` at least 1.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from synth.graph.nodes import (
    Binary,
    BinaryOp,
    Bits,
    Bool,
    Branch,
    ChainGraph,
    Constant,
    Has,
    Op,
    Resize,
    Select,
    Type,
    Unary,
    Value,
    Write,
)
from synth.graph.presence import Presence, find_presence
from synth.synthesis.ssa import Flow, find_flow, producers_of

Range = tuple[int, int]
Ranges = Mapping[Value, Range]

DEPTH = 12
"""How far definitions are followed: deeper expressions count as unknown, which is sound."""


def full_range(of: Type) -> Range:
    """Return the range of a type. Packets and entries have none that means anything."""
    match of:
        case Bits(width):
            return 0, (1 << width) - 1
        case _:
            return 0, 1


@dataclass(frozen=True, slots=True)
class Scope:
    """What is known at one place: `ranges` of values as tests left them, beside what definitions say.

    `alias` says what a value stands for there: an edge's argument for a block's parameter.
    """

    ranges: dict[Value, Range]
    producers: Mapping[Value, Op]
    has: Callable[[Has], bool | None]
    alias: Mapping[Value, Value]

    def constant(self, value: Value) -> int | None:
        """Return what a value is, if only one value is possible."""
        if not isinstance(value.type, Bits | Bool):
            return None
        least, greatest = self.range(value)
        return least if least == greatest else None

    def range(self, value: Value, depth: int = DEPTH) -> Range:
        """Return the range of a scalar."""
        value = self.alias.get(value, value)
        known = self.ranges.get(value)
        derived = self._derived(value, depth)
        return derived if known is None else _both(known, derived)

    def _derived(self, value: Value, depth: int) -> Range:
        op = self.producers.get(value)
        return full_range(value.type) if op is None or depth == 0 else self.range_of(op, depth, value.type)

    def range_of(self, op: Op, depth: int, of: Type) -> Range:
        """Return the range of an operation's result of a type, by its operands alone."""
        match op:
            case Constant(value=number):
                return number, number
            case Has():
                answer = self.has(op)
                return (0, 1) if answer is None else (int(answer), int(answer))
            case Unary(op="not", operand=operand):
                low, high = self.range(operand, depth - 1)
                return 1 - high, 1 - low
            case Binary(left=left, right=right):
                one, other = self.range(left, depth - 1), self.range(right, depth - 1)
                is_same = self.alias.get(left, left) == self.alias.get(right, right)
                return _binary(op.op, one, other, full_range(left.type)[1], is_same=is_same)
            case Select(condition=condition, then=then, otherwise=otherwise):
                return self._select(condition, then, otherwise, depth)
            case Resize(operand=operand):
                low, high = self.range(operand, depth - 1)
                full = full_range(of)
                return (low, high) if high <= full[1] else full
            case _:
                return full_range(of)

    def _select(self, condition: Value, then: Value, otherwise: Value, depth: int) -> Range:
        if not isinstance(then.type, Bits | Bool):
            return 0, 1
        decided = self.range(condition, depth - 1)
        if decided == (1, 1):
            return self.range(then, depth - 1)
        if decided == (0, 0):
            return self.range(otherwise, depth - 1)
        one, other = self.range(then, depth - 1), self.range(otherwise, depth - 1)
        return min(one[0], other[0]), max(one[1], other[1])

    def learn(self, condition: Value, *, holds: bool) -> None:
        """Take note that a truth value is known."""
        self._narrow(condition, (int(holds), int(holds)))
        match self.producers.get(condition):
            case Unary(op="not", operand=operand):
                self.learn(operand, holds=not holds)
            case Binary(op="and", left=Value(type=Bool()) as left, right=right):
                self._learn_parts(left, right, holds=holds, decisive=False)
            case Binary(op="or", left=Value(type=Bool()) as left, right=right):
                self._learn_parts(left, right, holds=holds, decisive=True)
            case Binary(op=op, left=left, right=right):
                self._learn_comparison(op, left, right, holds=holds)
            case _:
                pass

    def _learn_parts(self, left: Value, right: Value, *, holds: bool, decisive: bool) -> None:
        """Learn from `and` (where false is decisive) or `or` (where true is)."""
        if holds != decisive:
            self.learn(left, holds=holds)
            self.learn(right, holds=holds)
            return
        for one, other in ((left, right), (right, left)):
            if self.constant(one) == int(not decisive) and self.constant(other) is None:
                self.learn(other, holds=decisive)

    def _learn_comparison(self, op: BinaryOp, left: Value, right: Value, *, holds: bool) -> None:
        match op, holds:
            case ("eq", True) | ("ne", False):
                both = _both(self.range(left), self.range(right))
                self._narrow(left, both)
                self._narrow(right, both)
            case ("ne", True) | ("eq", False):
                self._exclude(left, right)
                self._exclude(right, left)
            case ("lt", True) | ("sub_overflows", True):
                self._order(left, right, 1)
            case ("lt", False) | ("sub_overflows", False):
                self._order(right, left, 0)
            case "le", True:
                self._order(left, right, 0)
            case "le", False:
                self._order(right, left, 1)
            case "add_overflows", False:
                top = full_range(left.type)[1]
                self._narrow(left, (0, top - self.range(right)[0]))
                self._narrow(right, (0, top - self.range(left)[0]))
            case _:
                pass

    def _order(self, smaller: Value, greater: Value, distance: int) -> None:
        """Take note that `smaller` + `distance` <= `greater`."""
        top = full_range(smaller.type)[1]
        self._narrow(smaller, (0, self.range(greater)[1] - distance))
        self._narrow(greater, (self.range(smaller)[0] + distance, top))

    def _exclude(self, value: Value, other: Value) -> None:
        excluded = self.constant(other)
        low, high = self.range(value)
        if excluded == low:
            self._narrow(value, (low + 1, high))
        elif excluded == high:
            self._narrow(value, (low, high - 1))

    def _narrow(self, value: Value, to: Range) -> None:
        """Take note of a range, for the value and for what it was made of."""
        value = self.alias.get(value, value)
        known = _both(self.range(value), to)
        if known == self.ranges.get(value) or not isinstance(value.type, Bits | Bool):
            return
        self.ranges[value] = known
        match self.producers.get(value):
            case Binary(op="sub", left=left, right=right):
                amount = self.constant(right)
                if amount is not None and self.range(left)[0] >= amount:
                    self._narrow(left, (known[0] + amount, known[1] + amount))
            case Resize(operand=operand) if full_range(operand.type)[1] <= full_range(value.type)[1]:
                self._narrow(operand, known)
            case _:
                pass


def _both(one: Range, other: Range) -> Range:
    """Return what two ranges share. Where they share nothing no packet comes; any answer is sound there."""
    low, high = max(one[0], other[0]), min(one[1], other[1])
    return (low, high) if low <= high else one


def _binary(op: BinaryOp, one: Range, other: Range, top: int, *, is_same: bool) -> Range:
    """Return the range of an operation on two ranges; `top` is the greatest value of the operands' type."""
    full = (0, top)
    match op:
        case "eq" | "ne" | "lt" | "le" | "add_overflows" | "sub_overflows" | "mul_overflows":
            answer = _compare(op, one, other, top, is_same=is_same)
            return (0, 1) if answer is None else (int(answer), int(answer))
        case "add":
            return (one[0] + other[0], one[1] + other[1]) if one[1] + other[1] <= top else full
        case "sub":
            return (one[0] - other[1], one[1] - other[0]) if one[0] >= other[1] else full
        case "mul":
            return (one[0] * other[0], one[1] * other[1]) if one[1] * other[1] <= top else full
        case "and":
            return (1, 1) if top == 1 and one[0] & other[0] else (0, min(one[1], other[1]))
        case "or":
            return max(one[0], other[0]), (1 << max(one[1].bit_length(), other[1].bit_length())) - 1
        case "div":
            return (one[0] // other[1], one[1] // other[0]) if other[0] > 0 else full
        case "rem":
            return (0, min(one[1], other[1] - 1)) if other[0] > 0 else full
        case "shr":
            return (one[0] >> other[0], one[1] >> other[0]) if other[0] == other[1] else (0, one[1])
        case "xor" | "shl":
            return full


def _compare(op: BinaryOp, one: Range, other: Range, top: int, *, is_same: bool) -> bool | None:
    """Decide a comparison of two ranges, or None."""
    match op:
        case "eq" | "ne":
            if is_same or (one == other and one[0] == one[1]):
                return op == "eq"
            return op == "ne" if one[1] < other[0] or other[1] < one[0] else None
        case "lt" | "sub_overflows":
            if one[1] < other[0]:
                return True
            return False if is_same or one[0] >= other[1] else None
        case "le":
            if is_same or one[1] <= other[0]:
                return True
            return False if one[0] > other[1] else None
        case "add_overflows":
            return _beyond(one[0] + other[0], one[1] + other[1], top)
        case _:
            return _beyond(one[0] * other[0], one[1] * other[1], top)


def _beyond(least: int, greatest: int, top: int) -> bool | None:
    if greatest <= top:
        return False
    return True if least > top else None


class Knowledge:
    """What is known in each block of a graph, on its entry."""

    def __init__(self, graph: ChainGraph) -> None:
        self.graph = graph
        self.flow: Flow = find_flow(graph)
        self.producers = producers_of(graph)
        self._presence: Presence = find_presence(graph)
        self._learned: dict[str, dict[Value, Range]] = {}
        for name in self.flow.order:
            self._learned[name] = self._find_ranges(name)

    @property
    def roots(self) -> Mapping[Value, Value]:
        """The packet that came in, for each packet."""
        return self._presence.roots

    def scope(self, name: str, alias: Mapping[Value, Value] | None = None) -> Scope:
        """Return what is known in a block; changing it changes nothing here."""
        return Scope(
            dict(self._learned[name]),
            self.producers,
            lambda op: self._has(name, op, alias or {}),
            alias or {},
        )

    def _has(self, name: str, op: Has, alias: Mapping[Value, Value]) -> bool | None:
        packet = op.packet
        # Writes leave the kind as it is; one that folding has just made is not in the analysis yet.
        while isinstance(write := self.producers.get(packet), Write):
            packet = write.packet
        packet = alias.get(packet, packet)
        answers = {kind.has(op.header) for kind in self._presence.kinds(name, packet)}
        return answers.pop() if len(answers) == 1 else None

    def _find_ranges(self, name: str) -> dict[Value, Range]:
        parent = self.flow.parents[name]
        if parent is None:
            return {}
        known = self._learned[parent]
        ways = self.flow.incoming[name]
        if len(ways) != 1:
            return known
        before = self.flow.blocks[ways[0].source].terminator
        if not isinstance(before, Branch):
            return known
        scope = Scope(dict(known), self.producers, lambda op: self._has(name, op, {}), {})
        scope.learn(before.condition, holds=before.then == ways[0].edge)
        return scope.ranges
