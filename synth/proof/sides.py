"""One side of a comparison: a graph, run block by block over Z3 terms.

The steps and the accounting are the evaluator's own; only the choice at a branch, and when to
go on, belong to whoever drives the two sides.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any

from synth.graph.dominance import reverse_postorder
from synth.graph.evaluator.evaluate import follow, hand_over, next_delivery
from synth.graph.evaluator.path import Path
from synth.graph.evaluator.program import Fork, HandOver, Program, ReadyBlock, Way, prepare
from synth.graph.nodes import ChainGraph
from synth.graph.walk import edges, entries
from synth.proof.liveness import find_liveness
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
        cut_order: each budgeted block's place in an order that most edges obey.
        origin: the place of the block of the chain as written that it came from.
        live: the slots that are needed at a place: at a block's start its arguments, too.
        carried: for each budgeted block what it is given: its arguments first, then values from before it.
    """

    program: AnyProgram
    budgets: Mapping[str, tuple[int, str]]
    order: Mapping[str, int]
    cut_order: Mapping[str, int]
    origin: Mapping[str, int]
    live: Mapping[tuple[str, Phase], tuple[int, ...]]
    carried: Mapping[str, tuple[int, ...]]

    def live_behind(self, way: Way) -> tuple[int, ...]:
        """Return the slots that are needed when a way is taken, without the arguments that it brings."""
        live = self.live[self.program.blocks[way.block].name, Phase.START]
        return tuple(slot for slot in live if slot not in way.parameters)


def plan(graph: ChainGraph, domain: Any, written: "Plan | None" = None) -> Plan:
    """Prepare a graph; `written` is the plan of the chain as written when this one is its result."""
    budgets = {h.block: (h.budget, f"{h.nf}.chain_loop") for h in graph.handlers if h.budget is not None}
    order = _order(graph, budgets)
    origins = order if written is None else written.order
    handlers = tuple(replace(handler, budget=None) for handler in graph.handlers)
    program = prepare(replace(graph, handlers=handlers), domain)
    around = {block.name: tuple(edge.block for edge in edges(block.terminator)) for block in graph.blocks}
    all_around = reverse_postorder(entries(graph), around)
    live = _live_slots(graph, program)
    parameters = {b.name: tuple(program.slots[value] for value in b.parameters) for b in graph.blocks}
    return Plan(
        program=program,
        budgets=budgets,
        order=order,
        cut_order={name: place for place, name in enumerate(all_around) if name in budgets},
        origin={name: origins.get(name.partition("~")[0], place) for name, place in order.items()},
        live=live,
        carried={
            name: (
                *parameters[name],
                *(slot for slot in live[name, Phase.START] if slot not in parameters[name]),
            )
            for name in budgets
        },
    )


def _live_slots(graph: ChainGraph, program: AnyProgram) -> dict[tuple[str, Phase], tuple[int, ...]]:
    needed = find_liveness(graph)
    live = {}
    for block in graph.blocks:
        at_start = needed.start[block.name] | set(block.parameters)
        for phase, values in ((Phase.START, at_start), (Phase.END, needed.end[block.name])):
            live[block.name, phase] = tuple(sorted(program.slots[value] for value in values))
    return live


def _order(graph: ChainGraph, cut: Mapping[str, object]) -> dict[str, int]:
    """Return a topological order of blocks in which edges into budgeted blocks do not count.

    Raises:
        ValueError: when there is none, because of a loop without a budget.
    """
    after = {
        block.name: tuple(edge.block for edge in edges(block.terminator) if edge.block not in cut)
        for block in graph.blocks
    }
    order = {name: place for place, name in enumerate(reverse_postorder(tuple(after), after))}
    for name, following in after.items():
        if any(order[to] <= order[name] for to in following):
            raise ValueError(f"{name} is on a loop without a budget")
    return order


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
    def live(self) -> tuple[int, ...]:
        """The slots whose values are still needed."""
        return () if self.block is None else self.plan.live[self.block.name, self.phase]

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

    def skip(self) -> None:
        """Leave this delivery out and go on with the next one that waits."""
        self.block = next_delivery(self.plan.program, self.path)
        self.phase = Phase.START
