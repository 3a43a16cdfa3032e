"""Rewrite single operations to simpler ones: constants, identities, one normal form for comparisons.

    %3: u8 = sub %1 %2           (%2 is 1)         becomes   %3: u8 = sub %1 %two
    %4: u8 = sub %3 %2
    %5: bool = le %4 %2          (1 <= %3 known)   becomes   %5: bool = le %1 %three

Comparisons with a constant become `le x c`, perhaps negated, so that equal tests look equal. Rules that
are not true modulo 2^width ask the ranges first.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from synth.graph.nodes import (
    Binary,
    BinaryOp,
    Bits,
    Bool,
    Constant,
    EntryRead,
    Find,
    Insert,
    KeyedTable,
    Op,
    Read,
    Resize,
    Select,
    StateObject,
    Type,
    Unary,
    Value,
    Write,
)
from synth.synthesis.known import DEPTH, Scope, full_range

COMMUTATIVE = frozenset(("add", "mul", "and", "or", "xor", "eq", "ne", "add_overflows", "mul_overflows"))


@dataclass(frozen=True, slots=True)
class Folder:
    """What folding needs to know, and how it makes operations.

    Attributes:
        scope: what is known where the operation stands.
        states: the state objects by name.
        make: returns the value of an operation with one result, given without results, and its type.
    """

    scope: Scope
    states: Mapping[str, StateObject]
    make: Callable[[Op, Type], Value]

    def constant(self, number: int, of: Type) -> Value:
        """Return a constant's value."""
        return self.make(Constant(value=number, results=()), of)

    def binary(self, op: BinaryOp, left: Value, right: Value) -> Value:
        """Return the value of an operation, folded in turn."""
        of = Bool() if op in ("eq", "ne", "lt", "le", "sub_overflows") else left.type
        template = Binary(op=op, left=left, right=right, results=(Value(-1, of),))
        found = self.fold(template)
        return self.make(replace(template, results=()), of) if found is None else found

    def negation(self, operand: Value) -> Value:
        """Return the value of `not`, folded in turn."""
        template = Unary(op="not", operand=operand, results=(Value(-1, Bool()),))
        found = self.fold(template)
        return self.make(replace(template, results=()), Bool()) if found is None else found

    def fold(self, op: Op) -> Value | None:
        """Return the value that an operation with one result can be replaced by, or None."""
        if len(op.results) != 1 or isinstance(op, Constant):
            return None
        if isinstance(op, Write):
            return self._write(op)
        known = self._known(op)
        if known is not None:
            return self.constant(known, op.results[0].type)
        match op:
            case Unary(op="not", operand=operand):
                inner = self.scope.producers.get(operand)
                return inner.operand if isinstance(inner, Unary) and inner.op == "not" else None
            case Resize():
                return self._resize(op)
            case Select():
                return self._select(op)
            case Binary():
                return self._binary(op)
            case EntryRead():
                return self._entry_read(op)
            case _:
                return None

    def _known(self, op: Op) -> int | None:
        """Return the operation's constant value, if its operands leave only one."""
        result = op.results[0]
        if not isinstance(result.type, Bits | Bool):
            return None
        low, high = self.scope.range_of(op, DEPTH, result.type)
        return low if low == high else None

    # ------------------------------------------------------------ packets

    def _write(self, op: Write) -> Value | None:
        """Drop a write of what the field already is, and writes that it covers."""
        inner = self.scope.producers.get(op.packet)
        if isinstance(inner, Write) and inner.path == op.path:
            covering = replace(op, packet=inner.packet)
            found = self._write(covering)
            return self.make(replace(covering, results=()), op.results[0].type) if found is None else found
        source = self.scope.producers.get(op.value)
        if isinstance(source, Read) and source.path == op.path:
            same = self._unwritten(op.packet, op.path) == self._unwritten(source.packet, op.path)
            return op.packet if same else None
        return None

    def _unwritten(self, packet: Value, path: str) -> Value:
        """Return the packet before all its writes, as far as none of them is to the field."""
        op = self.scope.producers.get(packet)
        while isinstance(op, Write) and op.path != path:
            packet = op.packet
            op = self.scope.producers.get(packet)
        return packet

    # ------------------------------------------------------------ tables

    def _entry_read(self, op: EntryRead) -> Value | None:
        """Return a key's scalar of an entry that was found or made by it: keys never change."""
        table = self.states[op.table]
        source = self.scope.producers.get(op.entry)
        if not isinstance(table, KeyedTable):
            return None
        match source:
            case Find(index="key", key=key):
                known = dict(zip((column.name for column in table.key), key, strict=True))
            case Find(index="unique", key=key):
                known = dict(zip((column.name for column in table.unique), key, strict=True))
            case Insert(key=key, unique=unique):
                columns = (column.name for column in (*table.key, *table.unique))
                known = {
                    name: value
                    for name, value in zip(columns, (*key, *unique), strict=True)
                    if value is not None
                }
            case _:
                return None
        return known.get(op.column)

    # ------------------------------------------------------------ scalars

    def _resize(self, op: Resize) -> Value | None:
        result, operand = op.results[0], op.operand
        if operand.type == result.type:
            return operand
        inner = self.scope.producers.get(operand)
        if isinstance(inner, Resize) and full_range(inner.operand.type)[1] <= full_range(operand.type)[1]:
            if inner.operand.type == result.type:
                return inner.operand
            return self.make(Resize(operand=inner.operand, results=()), result.type)
        return None

    def _select(self, op: Select) -> Value | None:
        condition = self.scope.constant(op.condition)
        if condition is not None:
            return op.then if condition else op.otherwise
        if op.then == op.otherwise:
            return op.then
        if isinstance(op.then.type, Bool):
            choices = self.scope.constant(op.then), self.scope.constant(op.otherwise)
            if choices == (1, 0):
                return op.condition
            if choices == (0, 1):
                return self.negation(op.condition)
        return None

    def _binary(self, op: Binary) -> Value | None:
        if isinstance(op.left.type, Bool):
            return self._truth(op)
        left, right = op.left, op.right
        if op.op in COMMUTATIVE and self.scope.constant(left) is not None:
            left, right = right, left
        number = self.scope.constant(right)
        match op.op:
            case "sub" if left == right:
                return self.constant(0, left.type)
            case "and" | "or" if left == right:
                return left
            case "lt" | "le" | "sub_overflows":
                return self._order(op.op, left, right)
            case "ne":
                return self.negation(self.binary("eq", left, right))
            case _ if number is None:
                return None
            case "eq":
                return self._equal(left, number)
            case "add" | "sub":
                return self._sum(op.op, left, number)
            case _ if _is_neutral(op.op, number, full_range(left.type)[1]):
                return left
            case _:
                return None

    def _truth(self, op: Binary) -> Value | None:
        """Fold an operation on truth values of which at most one is known."""
        if op.left == op.right and op.op in ("and", "or"):
            return op.left
        for one, other in ((op.left, op.right), (op.right, op.left)):
            known = self.scope.constant(one)
            match op.op, known:
                case _, None:
                    continue
                case ("and", 1) | ("or", 0) | ("eq", 1) | ("ne", 0) | ("xor", 0):
                    return other
                case ("eq", 0) | ("ne", 1) | ("xor", 1):
                    return self.negation(other)
                case _:
                    continue
        return self.negation(self.binary("eq", op.left, op.right)) if op.op == "ne" else None

    def _sum(self, op: BinaryOp, left: Value, number: int) -> Value | None:
        """Fold x + c or x - c: sums of constants are one constant, modulo 2^width."""
        if number == 0:
            return left
        inner = self.scope.producers.get(left)
        if not isinstance(inner, Binary) or inner.op not in ("add", "sub"):
            return None
        before = self.scope.constant(inner.right)
        if before is None:
            return None
        size = full_range(left.type)[1] + 1
        change = (number if op == "add" else -number) + (before if inner.op == "add" else -before)
        word: BinaryOp = "add" if change >= 0 else "sub"
        return self.binary(word, inner.left, self.constant(abs(change) % size, left.type))

    def _equal(self, left: Value, number: int) -> Value | None:
        """Fold x = c where x is made of something by a constant or by widening."""
        size = full_range(left.type)[1] + 1
        match self.scope.producers.get(left):
            case Binary(op="add" | "sub" as word, left=base, right=amount):
                change = self.scope.constant(amount)
                if change is None:
                    return None
                wanted = (number - change if word == "add" else number + change) % size
                return self.binary("eq", base, self.constant(wanted, base.type))
            case Resize(operand=Value(type=Bits()) as base) if number <= full_range(base.type)[1] < size:
                return self.binary("eq", base, self.constant(number, base.type))
            case _:
                return None

    def _order(self, op: BinaryOp, left: Value, right: Value) -> Value | None:
        """Bring a comparison into its normal form. That it is decided has been asked before."""
        lower, upper = self.scope.constant(left), self.scope.constant(right)
        match op, lower, upper:
            case (("lt" | "sub_overflows"), None, int()):
                return self.binary("le", left, self.constant(upper - 1, left.type))
            case (("lt" | "sub_overflows"), int(), None):
                return self.negation(self.binary("le", right, left))
            case "sub_overflows", _, _:
                return self.binary("lt", left, right)
            case "le", int(), None:
                return self.negation(self.binary("le", right, self.constant(lower - 1, left.type)))
            case "le", None, int():
                return self._at_most(left, upper)
            case _:
                return None

    def _at_most(self, left: Value, number: int) -> Value | None:
        """Fold (x - a) <= c to x <= a + c where a <= x, and drop widening."""
        top = full_range(left.type)[1]
        match self.scope.producers.get(left):
            case Binary(op="sub", left=base, right=right):
                amount = self.scope.constant(right)
                if amount is None or self.scope.range(base)[0] < amount or amount + number > top:
                    return None
                return self.binary("le", base, self.constant(amount + number, base.type))
            case Resize(operand=Value(type=Bits()) as base) if number <= full_range(base.type)[1] < top:
                return self.binary("le", base, self.constant(number, base.type))
            case _:
                return None


def _is_neutral(op: BinaryOp, number: int, top: int) -> bool:
    match op:
        case "or" | "xor" | "shl" | "shr":
            return number == 0
        case "mul" | "div":
            return number == 1
        case "and":
            return number == top
        case _:
            return False
