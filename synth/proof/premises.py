"""What is known of the packets that arrive on an interface, because someone in front of it sees to it.

A proof under premises shows nothing about other packets. Who gives a premise must show that it holds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import z3

from synth.proof.questions import Facts
from synth.proof.symbols import Term
from synth.proof.z3_domain import SymbolicPacket


@dataclass(frozen=True, slots=True, kw_only=True)
class Premise:
    """What holds of every packet of an interface.

    Attributes:
        headers: words of `HEADERS`, and whether the packet has them.
        rules: a rule set's name, or None.
        answer: what that rule set says of the packet: matched, permits, and the rule's index unless it is
            None.
    """

    headers: Mapping[str, bool]
    rules: str | None = None
    answer: tuple[int, int, int | None] = (0, 0, None)


def premise_facts(premise: Premise, packet: SymbolicPacket, state: Any) -> Facts:
    """Return a premise as facts about the received packet."""
    facts: list[Term] = [
        packet.has[word] if holds else z3.Not(packet.has[word]) for word, holds in premise.headers.items()
    ]
    if premise.rules is not None:
        matched, permits, index = state.rules[premise.rules].decide(packet)
        wanted = zip((matched, permits), premise.answer[:2], strict=True)
        facts += [term if holds else z3.Not(term) for term, holds in wanted]
        if premise.answer[2] is not None:
            facts.append(index == premise.answer[2])
    return tuple(facts)
