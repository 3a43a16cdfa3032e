"""Prove that a synthesized chain does what the chain as written does. Trusts nothing of the synthesizer.

Obligations (see the README): both graphs are well formed; their declarations agree, so that initial
states, time, sweeps and reloads are the same on both sides; and one step from each interface and
behind each loop's cut, by the walk of `product.py`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter

from synth.graph.errors import InvalidGraph
from synth.graph.nodes import ChainGraph
from synth.graph.verify import verify
from synth.proof.declarations import compare_declarations
from synth.proof.outcome import Difference
from synth.proof.premises import Premise
from synth.proof.product import Product, prepare_product
from synth.proof.rule_sets import compare_rule_sets


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

    @property
    def failures(self) -> tuple[str, ...]:
        """What could not be shown, in words: the obligation, and what is wrong."""
        return tuple(f"{one.name}: {failure}" for one in self.obligations for failure in one.failures)


def prove(written: ChainGraph, result: ChainGraph, premises: Mapping[str, Premise] | None = None) -> Proof:
    """Validate a result against the chain as written, for every packet and every state.

    `premises` say of interfaces which packets alone arrive there; whoever gives them vouches for them.
    """
    start = perf_counter()
    obligations = [_check("graphs", lambda: _malformed(written, result))]
    if not obligations[-1].failures:
        obligations.append(_check("declarations", lambda: compare_declarations(written, result)))
    if obligations[-1].failures:
        return Proof(
            obligations=tuple(obligations),
            differences=(),
            pairs=0,
            questions=0,
            unknown=0,
            seconds=perf_counter() - start,
        )
    compared = perf_counter()
    alike = dict(compare_rule_sets(written, result))
    rules = Obligation(name="rule sets", failures=(), seconds=perf_counter() - compared)
    product = prepare_product(written, result, premises=premises or {}, alike=alike)
    product.walk()
    return Proof(
        obligations=(*obligations, *([rules] if alike else []), *_steps(product)),
        differences=product.differences,
        pairs=product.pairs,
        questions=product.questions.asked,
        unknown=product.questions.unknown,
        seconds=perf_counter() - start,
    )


def _check(name: str, find: Callable[[], Iterator[str]]) -> Obligation:
    start = perf_counter()
    failures = tuple(find())
    return Obligation(name=name, failures=failures, seconds=perf_counter() - start)


def _malformed(written: ChainGraph, result: ChainGraph) -> Iterator[str]:
    for name, graph in (("as written", written), ("the result", result)):
        try:
            verify(graph, is_synthesized=True)
        except InvalidGraph as error:
            yield from (f"{name}: {violation}" for violation in error.violations)


def _steps(product: Product) -> Iterator[Obligation]:
    for scope, walked in product.scopes.items():
        failures = tuple(dict.fromkeys(found.what for found in walked.differences))
        yield Obligation(name=f"step from {scope}", failures=failures, seconds=walked.seconds)
