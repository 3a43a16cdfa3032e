"""Accesses: which operations of a unit touch mutable objects, and where in them.

An access says where by *columns*: a table's key or unique columns, a vector's index, a sketch's key, each
with a term over the subject packet. Operations on an entry are accesses to what its lookup asked for.
Counters are left out: sums come out the same on any number of cores.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

from synth.diagnostics.spans import Span
from synth.graph.nodes import (
    BucketTake,
    Deliver,
    EntryWrite,
    Find,
    Insert,
    KeyedTable,
    Op,
    Remove,
    Sketch,
    SketchAdd,
    SketchEstimate,
    StateObject,
    Touch,
    Value,
    VectorRead,
    VectorWrite,
)
from synth.parallel.facts import Facts, find_facts
from synth.parallel.plain import Columns, plain, plain_columns
from synth.parallel.slicing import Slicer, rebuild
from synth.parallel.terms import Apply, ColumnOf, Found, Inserted, Opaque, Term, parts, pending
from synth.parallel.units import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """An operation on a state object, by packets of a unit.

    `columns` say where: an entry (a cell, a key) is touched only if all of them are its own. `knows` are
    columns of the entry that tests on the way have found to be these. `how`: which of a table's indices was
    asked, or `cell` for all else. `lookup` is the lookup by the unique key that gave the entry. `through` are
    the tables whose entries told where: the packet is taken for the one that made the entry.
    """

    object: str
    how: Literal["key", "unique", "cell"]
    columns: Columns
    knows: Columns = ()
    unit: Unit
    is_write: bool
    word: str
    lookup: Value | None = None
    through: frozenset[str] = frozenset()
    span: Span = field(compare=False)


@dataclass(frozen=True, slots=True)
class Insertion:
    """One way to make entries of a table: each column that is not chosen, over the inserter's packet."""

    unit: Unit
    columns: Mapping[str, Term]


WORDS: Mapping[type[Op], str] = {
    Find: "find", Insert: "insert", EntryWrite: "write", Touch: "touch", Remove: "remove", VectorRead:
    "read", VectorWrite: "write", BucketTake: "take", SketchAdd: "add", SketchEstimate: "estimate",
}  # fmt: skip
READS = (Find, VectorRead, SketchEstimate)


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the accesses of one unit."""

    slicer: Slicer
    states: Mapping[str, StateObject]

    def find(self) -> tuple[Access, ...]:
        """Return the unit's accesses, equal ones once, in the order of the blocks."""
        blocks = [self.slicer.index.blocks[name] for name in self.slicer.unit.order]
        if not any(type(op) in WORDS for block in blocks for op in block.operations):
            return ()
        facts = find_facts(self.slicer)
        found: dict[Access, None] = {}
        for block in blocks:
            for op in block.operations:
                found.update(dict.fromkeys(self._of_operation(op, facts[block.name])))
            if isinstance(block.terminator, Deliver) and block.terminator.emissions:
                found.update(dict.fromkeys(self._of_emission(block.terminator.span, facts[block.name])))
        return tuple(found)

    def _of_operation(self, op: Op, facts: Facts) -> Iterator[Access]:
        match op:
            case Find(table=table, index=index, key=key):
                yield from self._by_index(op, table, index, key)
            case Insert():
                yield from self._of_insert(op)
            case EntryWrite(entry=entry) | Touch(entry=entry) | Remove(entry=entry):
                yield from self._of_entry(op, entry, facts)
            case BucketTake(entry=Value() as entry):
                yield from self._of_entry(op, entry, facts)
            case BucketTake(bucket=bucket):
                yield self._access(op, bucket, "cell", ())
            case VectorRead(vector=name, index=cell) | VectorWrite(vector=name, index=cell):
                yield from self._keyed(op, name, "cell", ("index",), (cell,))
            case SketchAdd(sketch=name, key=key) | SketchEstimate(sketch=name, key=key):
                shape = self.states[name]
                assert isinstance(shape, Sketch)
                yield from self._keyed(op, name, "cell", tuple(column.name for column in shape.key), key)
            case _:
                pass

    def _access(
        self,
        op: Op,
        name: str,
        how: Literal["key", "unique", "cell"],
        columns: Columns,
        knows: Columns = (),
        lookup: Value | None = None,
    ) -> Access:
        return Access(
            object=name, how=how, columns=plain_columns(columns), knows=plain_columns(knows),
            unit=self.slicer.unit, is_write=not isinstance(op, READS), word=WORDS[type(op)], lookup=lookup,
            span=op.span,
        )  # fmt: skip

    def _table(self, name: str) -> KeyedTable:
        shape = self.states[name]
        assert isinstance(shape, KeyedTable)
        return shape

    def _names(self, table: str, how: Literal["key", "unique"]) -> tuple[str, ...]:
        shape = self._table(table)
        return tuple(column.name for column in (shape.key if how == "key" else shape.unique))

    def _by_index(
        self, op: Op, table: str, how: Literal["key", "unique"], key: tuple[Value, ...]
    ) -> Iterator[Access]:
        lookup = op.results[1] if isinstance(op, Find) and how == "unique" else None
        return self._keyed(op, table, how, self._names(table, how), key, lookup)

    def _keyed(
        self,
        op: Op,
        name: str,
        how: Literal["key", "unique", "cell"],
        names: tuple[str, ...],
        key: tuple[Value, ...],
        lookup: Value | None = None,
    ) -> Iterator[Access]:
        for terms in self._variants(tuple(self.slicer.expand(scalar) for scalar in key)):
            yield self._access(op, name, how, tuple(zip(names, terms, strict=True)), lookup=lookup)

    def _variants(self, group: tuple[Term, ...]) -> list[tuple[Term, ...]]:
        """Return what the terms can be; when that is too much, nothing is known of any."""
        found = self.slicer.variants(tuple(map(self._reduce, group)), self._reduce)
        if found is None:
            return [tuple(Opaque(getattr(term, "width", 0)) for term in group)]
        return list(found)

    def _reduce(self, term: Term) -> Term:
        """Replace an entry's columns by what its lookup or insert says they are; forget what says nothing."""
        reduced = rebuild(term, tuple(self._reduce(part) for part in parts(term)))
        match reduced:
            case ColumnOf(entry=Found() | Inserted() as entry, column=column, width=width):
                settled = dict(self._columns_of(entry)).get(column)
                if settled is not None:
                    return settled
                is_settled_later = isinstance(entry, Found) and entry.index == "unique"
                return plain(reduced) if is_settled_later else Opaque(width)
            case Apply() if not pending(reduced):
                return plain(reduced)
            case _:
                return reduced

    def _columns_of(self, entry: Term) -> Columns:
        """Return the columns of an entry that its lookup or insert settles."""
        match entry:
            case Found(table=table, index=how, key=key) if key:
                return tuple(zip(self._names(table, how), key, strict=True))
            case Inserted(table=table, key=key, unique=unique):
                names = (*self._names(table, "key"), *self._names(table, "unique"))
                scalars = (*key, *unique)
                return tuple(
                    (name, term) for name, term in zip(names, scalars, strict=True) if term is not None
                )
            case _:
                return ()

    def _of_insert(self, op: Insert) -> Iterator[Access]:
        """Yield the access by key and, where nothing is chosen, the unique key that must still be free."""
        yield from self._by_index(op, op.table, "key", op.key)
        unique = tuple(scalar for scalar in op.unique if scalar is not None)
        if unique and op.choose is None:
            yield from self._by_index(op, op.table, "unique", unique)

    def insertions(self, op: Insert) -> tuple[Insertion, ...]:
        """Return what an insert puts into the columns that it does not choose."""
        names = (*self._names(op.table, "key"), *self._names(op.table, "unique"))
        given = [(name, scalar) for name, scalar in zip(names, (*op.key, *op.unique), strict=True) if scalar]
        variants = self._variants(tuple(self.slicer.expand(scalar) for _, scalar in given))
        columns = tuple(name for name, _ in given)
        return tuple(
            Insertion(self.slicer.unit, dict(zip(columns, map(plain, terms), strict=True)))
            for terms in variants
        )

    def _of_entry(self, op: Op, entry: Value, facts: Facts) -> Iterator[Access]:
        """Yield what an operation on an entry touches: what the entry was looked up by."""
        handle = self.slicer.expand(entry)
        known = self._known(handle, facts)
        for found, *others in self._variants((handle, *(term for _, term in known))):
            names = (column for column, _ in known)
            yield self._at_entry(op, entry, found, tuple(zip(names, others, strict=True)))

    def _at_entry(self, op: Op, entry: Value, found: Term, knows: Columns) -> Access:
        columns = self._columns_of(found)
        match found:
            case Found(table=table, index="unique", value=value):
                return self._access(op, table, "unique", columns, knows, value)
            case Found(table=table) | Inserted(table=table):
                return self._access(op, table, "key", columns)
            case _:
                return self._access(op, getattr(entry.type, "table", ""), "cell", ())

    def _known(self, handle: Term, facts: Facts) -> Columns:
        """Return the immutable columns of an entry that facts say something of, with what they equal."""
        if not isinstance(handle, Found):
            return ()
        keys = set(self._names(handle.table, "key"))
        found = {
            (mine.column, other)
            for fact in facts
            for mine, other in (fact, fact[::-1])
            if isinstance(mine, ColumnOf) and mine.entry == handle and mine.column in keys
        }
        return tuple(sorted(found, key=repr))

    def _of_emission(self, span: Span, facts: Facts) -> Iterator[Access]:
        """Yield a read of each entry, found by a unique key, that the way here was tested against."""
        handles = {
            mine.entry
            for fact in facts
            for mine in fact
            if isinstance(mine, ColumnOf) and isinstance(mine.entry, Found) and mine.entry.index == "unique"
        }
        for handle in sorted(handles, key=repr):
            known = self._known(handle, facts)
            for found, *others in self._variants((handle, *(term for _, term in known))):
                assert isinstance(found, Found)
                names = (column for column, _ in known)
                yield Access(
                    object=found.table, how="unique", columns=plain_columns(self._columns_of(found)),
                    knows=plain_columns(tuple(zip(names, others, strict=True))), unit=self.slicer.unit,
                    is_write=False, word="emit", lookup=found.value, span=span,
                )  # fmt: skip
