"""One side of a comparison: a graph, run block by block over Z3 terms.

The steps and the accounting are the evaluator's own; only the choice at a branch, and when to
go on, belong to whoever drives the two sides.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from synth.graph.evaluator.evaluate import follow, hand_over, next_delivery
from synth.graph.evaluator.path import Path
from synth.graph.evaluator.program import Fork, HandOver, Program, ReadyBlock, Way, prepare
from synth.graph.nodes import ChainGraph
from synth.graph.walk import edges
from synth.proof.liveness import live_values
from synth.proof.tokens import TokenState

AnyProgram = Program[Any, Any, Any]
AnyPath = Path[Any, Any, Any]


def tokens_of(path: AnyPath) -> TokenState:
    """Return the state that a side runs on."""
    assert isinstance(path.state, TokenState)
    return path.state


class Phase(IntEnum):
    """Where in a block a side is: before its operations, or after them."""

    START = 0
    END = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A graph, prepared, and what steers a walk over it.

    Attributes:
        program: without visit budgets: a loop is cut, not counted.
        budgets: the handler blocks that have one: (visits, the drop past them).
        order: each block's place in an order that every edge obeys, but those into a budgeted block.
        origin: the place of the block of the chain as written that it came from.
        parameters: the slots of each block's arguments, for blocks that an edge leads to.
        carried: for each budgeted block, the slots of its arguments and of what lies behind it uses.
    """

    program: AnyProgram
    budgets: Mapping[str, tuple[int, str]]
    order: Mapping[str, int]
    origin: Mapping[str, int]
    parameters: Mapping[str, tuple[int, ...]]
    carried: Mapping[str, tuple[int, ...]]


def plan(graph: ChainGraph, domain: Any, written: "Plan | None" = None) -> Plan:
    """Prepare a graph; `written` is the plan of the chain as written when this one is its result."""
    order = _order(graph)
    handlers = tuple(replace(handler, budget=None) for handler in graph.handlers)
    budgets = {h.block: (h.budget, f"{h.nf}.chain_loop") for h in graph.handlers if h.budget is not None}
    origins = order if written is None else written.order
    live = live_values(graph)
    parameters_of = {block.name: block.parameters for block in graph.blocks}
    program = prepare(replace(graph, handlers=handlers), domain)
    return Plan(
        program=program,
        budgets=budgets,
        order=order,
        origin={name: origins.get(name.partition("~")[0], place) for name, place in order.items()},
        carried={
            name: tuple(sorted(program.slots[value] for value in live[name] | set(parameters_of[name])))
            for name in budgets
        },
        parameters={program.blocks[way.block].name: way.parameters for way in _ways(program)},
    )


def _ways(program: AnyProgram) -> Iterator[Way]:
    yield from program.entries.values()
    for block in program.blocks:
        match block.end:
            case Way() as way:
                yield way
            case Fork(then=then, otherwise=otherwise):
                yield from (then, otherwise)
            case HandOver(emissions=emissions):
                yield from (emission for emission in emissions if isinstance(emission, Way))


def _order(graph: ChainGraph) -> dict[str, int]:
    """Return a topological order of blocks in which edges into budgeted blocks do not count."""
    cut = {handler.block for handler in graph.handlers if handler.budget is not None}
    after = {
        block.name: [edge.block for edge in edges(block.terminator) if edge.block not in cut]
        for block in graph.blocks
    }
    placed: dict[str, int] = {}
    finished: list[str] = []
    for root, following_root in after.items():
        stack = [(root, iter(following_root))] if root not in placed else []
        placed.setdefault(root, 0)
        while stack:
            name, rest = stack[-1]
            following = next((to for to in rest if to not in placed), None)
            if following is None:
                stack.pop()
                finished.append(name)
            else:
                placed[following] = 0
                stack.append((following, iter(after[following])))
    return {name: place for place, name in enumerate(reversed(finished))}


@dataclass(slots=True)
class Side:
    """A side on its way. `block` None: its run has ended."""

    plan: Plan
    path: AnyPath
    block: ReadyBlock | None
    phase: Phase = Phase.START

    @property
    def place(self) -> tuple[str, Phase]:
        """Where the side is, as part of a key."""
        return ("", Phase.END) if self.block is None else (self.block.name, self.phase)

    @property
    def rank(self) -> int:
        """How far it has come; every move but the one into a budgeted block makes it greater."""
        if self.block is None:
            return 2 * len(self.plan.order)
        return 2 * self.plan.order[self.block.name] + self.phase

    @property
    def origin(self) -> int:
        """How far it has come in the chain as written, to keep two sides together."""
        if self.block is None:
            return 2 * max(self.plan.origin.values()) + 2
        return 2 * self.plan.origin[self.block.name] + self.phase

    @property
    def fork_condition(self) -> Any | None:
        """The condition that it waits for at a block's end, or None."""
        if self.block is None or self.phase is Phase.START or not isinstance(self.block.end, Fork):
            return None
        return self.path.slots[self.block.end.condition]

    @property
    def at_cut(self) -> bool:
        """Whether it is about to enter a block that has a visit budget."""
        return self.block is not None and self.phase is Phase.START and self.block.name in self.plan.budgets

    def copy(self) -> "Side":
        """Return a side that goes on apart."""
        return Side(self.plan, self.path.fork(self.path.condition), self.block, self.phase)

    def run_block(self) -> None:
        """Do the operations of the block."""
        assert self.block is not None
        for step in self.block.steps:
            step(self.path.slots, self.path)
        self.phase = Phase.END

    def leave_block(self, *, holds: bool | None = None) -> None:
        """Go where the block's end leads; `holds` says which way at a branch."""
        assert self.block is not None
        match self.block.end:
            case Way() as way:
                self.block = follow(self.plan.program, way, self.path)
            case Fork(then=then, otherwise=otherwise):
                self.block = follow(self.plan.program, then if holds else otherwise, self.path)
            case HandOver() as end:
                self.block = hand_over(self.plan.program, end, self.path)
        self.phase = Phase.START

    def refuse(self) -> None:
        """Drop the packet at a block whose budget is spent, and go on with the next delivery."""
        assert self.block is not None
        self.path.drop(self.plan.budgets[self.block.name][1])
        self.skip()

    def skip(self) -> None:
        """Leave this delivery out and go on with the next one that waits."""
        self.block = next_delivery(self.plan.program, self.path)
        self.phase = Phase.START
