"""Static tables over Z3 terms, expanded to what they say.

Proofs about passes that leave tables whole do not need this: there a table is an unknown function.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import z3

from synth.graph.nodes import Column, ListTable, Ring, RouteTable, RuleTable, live_rules
from synth.language.values import PrefixValue, RangeValue, RuleValue
from synth.proof.z3_domain import SymbolicPacket, constant
from synth.proof.z3_maps import Row, Term

ALL_PORTS = RangeValue(0, 0xFFFF)


@dataclass(frozen=True, slots=True)
class Z3Rules:
    """A rule set as nested conditions, the first rule outermost."""

    table: RuleTable

    def decide(self, packet: SymbolicPacket) -> tuple[Term, Term, Term]:
        asked = packet.rule_inputs()
        answer = (_FALSE, _FALSE, z3.BitVecVal(0, 32))
        for index in reversed(live_rules(self.table)):
            rule = self.table.rules.rules[index]
            holds = _matches(rule, asked)
            mine = (z3.BoolVal(True), z3.BoolVal(rule.permits), z3.BitVecVal(index, 32))  # noqa: FBT003
            answer = _choose(holds, mine, answer)
        return answer


_FALSE = z3.BoolVal(False)  # noqa: FBT003 - a term's value


def _choose(
    condition: Term, then: tuple[Term, Term, Term], other: tuple[Term, Term, Term]
) -> tuple[Term, Term, Term]:
    first, second, third = (z3.If(condition, one, two) for one, two in zip(then, other, strict=True))
    return first, second, third


def _matches(rule: RuleValue, asked: Row) -> Term:
    src, dst, protocol, has_ports, sport, dport, has_flags, flags = asked
    parts = [
        _in_prefix(rule.src, src),
        _in_prefix(rule.dst, dst),
        (protocol ^ rule.protocol) & rule.protocol_mask == 0,
    ]
    for wanted, port in ((rule.sport, sport), (rule.dport, dport)):
        if wanted != ALL_PORTS:
            parts += [has_ports, z3.ULE(wanted.low, port), z3.ULE(port, wanted.high)]
    if rule.flags_mask:
        parts += [has_flags, (flags ^ rule.flags) & rule.flags_mask == 0]
    return z3.And(*parts)


def _in_prefix(prefix: PrefixValue, address: Term) -> Term:
    return address & prefix.mask == prefix.address


@dataclass(frozen=True, slots=True)
class Z3Routes:
    """A routing table as nested conditions, the longest prefixes outermost."""

    table: RouteTable

    def look_up(self, by: Term) -> Row:
        absent = _row(0, self.table.columns, [0] * len(self.table.columns))
        answer = absent
        for route in sorted(self.table.routes.routes, key=lambda route: route.prefix.length):
            row = absent if route.result is None else _row(1, self.table.columns, route.result)
            holds = _in_prefix(route.prefix, by)
            answer = tuple(z3.If(holds, mine, other) for mine, other in zip(row, answer, strict=True))
        return answer


@dataclass(frozen=True, slots=True)
class Z3List:
    table: ListTable

    def look_up(self, by: Term) -> Row:
        answer = _row(0, self.table.columns, [0] * len(self.table.columns))
        for index, scalars in enumerate(self.table.rows):
            if index >= 1 << by.size():
                break
            row = _row(1, self.table.columns, scalars)
            answer = tuple(z3.If(by == index, mine, other) for mine, other in zip(row, answer, strict=True))
        return answer


@dataclass(frozen=True, slots=True)
class Z3ListBy:
    """A list's rows by the value of one column: nested conditions, the first row outermost."""

    table: ListTable
    column: int

    def look_up(self, by: Term) -> Row:
        columns = self.table.columns
        answer = _row(0, columns, [0] * len(columns))
        for scalars in reversed(self.table.rows):
            row = _row(1, columns, scalars)
            holds = by == row[1 + self.column]
            answer = tuple(z3.If(holds, mine, other) for mine, other in zip(row, answer, strict=True))
        return answer


@dataclass(frozen=True, slots=True)
class Z3Ring:
    ring: Ring
    list: ListTable

    def look_up(self, by: Term) -> Row:
        slot = z3.URem(by, len(self.ring.slots))
        rows = [_row(1, self.list.columns, self.list.rows[number])[1:] for number in self.ring.slots]
        answer = rows[0]
        for number, row in enumerate(rows[1:], start=1):
            answer = tuple(
                z3.If(slot == number, mine, other) for mine, other in zip(row, answer, strict=True)
            )
        return answer


def _row(is_there: int, columns: Sequence[Column], scalars: Sequence[int]) -> Row:
    terms = (
        constant(scalar, column.width, is_bool=column.is_bool)
        for column, scalar in zip(columns, scalars, strict=True)
    )
    return (z3.BoolVal(bool(is_there)), *terms)
