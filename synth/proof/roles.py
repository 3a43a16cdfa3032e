"""What a value that is carried into a cut can be, in terms of the packet as written.

Each arrival at the cut leaves fewer possibilities; behind the cut the value is what is left. When nothing is
left it is an unknown, which is always right: any value is one.
"""

from dataclasses import dataclass, replace
from typing import Any

import z3

from synth.net.fields import FIELDS
from synth.net.kinds import HEADERS
from synth.proof.outcome import fields_agree
from synth.proof.questions import Facts, Questions
from synth.proof.unknowns import Unknowns
from synth.proof.z3_domain import SymbolicPacket


@dataclass(frozen=True, slots=True)
class Behind:
    """Where roles become terms: the packet as written behind a cut, under the cut's facts."""

    packet: SymbolicPacket
    facts: Facts
    questions: Questions
    unknowns: Unknowns

    def field(self, path: str, otherwise: Any) -> Any:
        """Return the packet's field where its header is there, else `otherwise`."""
        present = self.packet.has[_header(path)]
        if self.questions.is_implied(self.facts, present):
            return self.packet.current(path)
        return z3.If(present, self.packet.current(path), otherwise)


@dataclass(frozen=True, slots=True)
class ScalarRole:
    """Fields of the packet, each where its header is there; elsewhere a term, or an unknown.

    Attributes:
        paths: the fields that no arrival contradicts.
        seen: those of them whose header some arrival can have: they have not merely gone uncontradicted.
        term: the one term of every arrival, or None: there is none.
        twin: the first of the carried values that was the same term as this one at every arrival.
    """

    paths: tuple[str, ...]
    seen: frozenset[str]
    term: Any
    twin: int

    @property
    def _chosen(self) -> tuple[str, ...]:
        """One field for each header."""
        return tuple({_header(path): path for path in reversed(self.paths) if path in self.seen}.values())

    @property
    def key(self) -> object:
        """What a walk behind the cut depends on."""
        return self._chosen, None if self.term is None else self.term.get_id(), self.twin

    def behind(self, value: Any, behind: Behind) -> Any:
        """Return the value behind the cut; `value` is what it was at some arrival."""
        found = self.term
        if found is None:
            found = behind.unknowns.at("carried", str(self.twin), value)
        for path in self._chosen:
            found = behind.field(path, found)
        return found


@dataclass(frozen=True, slots=True)
class PacketRole:
    """The packet that came in with `written` fields; the `linked` ones are those of the packet as written."""

    written: frozenset[str]
    linked: frozenset[str]
    twin: int

    @property
    def key(self) -> object:
        """What a walk behind the cut depends on."""
        return self.written, self.linked & self.written, self.twin

    def behind(self, value: SymbolicPacket, behind: Behind) -> SymbolicPacket:
        """Return the packet behind the cut; `value` is what it was at some arrival."""
        writes = {}
        for path in sorted(self.written):
            unknown = behind.unknowns.at("carried", f"{self.twin}.{path}", value.fields[path])
            writes[path] = behind.field(path, unknown) if path in self.linked else unknown
        return replace(value, writes=writes)


Role = ScalarRole | PacketRole


@dataclass(frozen=True, slots=True)
class Arrival:
    """One arrival at a cut, as roles see it.

    `absent` are the headers that the packet cannot have; `model` is some packet that can arrive, or None
    when Z3 gave none: it tells at once most of what a value is not.
    """

    packet: SymbolicPacket
    facts: Facts
    absent: frozenset[str]
    model: Any
    questions: Questions

    def has_field(self, path: str, value: Any) -> bool:
        """Tell whether a value is the packet's field wherever the packet has it."""
        current = self.packet.current(path)
        if current.sort() != value.sort():
            return False
        if _header(path) in self.absent or current.eq(value):
            return True
        claim = z3.Implies(self.packet.has[_header(path)], current == value)
        if self.model is not None and z3.is_false(self.model.eval(claim)):
            return False
        return self.questions.is_implied(self.facts, claim)


def arrival(packet: SymbolicPacket, facts: Facts, questions: Questions) -> Arrival:
    """Return an arrival with this packet as written."""
    absent = frozenset(word for word in HEADERS if questions.is_implied(facts, z3.Not(packet.has[word])))
    model = questions.find_model(facts)
    return Arrival(packet, facts, absent, model if isinstance(model, z3.ModelRef) else None, questions)


def find_role(value: Any, before: Role | None, twin: int, at: Arrival) -> Role:
    """Return what a value can be, as far as one arrival and those before it go."""
    if isinstance(value, SymbolicPacket):
        known = before if isinstance(before, PacketRole) else None
        return _packet_role(value, known, twin, at)
    if isinstance(before, ScalarRole):
        options, seen, term = before.paths, before.seen, before.term
    else:
        options, seen, term = tuple(FIELDS), frozenset(), value
    paths = tuple(path for path in options if at.has_field(path, value))
    present = {path for path in paths if _header(path) not in at.absent}
    return ScalarRole(paths, seen | present, term if term is not None and value.eq(term) else None, twin)


def _packet_role(packet: SymbolicPacket, before: PacketRole | None, twin: int, at: Arrival) -> PacketRole:
    written = frozenset(packet.writes) | (before.written if before else frozenset())
    agreed = _agreed(packet, at) if packet.origin == at.packet.origin else frozenset()
    return PacketRole(written, agreed if before is None else before.linked & agreed, twin)


def _agreed(packet: SymbolicPacket, at: Arrival) -> frozenset[str]:
    """Return the fields that are the same in a packet and in the packet as written, both of one origin."""
    claims = dict(fields_agree(at.packet, packet))
    agreed = {path for path, claim in claims.items() if at.questions.is_implied(at.facts, claim)}
    # A field that neither packet has written is the same in both.
    return frozenset(agreed | (packet.fields.keys() - claims.keys()))


def _header(path: str) -> str:
    return path.partition(".")[0]
