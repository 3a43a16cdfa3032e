"""The passes in their order, and what they leave behind.

    hand over -> simplify until nothing changes -> part, carry fields -> simplify -> sink, join equal blocks
    -> idle rules

where *simplify* is: decide, number (and fold), arguments, dead, verdicts, join, thread. Hand-over comes
first, so that all others see one graph; threading before fields are carried, so that packets of different
kinds part early and each way carries only fields that its packets have. Idle rules come last: by then it is
known which answers of a rule set are used.
"""

from collections.abc import Callable
from dataclasses import dataclass

from synth.graph.nodes import ChainGraph
from synth.synthesis.arguments import remove_arguments
from synth.synthesis.carry_fields import carry_fields
from synth.synthesis.dead import remove_dead
from synth.synthesis.decide import decide
from synth.synthesis.hand_over import hand_over
from synth.synthesis.idle_rules import idle_rules
from synth.synthesis.join import join, join_equal
from synth.synthesis.number import number
from synth.synthesis.part import part
from synth.synthesis.remarks import Outcome, Remark
from synth.synthesis.sink import sink
from synth.synthesis.statistics import Statistics, measure
from synth.synthesis.thread import thread
from synth.synthesis.verdicts import ask_verdicts

Pass = Callable[[ChainGraph], Outcome]

MOST_ROUNDS = 24
"""Simplification stops after so many rounds; each round's result is a finished graph."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Synthesized:
    """The synthesized graph, what was eliminated on the way, and the sizes of both."""

    graph: ChainGraph
    remarks: tuple[Remark, ...]
    before: Statistics
    after: Statistics


def synthesize(
    graph: ChainGraph, *, budget: int = 4, check: Callable[[ChainGraph], None] | None = None
) -> Synthesized:
    """Return a graph of the same meaning that does everything once, as far as it can be seen.

    Args:
        graph: a well-formed graph, as lowered.
        budget: the result has at most this many times the blocks of `graph`.
        check: called with the graph after each pass that changed it; raises when something is wrong.
    """
    remarks: list[Remark] = []
    at = graph
    for one in passes(limit=budget * len(graph.blocks)):
        for _ in range(one.rounds):
            start = at
            for step in one.steps:
                outcome = step(at)
                if check is not None and outcome.graph is not at:
                    check(outcome.graph)
                at = outcome.graph
                remarks += outcome.remarks
            if at == start:
                break
    return Synthesized(
        graph=at, remarks=tuple(dict.fromkeys(remarks)), before=measure(graph), after=measure(at)
    )


@dataclass(frozen=True, slots=True)
class Stage:
    """Passes in a row, repeated until they change nothing, at most `rounds` times."""

    steps: tuple[Pass, ...]
    rounds: int


def passes(*, limit: int) -> tuple[Stage, ...]:
    """Return all stages; `limit` bounds the number of blocks."""
    simplify: tuple[Pass, ...] = (
        decide,
        number,
        remove_arguments,
        remove_dead,
        ask_verdicts,
        join,
        lambda graph: thread(graph, limit=limit),
        remove_arguments,
    )
    return (
        Stage((hand_over,), 1),
        Stage(simplify, MOST_ROUNDS),
        Stage((lambda graph: part(graph, limit=limit), carry_fields), 1),
        Stage(simplify, MOST_ROUNDS),
        Stage((sink, join_equal, remove_arguments, join, remove_dead), MOST_ROUNDS),
        Stage((idle_rules,), 1),
    )
