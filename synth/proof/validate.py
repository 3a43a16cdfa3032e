"""Prove that a synthesized chain does what the chain as written does. Trusts nothing of the synthesizer.

Obligations (see the README): declarations (initial state, time, sweeps and reloads act on the same
objects on both sides), and one step from each interface, by the walk of `product.py`.
"""

from dataclasses import dataclass
from time import perf_counter

from synth.graph.nodes import ChainGraph
from synth.proof.declarations import compare_declarations
from synth.proof.outcome import Difference
from synth.proof.product import prepare_product


@dataclass(frozen=True, slots=True, kw_only=True)
class Obligation:
    """Something that had to be shown, and how that went. `seconds` is how long it took."""

    name: str
    failures: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """The outcome of a validation.

    `questions` were put to Z3, of which it left `unknown` open; `pairs` is how many places of the two
    graphs were met together.
    """

    obligations: tuple[Obligation, ...]
    differences: tuple[Difference, ...]
    pairs: int
    questions: int
    unknown: int
    seconds: float

    @property
    def is_proved(self) -> bool:
        """Whether every obligation was shown."""
        return not any(obligation.failures for obligation in self.obligations)


def prove(written: ChainGraph, result: ChainGraph) -> Proof:
    """Validate a result against the chain as written, for every packet and every state."""
    start = perf_counter()
    declared = tuple(compare_declarations(written, result))
    obligations = [Obligation(name="declarations", failures=declared, seconds=perf_counter() - start)]
    product = prepare_product(written, result)
    began = perf_counter()
    for interface in written.interfaces if not declared else ():
        if interface.entry is not None:
            product.walk_interface(interface.name)
    seconds = perf_counter() - began
    for scope, differences in product.found.items():
        failures = tuple(dict.fromkeys(found.what for found in differences))
        obligations.append(Obligation(name=f"step from {scope}", failures=failures, seconds=seconds))
    return Proof(
        obligations=tuple(obligations),
        differences=product.differences,
        pairs=product.pairs,
        questions=product.questions.asked,
        unknown=product.questions.unknown,
        seconds=perf_counter() - start,
    )
