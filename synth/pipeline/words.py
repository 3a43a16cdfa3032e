"""Conditions and operations of a graph in words, for people."""

from collections.abc import Mapping

from synth.graph.effects import effect
from synth.graph.nodes import (
    Binary,
    BinaryOp,
    Constant,
    EntryRead,
    Find,
    Has,
    Insert,
    Length,
    ListRead,
    Op,
    Read,
    Resize,
    RoutesLookup,
    RulesDecide,
    Unary,
    Value,
    Write,
)
from synth.net.addresses import print_ipv4

_SIGNS: Mapping[BinaryOp, str] = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "rem": "%", "and": "and", "or": "or", "xor": "^",
    "shl": "<<", "shr": ">>", "eq": "==", "ne": "!=", "lt": "<", "le": "<=",
    "add_overflows": "+ overflows", "sub_overflows": "- underflows", "mul_overflows": "* overflows",
}  # fmt: skip
_DEEPEST = 6
"""So deep an expression is written out; what is deeper goes by its hint."""


class Words:
    """Says what values are, by the operations that make them."""

    def __init__(self, producers: Mapping[Value, Op]) -> None:
        self._producers = producers

    def condition(self, value: Value, *, holds: bool) -> str:
        """Return a condition, or its opposite."""
        op = self._producers.get(value)
        if isinstance(op, Unary) and op.op == "not":
            return self.condition(op.operand, holds=not holds)
        text = self.value(value)
        if holds:
            return text
        return f"not ({text})" if " " in text and not text.startswith("is ") else f"not {text}"

    def value(self, value: Value, depth: int = 0) -> str:
        """Return what a value is."""
        op = self._producers.get(value)
        if op is None or depth > _DEEPEST:
            return value.hint or f"%{value.id}"
        match op:
            case Constant(value=number):
                return _number(number, value)
            case Unary(op=sign, operand=operand):
                return f"{sign} {self.value(operand, depth + 1)}"
            case Binary(op=sign, left=left, right=right):
                return self._binary(sign, left, right, depth)
            case Resize(operand=operand):
                return self.value(operand, depth + 1)
            case Has(header=header):
                return f"is {header}"
            case Read(path=path):
                return path
            case Length():
                return "length"
            case EntryRead(table=table, column=column):
                return f"{table}.{column}"
            case RulesDecide(rules=rules, results=results):
                return f"{rules} {('has a match', 'permits', 'rule')[results.index(value)]}"
            case RoutesLookup(routes=routes, results=results):
                return (
                    f"{routes} has a route" if value == results[0] else f"{routes}'s {value.hint or 'result'}"
                )
            case ListRead(list=rows, results=results):
                return f"{rows} has a row" if value == results[0] else f"{rows}'s {value.hint or 'column'}"
            case Find(table=table, results=results):
                return f"found in {table}" if value == results[0] else f"entry of {table}"
            case Insert(table=table, results=results):
                return f"new entry in {table}" if value == results[0] else f"entry of {table}"
            case _:
                return value.hint or f"%{value.id}"

    def _binary(self, sign: BinaryOp, left: Value, right: Value, depth: int) -> str:
        one, other = (self.value(side, depth + 1) for side in (left, right))
        if sign in ("and", "or"):
            one, other = (f"({text})" if " or " in text or " and " in text else text for text in (one, other))
        return f"{one} {_SIGNS[sign]} {other}"

    def operation(self, op: Op) -> str | None:
        """Return what an operation does to the packet or to state; None for those that only look."""
        if isinstance(op, Write):
            return f"{op.path} = {self.value(op.value)}"
        touched = effect(op)
        if touched is None or touched.access == "read":
            return None
        return f"{type(op).__name__.lower()} {touched.object}"


def _number(number: int, value: Value) -> str:
    return print_ipv4(number) if getattr(value.type, "width", 0) == 32 and number > 0xFFFF else str(number)
