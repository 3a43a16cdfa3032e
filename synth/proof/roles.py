"""What an argument of a result's block can be, at a cut, in terms of the packet as written.

Each arrival at the cut leaves fewer possibilities; behind the cut the argument is what is left.
"""

from dataclasses import dataclass
from typing import Any

import z3

from synth.net.fields import FIELDS
from synth.proof.outcome import packets_agree
from synth.proof.questions import Facts, Questions
from synth.proof.unknowns import Unknowns
from synth.proof.z3_domain import SymbolicPacket


@dataclass(frozen=True, slots=True)
class ScalarRole:
    """A field of the packet, by its path, or the one `term` of every arrival (None: there is none).

    No arrival contradicts any of `paths`; the `seen` ones are those whose header some arrival can have,
    so that they have not merely gone uncontradicted.
    """

    paths: tuple[str, ...]
    seen: frozenset[str]
    term: Any

    @property
    def _path(self) -> str | None:
        return next((path for path in self.paths if path in self.seen), None)

    @property
    def is_possible(self) -> bool:
        """Whether anything is left."""
        return self._path is not None or self.term is not None

    @property
    def key(self) -> object:
        """What a walk behind the cut depends on."""
        return self._path or self.term.get_id()

    def behind(self, packet: SymbolicPacket, slot: int, unknowns: Unknowns) -> Any:
        """Return the argument for a packet behind the cut."""
        if self._path is None:
            return self.term
        return _current(packet, self._path, unknowns.at(slot, self._path, packet.fields[self._path]))


@dataclass(frozen=True, slots=True)
class PacketRole:
    """The packet that came in with `written` fields; the `linked` ones are those of the packet as written."""

    written: frozenset[str]
    linked: frozenset[str]

    @property
    def is_possible(self) -> bool:
        """Whether anything is left: unlinked fields are unknown, which is always possible."""
        return True

    @property
    def key(self) -> object:
        """What a walk behind the cut depends on."""
        return self.written, self.linked

    def behind(self, packet: SymbolicPacket, slot: int, unknowns: Unknowns) -> SymbolicPacket:
        """Return the argument for a packet behind the cut."""
        writes = {}
        for path in sorted(self.written):
            unknown = unknowns.at(slot, path, packet.fields[path])
            writes[path] = _current(packet, path, unknown) if path in self.linked else unknown
        return SymbolicPacket(packet.has, packet.fields, packet.length, writes)


Role = ScalarRole | PacketRole


def find_role(
    value: Any, packet: SymbolicPacket, before: Role | None, facts: Facts, questions: Questions
) -> Role:
    """Return what an argument can be, as far as one arrival and those before it go."""
    if isinstance(value, SymbolicPacket):
        known = before if isinstance(before, PacketRole) else PacketRole(frozenset(), frozenset(FIELDS))
        agreed = {path for path, claim in packets_agree(packet, value) if questions.is_implied(facts, claim)}
        # A field that neither packet has written is the same in both.
        agreed |= FIELDS.keys() - packet.writes.keys() - value.writes.keys()
        return PacketRole(known.written | value.writes.keys(), known.linked & agreed)
    if isinstance(before, ScalarRole):
        options, seen, term = before.paths, before.seen, before.term
    else:
        options, seen, term = tuple(FIELDS), frozenset(), value
    paths = tuple(path for path in options if _is_field(packet, path, value, facts, questions))
    present = {path for path in paths if not questions.is_implied(facts, z3.Not(packet.has[_header(path)]))}
    return ScalarRole(paths, seen | present, term if term is not None and value.eq(term) else None)


def _is_field(packet: SymbolicPacket, path: str, value: Any, facts: Facts, questions: Questions) -> bool:
    current = packet.current(path)
    if current.sort() != value.sort():
        return False
    return questions.is_implied(facts, z3.Implies(packet.has[_header(path)], current == value))


def _current(packet: SymbolicPacket, path: str, elsewhere: Any) -> Any:
    """Return a field as it is now where the packet has it; `elsewhere` nothing is known of the argument."""
    return z3.If(packet.has[_header(path)], packet.current(path), elsewhere)


def _header(path: str) -> str:
    return path.partition(".")[0]
