"""What the result's operations presuppose: entries that are there, indices in range.

To the unknown functions of `tokens.py` every entry can be read, and every cell. In a real state it must be
there; so a result that asks where the chain as written would not, such as before it is known that a lookup
found something, is refused here. The chain as written is taken to ask only for what is there.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import z3

from synth.proof.merge import Pair
from synth.proof.outcome import Difference
from synth.proof.questions import Questions
from synth.proof.sides import tokens_of
from synth.proof.symbols import Term
from synth.proof.token_table import Asked
from synth.proof.token_terms import VERSION, apply


def check_presupposed(pair: Pair, questions: Questions) -> Iterator[Difference]:
    """Yield what the result has presupposed since the last check and facts do not say."""
    asked = tokens_of(pair.result.path).asked
    for found in {_key(one): one for one in asked}.values():
        claim = _claim(found, questions)
        if not questions.is_implied_after_all(pair.facts, claim):
            what = "an index of" if found.membership is None else "an entry of"
            yield Difference(f"{what} {found.name} is used that may not be there", pair, claim)
    asked.clear()
    tokens_of(pair.written.path).asked.clear()


def _key(asked: Asked) -> tuple[object, ...]:
    membership = None if asked.membership is None else asked.membership.get_id()
    return asked.name, membership, asked.what.get_id()


def _claim(asked: Asked, questions: Questions) -> Term:
    if asked.membership is None:
        return asked.what
    return _Live(asked.name, questions).is_live(asked.membership, asked.what)


@dataclass(frozen=True, slots=True)
class _Live:
    """Liveness of a table's entries, by where they come from."""

    table: str
    questions: Questions

    def is_live(self, membership: Term, entry: Term) -> Term:
        """Return a condition under which an entry is live at a version of the membership."""
        if z3.is_app_of(entry, z3.Z3_OP_ITE):
            condition, then, otherwise = entry.children()
            return z3.If(condition, self.is_live(membership, then), self.is_live(membership, otherwise))
        name = entry.decl().name()
        if name.startswith(f"{self.table}.find.") and name.endswith(".entry"):
            found = self._answer(entry, ".found")
            return z3.And(found, self._is_kept(entry, entry.arg(0), membership))
        if name.startswith(f"{self.table}.insert") and name.endswith(".entry"):
            done = self._answer(entry, ".done")
            return z3.And(done, self._is_kept(entry, self._inserted(entry), membership))
        meaning = self.questions.meaning_of(entry)
        return _NO if meaning is None else self.is_live(membership, meaning)

    def _is_kept(self, entry: Term, since: Term, membership: Term) -> Term:
        """Return a condition under which what was live at one version is so at a later one."""
        if membership.eq(since):
            return _YES
        if z3.is_app_of(membership, z3.Z3_OP_ITE):
            condition, then, otherwise = membership.children()
            return z3.If(condition, self._is_kept(entry, since, then), self._is_kept(entry, since, otherwise))
        name = membership.decl().name()
        if name.endswith(".remove.membership"):
            return z3.And(entry != membership.arg(1), self._is_kept(entry, since, membership.arg(0)))
        if name.endswith(".membership"):
            return self._is_kept(entry, since, membership.arg(0))
        meaning = self.questions.meaning_of(membership)
        return _NO if meaning is None else self._is_kept(entry, since, meaning)

    def _answer(self, entry: Term, suffix: str) -> Term:
        """Return the truth value that a lookup or an insertion gave together with its entry."""
        return self._beside(entry, suffix, z3.BoolSort())

    def _inserted(self, entry: Term) -> Term:
        """Return the membership right behind an insertion."""
        return self._beside(entry, ".membership", VERSION)

    def _beside(self, entry: Term, suffix: str, sort: Term) -> Term:
        name = entry.decl().name().removesuffix(".entry")
        return apply(f"{name}{suffix}", entry.children(), sort)


_YES, _NO = z3.BoolVal(val=True), z3.BoolVal(val=False)
