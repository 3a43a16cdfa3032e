"""The search for packets that tell two graphs apart.

Both graphs are run in the interpreter, with free values taken as binaries do: on frames made from Z3's
models of the claims that failed, among random traffic that suits the chain, with steps of time as long
as its tables' lifetimes. What is found is made short. Finding nothing says nothing: the validator may know
too little.
"""

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

from synth.counterexample.choices import NextFree, Replayed
from synth.counterexample.frames import frame_of
from synth.counterexample.report import Behaviour, Counterexample
from synth.graph.errors import InvalidGraph
from synth.graph.nodes import ChainGraph, KeyedTable
from synth.graph.verify import verify
from synth.interpreter import Interpreter
from synth.proof.outcome import Difference
from synth.proof.validate import Proof
from synth.proof.witness import find_witness
from synth.traffic.random_traffic import Arrival, Traffic

ROUNDS = 250
ROUND_SIZE = 100
START = 1_700_000_000 * 10**9
"""When the first packet arrives (ns)."""
MOST_WITNESSES = 6
MORE_ROUNDS = 12
"""How many rounds are tried for fewer packets after some have been found."""
_SHORT = (0, 1000, 1_000_000)
"""Steps of time (ns). Only what arrives on one interface arrives at one time: so captures keep the order."""


def find_counterexample(
    written: ChainGraph, result: ChainGraph, proof: Proof, seed: int = 1
) -> Counterexample | None:
    """Look for packets that show what a failed proof could not; None when none were found."""
    if proof.is_proved or not (_can_run(written) and _can_run(result)):
        return None
    claims = [(found, find_witness(found)) for found in _first_of_each(proof.differences)]
    frames = [frame for _, witness in claims if witness and (frame := frame_of(witness)) is not None]
    arrivals = _shortest(written, result, frames, seed)
    if arrivals is None:
        return None
    claim, witness = (claims[0][0].what, claims[0][1]) if claims else (proof.failures[0], None)
    return Counterexample(
        arrivals=arrivals,
        written=behave(written, arrivals),
        result=behave(result, arrivals),
        claim=claim,
        witness=witness,
    )


def behave(graph: ChainGraph, arrivals: Sequence[Arrival]) -> Behaviour:
    """Run a graph on arrivals."""
    interpreter = Interpreter(graph, chooser=NextFree())
    left = [_receive(interpreter, one) for one in arrivals]
    return Behaviour(left=tuple(left), report=None if None in left else interpreter.report())


def _receive(interpreter: Interpreter, arrival: Arrival) -> tuple[tuple[str, bytes], ...] | None:
    """Return what leaves, or None when the graph does what has no meaning, such as to read no entry."""
    try:
        return tuple(interpreter.receive(arrival.interface, arrival.data, arrival.time))
    except Exception:  # noqa: BLE001 - a wrong graph can go wrong in any way, and that is what is looked for
        return None


def _can_run(graph: ChainGraph) -> bool:
    try:
        verify(graph, is_synthesized=True)
    except InvalidGraph:
        return False
    return True


def _first_of_each(differences: Sequence[Difference]) -> list[Difference]:
    return list({found.what: found for found in reversed(differences)}.values())[-MOST_WITNESSES:][::-1]


def _shortest(
    written: ChainGraph, result: ChainGraph, frames: Sequence[bytes], seed: int
) -> tuple[Arrival, ...] | None:
    """Return the fewest arrivals that were found to show a difference, or None."""
    shortest: tuple[Arrival, ...] | None = None
    more = ROUNDS
    for number in range(ROUNDS):
        arrivals = _differing(written, result, frames, seed + number)
        if arrivals:
            shorter = tuple(_shrink(written, result, arrivals))
            if shortest is None:
                more = number + MORE_ROUNDS
            if shortest is None or len(shorter) < len(shortest):
                shortest = shorter
        if number >= more or (shortest is not None and len(shortest) == 1):
            break
    return shortest


def _differing(
    written: ChainGraph, result: ChainGraph, frames: Sequence[bytes], seed: int
) -> list[Arrival] | None:
    """Return arrivals of which the last one shows a difference, or None."""
    both = _Both(written, result)
    seen: list[Arrival] = []
    left: list[tuple[str, bytes]] = []
    for arrival in _arrivals(written, frames, left, seed):
        seen.append(arrival)
        if not both.agree(arrival, left):
            return seen if _is_seen(written, result, seen) else None
    return None


def _arrivals(
    graph: ChainGraph, frames: Sequence[bytes], left: Sequence[tuple[str, bytes]], seed: int
) -> Iterator[Arrival]:
    """Yield random traffic: models' frames, random ones, repetitions, and answers to what has `left`.

    Half of the rounds have few flows only and long times of one lifetime's size between packets: so entries
    are refreshed, and expire. The others are many flows in a short time.
    """
    source, traffic = random.Random(seed), Traffic(graph, seed)  # noqa: S311 - seeded search, no secret
    is_focused = bool(seed % 2)
    models = [replace(one, data=data) for data in frames for one in _on_each_interface(graph)]
    source.shuffle(models)
    known = [*traffic.random(5), *models[:3]] if is_focused else models
    steps = _steps(graph, source) if is_focused else _SHORT
    now, last = START, ""
    for number in range(ROUND_SIZE):
        chance = source.random()
        if left and chance < 0.3:
            (arrival,) = traffic.answers(left[-8:], 1) or traffic.random(1)
            if chance < 0.1:  # from another side, such as from one inside host to another
                arrival = replace(arrival, interface=source.choice(graph.interfaces).name)
        elif known and (chance < 0.8 if is_focused else number < len(known)):
            arrival = source.choice(known) if is_focused else known[number]
        else:
            (arrival,) = traffic.random(1)
        step = source.choice(steps)
        now += step if step or arrival.interface == last else 1
        last = arrival.interface
        yield replace(arrival, time=now)


def _on_each_interface(graph: ChainGraph) -> list[Arrival]:
    return [Arrival(interface.name, 0, b"") for interface in graph.interfaces]


def _steps(graph: ChainGraph, source: random.Random) -> Sequence[int]:
    """Return steps of time (ns) to choose from: short ones, and those about some lifetime."""
    tables = [state for state in graph.states if isinstance(state, KeyedTable)]
    lifetimes = sorted({lifetime for table in tables for _, lifetime in table.timers})
    if not lifetimes:
        return _SHORT
    lifetime = source.choice(lifetimes)
    return (*_SHORT * 2, lifetime - 1, lifetime, *[lifetime // 2 + 1] * 2)


def _shrink(written: ChainGraph, result: ChainGraph, arrivals: Sequence[Arrival]) -> Sequence[Arrival]:
    """Leave packets out, many at once first, as long as the graphs still differ."""
    size = max(1, len(arrivals) // 2)
    while True:
        at = 0
        while at < len(arrivals):
            fewer = [*arrivals[:at], *arrivals[at + size :]]
            if fewer and (shorter := _up_to_difference(written, result, fewer)):
                arrivals = shorter
            else:
                at += size
        if size == 1:
            return arrivals
        size //= 2


def _up_to_difference(
    written: ChainGraph, result: ChainGraph, arrivals: Sequence[Arrival]
) -> Sequence[Arrival] | None:
    both = _Both(written, result)
    for number, arrival in enumerate(arrivals, start=1):
        if not both.agree(arrival, []):
            shown = arrivals[:number]
            return shown if _is_seen(written, result, shown) else None
    return None


def _is_seen(written: ChainGraph, result: ChainGraph, arrivals: Sequence[Arrival]) -> bool:
    """Tell whether the graphs differ, too, when each makes its own choices."""
    return behave(written, arrivals) != behave(result, arrivals)


class _Both:
    """The chain as written beside a result, with whose choices it goes along."""

    def __init__(self, written: ChainGraph, result: ChainGraph) -> None:
        self._choices, self._replayed = NextFree(), Replayed()
        self._written = Interpreter(written, chooser=self._replayed)
        self._result = Interpreter(result, chooser=self._choices)

    def agree(self, arrival: Arrival, left: list[tuple[str, bytes]]) -> bool:
        """Run both on an arrival, add what leaves to `left`, and tell whether they still do the same."""
        self._choices.taken.clear()
        again = _receive(self._result, arrival)
        self._replayed.due = list(self._choices.taken)
        out = _receive(self._written, arrival)
        left += out or ()
        is_same = out is not None and again == out and not self._replayed.due
        return is_same and self._written.report() == self._result.report()
