"""The solver's part: side conditions, and an independent check of every concrete key. *Unknown* is no.

The keys are found by linear algebra; here nothing of it is used. The accesses' own terms become bit vectors,
their columns are set equal, and the question is whether two packets exist that touch one place and whose
hashes differ. The expected answer is that there are none.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import z3

from synth.graph.nodes import Binary, Constant, EntryRead, Has, Read, Resize, Select, Unary, Value
from synth.net.toeplitz import HASH_BITS, key_windows
from synth.parallel.choose import Configuration
from synth.parallel.interchange import Guarded
from synth.parallel.relations import Relation
from synth.parallel.slicing import Slicer
from synth.parallel.steering import Hashing, field_width
from synth.parallel.terms import Apply, Field, Number, Term
from synth.parallel.units import Way

Z3 = Any
"""A Z3 expression; Z3 publishes no types."""

TIMEOUT_MS = 5_000

STEPS = ("simplify", "solve-eqs", "simplify", "bit-blast", "simplify", "solve-eqs", "simplify", "sat")
"""The second elimination makes bits that are equal one: sums of them are then the same sum, or cancel."""

ARITHMETIC: Mapping[str, Any] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "div": z3.UDiv, "rem": z3.URem, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b, "shl": lambda a, b: a << b, "shr": z3.LShR,
}  # fmt: skip


def confirm(relations: Iterable[Relation], found: Configuration) -> int | None:
    """Return how many questions the solver answered with no, or None when one is answered otherwise."""
    asked: dict[object, Relation] = {}
    for relation in relations:
        same = tuple(
            (unit.interface, found.steering.by_unit[unit].input(unit.kind), cause.columns, cause.knows)
            for unit, cause in zip(relation.units, relation.causes, strict=True)
        )
        asked.setdefault((same, repr(relation.made)), relation)
    for relation in asked.values():
        first, second = relation.units
        hashings = found.steering.by_unit[first], found.steering.by_unit[second]
        if separates(relation, hashings, (found.keys[first.interface], found.keys[second.interface])):
            return None
    return len(asked)


def separates(relation: Relation, hashings: tuple[Hashing, Hashing], keys: tuple[bytes, bytes]) -> bool:
    """Tell whether two packets that must meet may have different hashes; *unknown* is yes."""
    solver = z3.Then(*STEPS).solver()
    solver.set("timeout", TIMEOUT_MS)
    columns: dict[str, Z3] = {}
    sides = [(access.columns + access.knows, place) for place, access in enumerate(relation.causes)]
    for terms, packet in (*sides, (relation.made, 2)):
        for name, term in terms:
            encoded = _encode(term, packet)
            if encoded is not None:
                column = columns.setdefault(name, z3.BitVec(f"entry.{name}", encoded.size()))
                solver.add(column == encoded)
    hashes = [
        _hash(hashing, key, unit.kind, packet)
        for packet, (hashing, key, unit) in enumerate(zip(hashings, keys, relation.units, strict=True))
    ]
    solver.add(hashes[0] != hashes[1])
    return bool(solver.check() != z3.unsat)


def _encode(term: Term, packet: int) -> Z3 | None:
    """Return a term as a bit vector, or None where it is not one of the packet's fields alone."""
    match term:
        case Field(path=path, width=width):
            return z3.BitVec(f"{packet}.{path}", width)
        case Number(value=value, width=width):
            return z3.BitVecVal(value, width)
        case Apply(op=op, operands=operands, width=width):
            encoded = [_encode(operand, packet) for operand in operands]
            return None if any(part is None for part in encoded) else _apply(op, encoded, width)
        case _:
            return None


def _apply(op: str, operands: list[Z3], width: int) -> Z3 | None:
    if op in ARITHMETIC:
        return ARITHMETIC[op](*operands)
    if op == "resize":
        more = width - operands[0].size()
        return z3.ZeroExt(more, operands[0]) if more >= 0 else z3.Extract(width - 1, 0, operands[0])
    return ~operands[0] if op in ("not", "complement") else None


def _hash(hashing: Hashing, key: bytes, kind: Any, packet: int) -> Z3:
    windows = key_windows(key, hashing.width)
    total = z3.BitVecVal(0, HASH_BITS)
    for path, start in hashing.input(kind):
        width = field_width(path)
        value = z3.BitVec(f"{packet}.{path}", width)
        for bit in range(width):
            is_set = z3.Extract(width - 1 - bit, width - 1 - bit, value) == 1
            total = total ^ z3.If(
                is_set, z3.BitVecVal(windows[start + bit], HASH_BITS), z3.BitVecVal(0, HASH_BITS)
            )
    return total


def is_behind_tests(guard: Guarded, slicer: Slicer) -> bool:
    """Tell whether no way leads from a lookup's hit round its tests to an effect; *unknown* is no."""
    ranks = {name: rank for rank, name in enumerate(slicer.unit.order)}
    reached: dict[str, Z3] = {guard.then: z3.BoolVal(val=True)}
    for name in slicer.unit.order:
        if name not in guard.region or name == guard.then:
            continue
        ways = [way for way in slicer.unit.incoming[name] if way.source in guard.region]
        if any(ranks[way.source] >= ranks[name] for way in ways):
            return False
        reached[name] = z3.Or(*(z3.And(reached[way.source], _taken(way, slicer)) for way in ways))
    solver = z3.SimpleSolver()
    solver.set("timeout", TIMEOUT_MS)
    wrong = [
        z3.And(
            reached[name], z3.Not(z3.And(*(_known(one, slicer) == _known(two, slicer) for one, two in tests)))
        )
        for name, tests in guard.tests.items()
    ]
    solver.add(z3.Or(*wrong))
    return bool(solver.check() == z3.unsat)


def _taken(way: Way, slicer: Slicer) -> Z3:
    if way.condition is None:
        return z3.BoolVal(val=True)
    condition = _value(way.condition, slicer) == 1
    return condition if way.holds else z3.Not(condition)


def _known(term: Term, slicer: Slicer) -> Z3:
    """Return the unknown that stands for a term; equal terms are one unknown."""
    del slicer
    return z3.BitVec(repr(term), getattr(term, "width", 1) or 1)


def _value(value: Value, slicer: Slicer) -> Z3:
    """Return an SSA value; truth values have one bit. What is not computed here is an unknown."""
    match slicer.index.producers.get(value):
        case Has(header=header):
            return z3.BitVecVal(int(slicer.unit.kind.has(header)), 1)
        case Binary(op="eq" | "ne" as op, left=left, right=right):
            is_same = _value(left, slicer) == _value(right, slicer)
            return _truth(is_same if op == "eq" else z3.Not(is_same))
        case Binary(op="and" | "or" | "xor" as op, left=left, right=right):
            return ARITHMETIC[op](_value(left, slicer), _value(right, slicer))
        case Unary(operand=operand):
            return ~_value(operand, slicer)
        case Constant() | EntryRead() | Read() | Resize() | Select() | None | _:
            return _known(slicer.expand(value), slicer)


def _truth(claim: Z3) -> Z3:
    return z3.If(claim, z3.BitVecVal(1, 1), z3.BitVecVal(0, 1))
