"""Fold operations, and compute nothing twice: value numbering along the dominator tree.

    %3: bool = has %p.0 ipv4                           %3: bool = has %p.0 ipv4
    ...                                     becomes    ...
    %9: bool = has %p.0 ipv4   (dominated)             (%9 is %3; or a constant where %3 was tested)

Reads of state count as the same when no write to their place lies between (`versions`). Lookups in
static tables are the same for the same key of the same table; two tables of equal content stay two,
because each can be swapped for itself. Operations that change state are left alone.
"""

from dataclasses import replace

from synth.graph.effects import effect, is_pure
from synth.graph.nodes import (
    Binary,
    Block,
    Branch,
    ChainGraph,
    Constant,
    Find,
    Has,
    Jump,
    ListFind,
    ListRead,
    Op,
    Read,
    RingPick,
    RoutesLookup,
    RulesDecide,
    Type,
    Value,
    Write,
)
from synth.synthesis.decide import decide_branch, remark_decided
from synth.synthesis.fold import COMMUTATIVE, Folder
from synth.synthesis.known import Knowledge
from synth.synthesis.remarks import Outcome, Remark
from synth.synthesis.ssa import Fresh, rebuild, substitute, substitute_terminator
from synth.synthesis.versions import Place, Version, Versions, place_read

_STATIC = (RulesDecide, RoutesLookup, ListRead, ListFind, RingPick)

Key = tuple[Op, tuple[Type, ...], Version | None]


def number(graph: ChainGraph) -> Outcome:
    """Fold operations and remove those whose results are there already."""
    numbering = _Numbering(graph)
    blocks = numbering.run()
    if blocks == graph.blocks:
        return Outcome(graph)
    return Outcome(rebuild(graph, blocks), tuple(numbering.remarks))


class _Numbering:
    def __init__(self, graph: ChainGraph) -> None:
        self._known = Knowledge(graph)
        self._flow = self._known.flow
        self._versions = Versions(self._flow)
        self._states = {state.name: state for state in graph.states}
        self._fresh = Fresh(graph)
        self._values: dict[Value, Value] = {}
        self._table: dict[Key, Op] = {}
        self._undo: list[Key] = []
        self._done: dict[str, Block] = {}
        self.remarks: list[Remark] = []

    def run(self) -> tuple[Block, ...]:
        children: dict[str | None, list[str]] = {}
        for name in reversed(self._flow.order):
            children.setdefault(self._flow.parents[name], []).append(name)
        todo: list[tuple[str, int | None]] = [(name, None) for name in children.get(None, ())]
        while todo:
            name, mark = todo.pop()
            if mark is not None:
                for key in self._undo[mark:]:
                    del self._table[key]
                del self._undo[mark:]
                continue
            todo.append((name, len(self._undo)))
            self._done[name] = self._number_block(self._flow.blocks[name])
            todo.extend((child, None) for child in children.get(name, ()))
        return tuple(self._done[name] for name in self._flow.order)

    def _value(self, value: Value) -> Value:
        return self._values.get(value, value)

    def _number_block(self, block: Block) -> Block:
        versions = dict(self._versions.starts[block.name])
        operations: list[Op] = []
        folder = Folder(
            scope=self._known.scope(block.name),
            states=self._states,
            make=lambda op, of: self._make(op, of, operations),
        )
        for position, original in enumerate(block.operations):
            op = substitute(original, self._value)
            found = folder.fold(op)
            if found is not None:
                self._values[op.results[0]] = found
                self._remark_folded(op, found)
            else:
                self._keep(op, versions, operations)
            self._versions.step(block.name, position, original, versions)
        terminator = substitute_terminator(block.terminator, self._value)
        if isinstance(terminator, Branch):
            # At once, not in the next pass: which packets come where must never be less clear than before.
            decided = decide_branch(terminator, folder.scope)
            if isinstance(decided, Jump):
                self.remarks.append(remark_decided(terminator))
            terminator = decided
        if operations == list(block.operations) and terminator == block.terminator:
            return block
        return replace(block, operations=tuple(operations), terminator=terminator)

    def _make(self, op: Op, of: Type, operations: list[Op]) -> Value:
        """Return the value of an operation given without results: one that is there, or a new one."""
        key = _key(op, (of,), None)
        known = self._table.get(key)
        if known is None:
            known = replace(op, results=(self._fresh.value(of),))
            self._enter(key, known)
            self._known.producers[known.results[0]] = known
            operations.append(known)
        return known.results[0]

    def _keep(self, op: Op, versions: dict[Place, Version], operations: list[Op]) -> None:
        """Put an operation into its block, unless its results are there already."""
        for result in op.results:
            self._known.producers[result] = op
        place = place_read(op)
        if not (is_pure(op) or isinstance(op, _STATIC) or place is not None):
            operations.append(op)
            return
        types = tuple(result.type for result in op.results)
        key = _key(op, types, None if place is None else versions[place])
        known = self._table.get(key)
        if known is None:
            self._enter(key, op)
            operations.append(op)
            return
        self._values.update(zip(op.results, known.results, strict=True))
        self._remark_repeated(op, known)

    def _enter(self, key: Key, op: Op) -> None:
        self._table[key] = op
        self._undo.append(key)

    def _remark_folded(self, op: Op, found: Value) -> None:
        if isinstance(op, Has):
            holds = isinstance(known := self._known.producers[found], Constant) and known.value == 1
            text = f"test `is {op.header}`: always {'true' if holds else 'false'} here, decided before"
            self.remarks.append(Remark("number", text, op.span))
        elif isinstance(op, Write):
            self.remarks.append(
                Remark("number", f"write of `{op.path}` undone or covered by a later one", op.span)
            )

    def _remark_repeated(self, op: Op, known: Op) -> None:
        match op:
            case Has(header=header):
                text = f"test `is {header}` repeated"
            case Read(path=path):
                text = f"read of `{path}` repeated"
            case Find() | RulesDecide() | RoutesLookup() | ListRead() | ListFind() | RingPick():
                touched = effect(op)
                text = "lookup repeated" if touched is None else f"lookup in `{touched.object}` repeated"
            case _:
                return
        self.remarks.append(Remark("number", text, op.span, known.span))


def _key(op: Op, types: tuple[Type, ...], version: Version | None) -> Key:
    if isinstance(op, Binary) and op.op in COMMUTATIVE and op.right.id < op.left.id:
        op = replace(op, left=op.right, right=op.left)
    return replace(op, results=()), types, version
