"""One packet's way through a chain: what a run has done so far."""

from dataclasses import dataclass, field
from typing import Any, Generic

from synth.graph.evaluator.domain import C, P, State, Time, V


@dataclass(slots=True)
class Delivery:
    """A packet that waits for its turn: where it goes, with what, and its lineage's visits."""

    target: Any
    arguments: list[Any]
    slots: list[Any]
    visits: dict[str, int]


@dataclass(slots=True)
class Path(Generic[V, P, C]):
    """A run of the evaluator, changed in place until it ends; then it is the outcome.

    Attributes:
        state: the state objects as they are now.
        now: the chain's one time for this packet.
        condition: when this path is taken.
        slots: the SSA values of the packet that is on its way, by slot.
        visits: how often that packet's lineage entered each block that has a budget.
        waiting: deliveries still to make, the next one last.
        emissions: what left, in order: interface and packet.
        drops: drop counters, how much was added.
        generated: packets made beyond the one that came in.
    """

    state: State[V, P]
    now: Time
    condition: C
    slots: list[Any]
    visits: dict[str, int] = field(default_factory=dict)
    waiting: list[Delivery] = field(default_factory=list)
    emissions: list[tuple[str, P]] = field(default_factory=list)
    drops: dict[str, int] = field(default_factory=dict)
    generated: int = 0

    def drop(self, name: str) -> None:
        """Count a named drop."""
        self.drops[name] = self.drops.get(name, 0) + 1

    def fork(self, condition: C) -> "Path[V, P, C]":
        """Return a path that has done the same and goes on apart, under its own condition."""
        waiting = [
            Delivery(later.target, later.arguments, list(later.slots), later.visits) for later in self.waiting
        ]
        return Path(
            state=self.state.fork(),
            now=self.now,
            condition=condition,
            slots=list(self.slots),
            visits=self.visits,
            waiting=waiting,
            emissions=list(self.emissions),
            drops=dict(self.drops),
            generated=self.generated,
        )
