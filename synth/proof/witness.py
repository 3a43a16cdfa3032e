"""What Z3 says about a claim that it could not show: a packet, and what state answers.

A model is a hint and not a counterexample: behind loops the walk knows less than is true, and a state
need not be one that packets can lead to. Whether two graphs really differ is shown by running both.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import z3

from synth.net.fields import FIELDS
from synth.net.kinds import HEADERS
from synth.proof.outcome import Difference
from synth.proof.product import RECEIVED
from synth.proof.questions import TIMEOUT_MS
from synth.proof.symbols import Term
from synth.proof.z3_domain import SymbolicPacket, packet_laws, symbolic_packet

MOST_ANSWERS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A received packet for which a claim fails, as far as Z3 can tell.

    Attributes:
        present: the words of `HEADERS` that hold for it.
        fields: its header fields' values, for headers that it has.
        length: the frame's length.
        answers: what state objects answer on the way, in words of Z3; the shortest, not all.
    """

    present: frozenset[str]
    fields: Mapping[str, int]
    length: int
    answers: tuple[str, ...]


def find_witness(difference: Difference) -> Witness | None:
    """Return a model of a failed claim, or None when Z3 finds none in time.

    It is asked in a context of its own: which model Z3 finds depends on all that was asked before in one.
    """
    packet = symbolic_packet(RECEIVED)
    facts = (*packet_laws(packet), *difference.pair.facts)
    if difference.claim is not None:
        facts = (*facts, z3.Not(difference.claim))
    solver = z3.SimpleSolver(ctx=z3.Context())
    solver.set("timeout", TIMEOUT_MS)
    solver.add(*(fact.translate(solver.ctx) for fact in facts))
    return _read(solver.model(), packet) if solver.check() == z3.sat else None


def _read(model: z3.ModelRef, packet: SymbolicPacket) -> Witness:
    present = frozenset(word for word in HEADERS if z3.is_true(_value(model, packet.has[word])))
    return Witness(
        present=present,
        fields={
            path: _number(_value(model, term))
            for path, term in packet.fields.items()
            if FIELDS[path].header in present
        },
        length=_number(_value(model, packet.length)),
        answers=_answers(model),
    )


def _value(model: z3.ModelRef, term: Term) -> Term:
    return model.eval(term.translate(model.ctx), model_completion=True)


def _number(term: Term) -> int:
    return int(z3.is_true(term)) if z3.is_bool(term) else int(term.as_long())


def _answers(model: z3.ModelRef) -> tuple[str, ...]:
    found = []
    for declared in model.decls():
        name = declared.name()
        if declared.arity() and "." in name:
            text = " ".join(str(model[declared]).split())
            found.append(f"{name}: {text}")
    return tuple(sorted(found, key=len)[:MOST_ANSWERS])
