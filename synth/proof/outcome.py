"""What two ended runs must have in common: frames, order, counters, accounting, state."""

from collections.abc import Iterator
from dataclasses import dataclass

import z3

from synth.proof.merge import Pair
from synth.proof.questions import Questions
from synth.proof.sides import tokens_of
from synth.proof.symbols import Term
from synth.proof.z3_domain import SymbolicPacket


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that could not be shown equal.

    `claim` is what should have followed from the pair's facts; None when the difference is plain.
    """

    what: str
    pair: Pair
    claim: Term | None


def compare(pair: Pair, questions: Questions) -> list[Difference]:
    """Return every difference between what the two sides have done so far."""
    plain = [Difference(what, pair, None) for what in _plain_differences(pair)]
    if plain:
        return plain if questions.is_possible(pair.facts) else []
    return [
        Difference(what, pair, claim)
        for what, claim in _claims(pair)
        if not questions.is_implied_after_all(pair.facts, claim)
    ]


def _plain_differences(pair: Pair) -> Iterator[str]:
    written, result = pair.written.path, pair.result.path
    if written.drops != result.drops:
        yield f"drops: {_counts(written.drops)} as written, {_counts(result.drops)} in the result"
    if written.generated != result.generated:
        yield f"generated: {written.generated} as written, {result.generated} in the result"
    sent, sent_now = ([interface for interface, _ in path.emissions] for path in (written, result))
    if sent != sent_now:
        yield f"frames leave on {_names(sent)} as written, on {_names(sent_now)} in the result"


def _names(interfaces: list[str]) -> str:
    return ", ".join(interfaces) or "no interface"


def _counts(drops: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(drops.items())) or "none"


def _claims(pair: Pair) -> Iterator[tuple[str, Term]]:
    written, result = pair.written.path, pair.result.path
    for (interface, packet), (_, other) in zip(written.emissions, result.emissions, strict=True):
        for path, claim in packets_agree(packet, other):
            yield f"{path} of a frame that leaves on {interface}", claim
    versions, others = tokens_of(written).versions(), tokens_of(result).versions()
    for name, version in versions.items():
        yield f"state of {name}", version == others[name]


def packets_agree(packet: SymbolicPacket, other: SymbolicPacket) -> Iterator[tuple[str, Term]]:
    """Yield claims that together say that two packets are the same."""
    if packet.origin != other.origin:
        yield "origin", z3.BoolVal(val=False)
    else:
        yield from fields_agree(packet, other)


def fields_agree(packet: SymbolicPacket, other: SymbolicPacket) -> Iterator[tuple[str, Term]]:
    """Yield a claim for each field that either packet has written: it is the same in both."""
    for path in dict.fromkeys((*packet.writes, *other.writes)):
        present = packet.has[path.partition(".")[0]]
        yield path, z3.Implies(present, packet.current(path) == other.current(path))
