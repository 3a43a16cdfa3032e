"""Slices keys backwards: the terms over the received packet that a group of values can be.

Values are expanded through operations; block arguments are replaced by what each way into the block gives,
all arguments of one block at once. Only blocks whose arguments matter are split on, and equal results are
one, so this does not enumerate paths. Past `MOST` variants the answer is None: unknown.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from synth.graph.nodes import (
    Binary,
    Constant,
    EntryRead,
    Find,
    Insert,
    Read,
    Resize,
    Unary,
    Value,
    Write,
)
from synth.net.fields import FIELDS
from synth.parallel.origins import Origins
from synth.parallel.terms import (
    Apply,
    ColumnOf,
    Field,
    Found,
    Inserted,
    Number,
    Opaque,
    Pending,
    PendingField,
    Term,
    parts,
    pending,
    width_of,
)
from synth.parallel.units import Index, Unit

MOST = 200
"""How many partial variants a slice may have."""
DEPTH = 6
"""How deep a term may be nested: entries found by what other entries hold, and so on. Deeper is opaque."""

Group = tuple[Term, ...]


@dataclass(slots=True)
class Slicer:
    """Slices within one unit."""

    unit: Unit
    index: Index
    origins: Origins
    _terms: dict[Value, Term] = field(default_factory=dict)
    _ranks: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._ranks = {name: rank for rank, name in enumerate(self.unit.order)}

    def variants(self, group: Group, reduce: Callable[[Term], Term]) -> tuple[Group, ...] | None:
        """Return what a group of terms can be, all of them at once; None: too many ways.

        `reduce` makes terms simpler on the way, so that more ways are the same.
        """
        seen: dict[Group, None] = {group: None}
        todo, done = [group], []
        while todo:
            terms = todo.pop()
            waiting = frozenset[Value]().union(*(pending(term) for term in terms))
            if not waiting:
                done.append(terms)
                continue
            block = max((self.index.places[value] for value in waiting), key=self._ranks.__getitem__)
            for step in self._one_step(terms, block, waiting):
                variant = tuple(map(reduce, step))
                if variant not in seen:
                    seen[variant] = None
                    todo.append(variant)
            if len(seen) > MOST:
                return None
        return tuple(done)

    def _one_step(self, terms: Group, block: str, waiting: frozenset[Value]) -> list[Group]:
        """Replace a block's arguments by what each way into it gives; ways that give the same are one."""
        parameters = self.index.blocks[block].parameters
        asked = [place for place, parameter in enumerate(parameters) if parameter in waiting]
        given = dict.fromkeys(
            tuple(way.edge.arguments[place] for place in asked) for way in self.unit.incoming[block]
        )
        names = [parameters[place] for place in asked]
        found = [
            tuple(prune(self._replace(term, dict(zip(names, values, strict=True)))) for term in terms)
            for values in given
        ]
        if block == self.unit.entry:
            found.append(tuple(self._receive(term) for term in terms))
        return found

    def _replace(self, term: Term, given: dict[Value, Value]) -> Term:
        match term:
            case Pending(value=value) if value in given:
                return self.expand(given[value])
            case PendingField(packet=packet, path=path) if packet in given:
                return self._field(given[packet], path)
            case _:
                return rebuild(term, tuple(self._replace(part, given) for part in parts(term)))

    def _receive(self, term: Term) -> Term:
        """Replace fields of the received packet by themselves."""
        if isinstance(term, PendingField) and term.packet == self.unit.root:
            constant = self.unit.constants.get(term.path)
            return Field(term.path, term.width) if constant is None else Number(constant, term.width)
        return rebuild(term, tuple(self._receive(part) for part in parts(term)))

    def expand(self, value: Value) -> Term:
        """Return a value as a term over its block's arguments, and those of the blocks that dominate it."""
        if value not in self._terms:
            self._terms[value] = prune(self._expand(value))
        return self._terms[value]

    def _expand(self, value: Value) -> Term:
        width = width_of(value.type)
        match self.index.producers.get(value):
            case None:
                return Pending(value, width)
            case Constant(value=number):
                return Number(number, width)
            case Read(packet=packet, path=path):
                return self._field(packet, path)
            case Unary(op=op, operand=operand):
                return Apply(op, (self.expand(operand),), width)
            case Binary(op=op, left=left, right=right):
                return Apply(op, (self.expand(left), self.expand(right)), width)
            case Resize(operand=operand):
                return Apply("resize", (self.expand(operand),), width)
            case Find(table=table, index=index, key=key) as op if value == op.results[1]:
                return Found(table, index, tuple(self.expand(scalar) for scalar in key), value)
            case Insert(table=table) as op if value == op.results[1]:
                by = tuple(self.expand(scalar) for scalar in op.key)
                unique = tuple(None if scalar is None else self.expand(scalar) for scalar in op.unique)
                return Inserted(table, by, unique, value)
            case EntryRead(table=table, entry=entry, column=column):
                known = self.origins.of_column(table, column, width)
                return ColumnOf(self.expand(entry), column, width) if known is None else known
            case _:
                return Opaque(width)

    def _field(self, packet: Value, path: str) -> Term:
        """Return a field of a packet: what was last written, or what the block's argument has."""
        while isinstance(op := self.index.producers.get(packet), Write):
            if op.path == path:
                return self.expand(op.value)
            packet = op.packet
        if packet != self.unit.root or self.unit.incoming[self.unit.entry]:
            return PendingField(packet, path, FIELDS[path].width)
        constant = self.unit.constants.get(path)
        width = FIELDS[path].width
        return Field(path, width) if constant is None else Number(constant, width)


def prune(term: Term, depth: int = DEPTH) -> Term:
    """Return a term with what is nested too deeply made opaque."""
    inner = parts(term)
    if not inner:
        return term
    if depth == 0:
        return Opaque(getattr(term, "width", 0))
    return rebuild(term, tuple(prune(part, depth - 1) for part in inner))


def rebuild(term: Term, changed: tuple[Term, ...]) -> Term:
    """Return a term with its parts changed, in the order of `terms.parts`."""
    match term:
        case Apply():
            return replace(term, operands=changed)
        case Found():
            return replace(term, key=changed)
        case Inserted(key=key, unique=unique):
            after = iter(changed[len(key) :])
            return replace(
                term,
                key=changed[: len(key)],
                unique=tuple(None if scalar is None else next(after) for scalar in unique),
            )
        case ColumnOf():
            return replace(term, entry=changed[0])
        case _:
            return term
