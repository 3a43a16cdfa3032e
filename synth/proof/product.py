"""The walk over two graphs at once that proves them equal for every packet and every state.

Both sides start with the same unknown packet and the same unknown state. They go on block by
block, the one that is behind in the chain as written first; where facts do not decide a branch, the
case is split; where ways meet, they are merged (`merge.py`). At the end emissions, counters and the
versions of all state objects must be equal. Nothing enumerates paths: the number of pairs is near the
number of blocks.

A block with a visit budget is a cut. Both sides must enter it together, having done the same so far;
behind it the walk goes on once, from unknown field values and state that are equal on both sides,
under the facts that hold at every arrival (found by dropping those that do not, until none is left to drop).
"""

import heapq
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from time import perf_counter
from typing import Any

import z3

from synth.graph.evaluator.path import Path
from synth.graph.nodes import ChainGraph
from synth.proof.cuts import Loops
from synth.proof.merge import Pair, merge
from synth.proof.outcome import Difference, compare
from synth.proof.premises import Premise, premise_facts
from synth.proof.presupposed import check_presupposed
from synth.proof.questions import Questions
from synth.proof.rule_sets import Answers
from synth.proof.sides import Phase, Plan, Side, plan
from synth.proof.symbols import Term
from synth.proof.tokens import initial_state
from synth.proof.z3_domain import SymbolicPacket, Z3Domain, packet_laws, symbolic_packet

MAX_PAIRS = 50_000
RECEIVED = "packet"
"""The name of the packet that came in, in all proofs."""


@dataclass(slots=True)
class Scope:
    """What a walk found from where it started: what could not be shown equal, and how long it took."""

    differences: list[Difference] = field(default_factory=list)
    seconds: float = 0.0


@dataclass(slots=True)
class Product:
    """A walk from every interface.

    `scopes` are the walk's parts by where they started: an interface, or a cut as it was when it was
    walked last.
    """

    written: Plan
    result: Plan
    initial: ChainGraph
    unobserved: frozenset[str]
    alike: Mapping[str, Answers]
    packet: SymbolicPacket
    questions: Questions
    loops: Loops
    premises: Mapping[str, Premise]
    pairs: int = 0
    scopes: dict[str, Scope] = field(default_factory=dict)
    _waiting: dict[tuple[object, ...], list[Pair]] = field(default_factory=dict)
    _heap: list[tuple[int, int, tuple[object, ...]]] = field(default_factory=list)
    _numbers: Iterator[int] = field(default_factory=count)

    def walk(self) -> None:
        """Prove what happens to packets from every interface up to the first cuts, then behind all cuts."""
        for interface in self.written.program.entries:
            self._walk(f"interface {interface}", self._start(interface))
        while (cut := self.loops.next_changed()) is not None:
            name = f"block {cut.name}"
            self.loops.unknowns.scope = name
            pair = self.loops.behind(cut, self.questions)
            for side in (pair.written, pair.result):
                side.run_block()
            self._walk(name, pair)

    def _walk(self, scope: str, pair: Pair) -> None:
        """Go on from a pair until all ways have ended or reached a cut. A scope's earlier walk is void."""
        start = perf_counter()
        before = self.scopes.get(scope, Scope())
        self.loops.unknowns.scope = scope
        self.scopes[scope] = Scope()
        self._differ(*check_presupposed(pair, self.questions))
        self._add(pair)
        self._drain()
        self.scopes[scope].seconds = before.seconds + perf_counter() - start

    def _start(self, interface: str) -> Pair:
        written = self._side(self.written, interface, {})
        result = self._side(self.result, interface, self.alike)
        premise = self.premises.get(interface)
        facts = () if premise is None else premise_facts(premise, self.packet, written.path.state)
        return Pair(written, result, facts)

    def _side(self, of: Plan, interface: str, alike: Mapping[str, Answers]) -> Side:
        entry = of.program.entries[interface]
        state = initial_state(self.initial, self.unobserved, alike)
        path: Path[Any, Any, Any] = Path(state, None, None, list(of.program.blank))
        path.slots[entry.parameters[0]] = self.packet
        return Side(of, path, of.program.blocks[entry.block])

    @property
    def differences(self) -> tuple[Difference, ...]:
        """All that could not be shown equal."""
        return tuple(one for scope in self.scopes.values() for one in scope.differences)

    def _differ(self, *differences: Difference) -> None:
        self.scopes[self.loops.unknowns.scope].differences += differences

    def _add(self, pair: Pair) -> None:
        key = pair.key
        if key not in self._waiting:
            self._waiting[key] = []
            heapq.heappush(self._heap, (pair.rank, next(self._numbers), key))
        self._waiting[key].append(pair)

    def _drain(self) -> None:
        while self._heap:
            _, _, key = heapq.heappop(self._heap)
            pair = merge(self._waiting.pop(key), self.questions, self.loops.unknowns)
            self.pairs += 1
            if self.pairs > MAX_PAIRS:
                self._differ(Difference("the walk grew past its bound", pair, None))
                self._heap.clear()
                self._waiting.clear()
                return
            self._move(pair)

    def _move(self, pair: Pair) -> None:
        written, result = pair.written, pair.result
        if written.block is None and result.block is None:
            self._differ(*compare(pair, self.questions))
        elif written.at_cut and result.at_cut:
            self._meet_cut(pair)
        elif (side := _behind(written, result)) is None:
            if self.questions.is_possible(pair.facts):
                self._differ(Difference("one side enters a loop that the other does not", pair, None))
        elif side.phase is Phase.START:
            side.run_block()
            self._differ(*check_presupposed(pair, self.questions))
            self._add(pair)
        elif (condition := side.fork_condition) is not None:
            self._branch(pair, side is written, condition)
        else:
            side.leave_block()
            self._add(pair)

    def _branch(self, pair: Pair, on_written: bool, condition: Term) -> None:  # noqa: FBT001
        for holds in (True, False):
            claim = condition if holds else z3.Not(condition)
            if self.questions.is_implied(pair.facts, z3.Not(claim)):
                continue
            known = self.questions.is_implied(pair.facts, claim)
            way = pair.copy() if known else pair.copy(z3.simplify(claim))
            (way.written if on_written else way.result).leave_block(holds=holds)
            self._add(way)
            if known:
                return

    def _meet_cut(self, pair: Pair) -> None:
        if differences := self.loops.arrive(pair, self.questions):
            self._differ(*differences)
            return
        # What a packet does behind the cut is proved once, apart; here only its state is unknown afterwards.
        self._add(self.loops.after(pair))


def _behind(written: Side, result: Side) -> Side | None:
    """Return the side to move next: not one that waits at a cut, else the one that is behind."""
    free = [side for side in (written, result) if side.block is not None and not side.at_cut]
    if not free:
        return None
    return min(free, key=lambda side: side.origin)


def prepare_product(
    written: ChainGraph,
    result: ChainGraph,
    *,
    premises: Mapping[str, Premise],
    alike: Mapping[str, Answers],
) -> Product:
    """Prepare a walk over a chain as written and its result; `alike`: rule sets that were compared."""
    domain = Z3Domain()
    packet = symbolic_packet(RECEIVED)
    first = plan(written, domain)
    questions = Questions(laws=packet_laws(packet))
    gone = frozenset(state.name for state in written.states) - {state.name for state in result.states}
    return Product(
        written=first,
        result=plan(result, domain, first),
        initial=written,
        unobserved=gone,
        alike=alike,
        packet=packet,
        questions=questions,
        loops=Loops(packet),
        premises=premises,
    )
