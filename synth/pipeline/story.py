"""Each packet's story: what every NF saw, which rules and routes decided, which blocks of the result do it.

Both graphs run over the same packets: the chain as written tells of NFs, the result of its blocks. That both
do the same is checked once more on the way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from synth.captures import CapturedPacket
from synth.diagnostics.spans import NOWHERE, Span
from synth.graph.domains.integers import FramePacket, Integers
from synth.graph.nodes import (
    Block,
    ChainGraph,
    Deliver,
    Find,
    Insert,
    Op,
    RoutesLookup,
    RouteTable,
    RulesDecide,
    RuleTable,
    Value,
)
from synth.interpreter import Interpreter
from synth.net.addresses import print_ipv4
from synth.resources import shown_path

_SEEN = ("ipv4.src", "ipv4.dst", "ipv4.protocol", "ipv4.ttl", "l4.sport", "l4.dport")
"""What a visit shows of a packet, each field where the packet has its header."""


def place_of(span: Span) -> str:
    """Return file and line, or nothing."""
    return "" if span == NOWHERE else f"{shown_path(span.file)}:{span.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A lookup that an NF made: the question's place, the answer, and where the row that gave it stands."""

    what: str
    answer: str
    place: str
    row: str = ""


@dataclass(slots=True, kw_only=True)
class Visit:
    """A packet's stay at one NF, as the chain has it written."""

    nf: str
    side: str
    sees: Mapping[str, str]
    decisions: list[Decision] = field(default_factory=list)
    end: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """One packet. `blocks` are those of the result that it passes, the last one with its place."""

    number: int
    interface: str
    visits: tuple[Visit, ...]
    outcome: tuple[str, ...]
    blocks: tuple[str, ...]
    last_block_place: str

    def as_dict(self) -> dict[str, object]:
        """Return the object that `--json` prints."""
        return asdict(self)

    def lines(self) -> list[str]:
        """Return the story for a person."""
        lines = [f"packet {self.number} on {self.interface}: {', '.join(self.outcome)}"]
        for visit in self.visits:
            seen = " ".join(f"{name}={value}" for name, value in visit.sees.items())
            lines.append(f"  {visit.nf} ({visit.side}) sees {seen or 'a frame that is not IPv4'}")
            lines += [
                f"    {one.place}: {one.what}: {one.answer}" + (f" ({one.row})" if one.row else "")
                for one in visit.decisions
            ]
            if visit.end:
                lines.append(f"    {visit.place}: {visit.end}")
        last = self.blocks[-1] if self.blocks else "admission"
        return [
            *lines,
            f"  in the result: {len(self.blocks)} blocks, the last {last} {self.last_block_place}".rstrip(),
        ]


class StoryTeller:
    """Runs a chain as written and its result side by side."""

    def __init__(self, written: ChainGraph, result: ChainGraph) -> None:
        self._way: list[tuple[str, tuple[Any, ...]]] = []
        self._blocks: list[str] = []
        self._written = Interpreter(written, watch=self._passed)
        self._result = Interpreter(result, watch=self._passed_result)
        self._slots: Mapping[Value, int] = self._written.slots
        self._by_name = {block.name: block for block in written.blocks}
        self._result_blocks = {block.name: block for block in result.blocks}
        self._handlers = {handler.block: handler for handler in written.handlers}
        self._states = {state.name: state for state in written.states}
        self._told = 0

    def _passed(self, block: str, slots: Sequence[Any]) -> None:
        self._way.append((block, tuple(slots)))

    def _passed_result(self, block: str, slots: Sequence[Any]) -> None:
        del slots
        self._blocks.append(block)

    def tell(self, interface: str, packet: CapturedPacket) -> Story:
        """Let both take a packet, and tell what became of it.

        Raises:
            AssertionError: the two did not do the same, which the proof rules out.
        """
        self._way.clear()
        self._blocks.clear()
        drops = dict(self._written.report().drops)
        out = self._written.receive(interface, packet.data, packet.time)
        if self._result.receive(interface, packet.data, packet.time) != out:
            raise AssertionError("the result sends other frames than the chain as written")
        after = self._written.report().drops
        dropped = [f"dropped: {name}" for name, count in after.items() if count > drops.get(name, 0)]
        self._told += 1
        last = self._result_blocks.get(self._blocks[-1]) if self._blocks else None
        return Story(
            number=self._told,
            interface=interface,
            visits=tuple(self._visits()),
            outcome=(*(f"out {name}" for name, _ in out), *dropped),
            blocks=tuple(self._blocks),
            last_block_place="" if last is None else place_of(last.terminator.span),
        )

    def _visits(self) -> list[Visit]:
        visits: list[Visit] = []
        for name, slots in self._way:
            block = self._by_name[name]
            handler = self._handlers.get(name)
            if handler is not None:
                packet = slots[self._slots[block.parameters[0]]]
                visits.append(Visit(nf=handler.nf, side=handler.side, sees=_seen(packet)))
            if visits:
                visits[-1].decisions += [one for op in block.operations for one in self._decisions(op, slots)]
                self._end(visits[-1], block)
        return visits

    def _decisions(self, op: Op, slots: Sequence[Any]) -> list[Decision]:
        results = [slots[self._slots[value]] for value in op.results]
        match op:
            case RulesDecide(rules=name):
                return [self._rule(name, results, place_of(op.span))]
            case RoutesLookup(routes=name, address=address):
                return [self._route(name, slots[self._slots[address]], place_of(op.span))]
            case Find(table=name):
                answer = "found" if results[0] else "nothing found"
                return [Decision(what=f"lookup in {name}", answer=answer, place=place_of(op.span))]
            case Insert(table=name):
                answer = "done" if results[0] else "no room"
                return [Decision(what=f"new entry in {name}", answer=answer, place=place_of(op.span))]
            case _:
                return []

    def _rule(self, name: str, results: Sequence[int], place: str) -> Decision:
        matched, permits, number = results
        table = self._states[name]
        if not matched or not isinstance(table, RuleTable):
            return Decision(what=f"rules {name}", answer="no rule matches", place=place)
        rule = table.rules.rules[number]
        answer = f"rule {number + 1} {'permits' if permits else 'denies'}"
        return Decision(what=f"rules {name}", answer=answer, place=place, row=place_of(rule.span))

    def _route(self, name: str, address: int, place: str) -> Decision:
        table = self._states[name]
        assert isinstance(table, RouteTable)
        held = [r for r in table.routes.routes if address & r.prefix.mask == r.prefix.address]
        if not held:
            return Decision(what=f"routes {name}", answer="no route", place=place)
        best = max(held, key=lambda route: route.prefix.length)
        answer = f"{print_ipv4(best.prefix.address)}/{best.prefix.length}"
        if best.result is None:
            answer += " discards"
        return Decision(what=f"routes {name}", answer=answer, place=place, row=place_of(best.span))

    def _end(self, visit: Visit, block: Block) -> None:
        end = block.terminator
        if isinstance(end, Deliver):
            visit.end = f"drop {end.drop}" if end.drop is not None else "emit"
            visit.place = place_of(end.span)


def _seen(packet: FramePacket) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in _SEEN:
        if path.partition(".")[0] in packet.frame.present:
            value = Integers().read(path)(packet)
            found[path.partition(".")[2]] = print_ipv4(value) if path in _SEEN[:2] else str(value)
    return found
