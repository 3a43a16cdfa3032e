"""What a person or a script is told after a run or a build."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from synth.diagnostics.diagnostic import Diagnostic
from synth.diagnostics.render import to_json


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReport:
    """Where every packet went: in + generated = out + drops + held.

    `packets_out` is by interface, `drops` by full counter name and without zeros, `counters` are
    the NFs' own.
    """

    packets_in: int
    generated: int
    packets_out: Mapping[str, int]
    drops: Mapping[str, int]
    counters: Mapping[str, int]
    held: int = 0

    @property
    def is_balanced(self) -> bool:
        """Whether no packet is unaccounted for."""
        left = sum(self.packets_out.values()) + sum(self.drops.values()) + self.held
        return self.packets_in + self.generated == left

    def as_dict(self) -> dict[str, object]:
        """Return the object that `--json` prints."""
        return {
            "packets_in": self.packets_in,
            "generated": self.generated,
            "packets_out": dict(self.packets_out),
            "drops": dict(self.drops),
            "held": self.held,
            "counters": dict(self.counters),
        }

    def text(self) -> str:
        """Return the report for a person: totals, then each interface, drop and counter."""
        rows = [("in", self.packets_in), ("generated", self.generated)]
        rows += [(f"out {interface}", count) for interface, count in self.packets_out.items()]
        rows += [(f"dropped {name}", count) for name, count in sorted(self.drops.items())]
        rows += [(f"counter {name}", count) for name, count in sorted(self.counters.items())]
        rows += [("held", self.held)] if self.held else []
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {count:>10,}" for name, count in rows)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofReport:
    """What a validation came to: what had to be shown, and what was not (in words)."""

    is_proved: bool
    obligations: Mapping[str, float]
    failures: tuple[str, ...]
    pairs: int
    questions: int
    unknown: int
    seconds: float

    def as_dict(self) -> dict[str, object]:
        """Return the object that `--json` prints; seconds by obligation."""
        return {
            "proved": self.is_proved,
            "obligations": {name: round(taken, 3) for name, taken in self.obligations.items()},
            "failures": list(self.failures),
            "pairs": self.pairs,
            "questions": self.questions,
            "unknown": self.unknown,
            "seconds": round(self.seconds, 3),
        }

    def text(self) -> str:
        """Return the report for a person: each obligation, then the sum."""
        lines = [f"{taken:8.2f} s  {name}" for name, taken in self.obligations.items()]
        lines += [f"NOT shown: {failure}" for failure in self.failures]
        verdict = "proved" if self.is_proved else "not proved"
        lines.append(
            f"{verdict}: {self.pairs} pairs of places, {self.questions} questions to Z3 "
            f"({self.unknown} left open), {self.seconds:.1f} s"
        )
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildReport:
    """What a build made, and how long each stage took (seconds)."""

    chain: str
    binary: str | None
    sources: str
    form: str
    network_functions: int
    blocks_as_written: int
    blocks: int
    operations: int
    states: Mapping[str, str]
    seconds: Mapping[str, float]
    proof: ProofReport | None
    warnings: tuple[Diagnostic, ...]

    def as_dict(self) -> dict[str, object]:
        """Return the object that `report.json` holds."""
        return {
            "chain": self.chain,
            "binary": self.binary,
            "sources": self.sources,
            "form": self.form,
            "network_functions": self.network_functions,
            "blocks_as_written": self.blocks_as_written,
            "blocks": self.blocks,
            "operations": self.operations,
            "states": dict(self.states),
            "seconds": {stage: round(taken, 3) for stage, taken in self.seconds.items()},
            "proof": None if self.proof is None else self.proof.as_dict(),
            "warnings": to_json(self.warnings),
        }

    def text(self) -> str:
        """Return the report for a person, in a few lines."""
        taken = ", ".join(f"{stage} {seconds:.1f} s" for stage, seconds in self.seconds.items())
        lines = [
            f"{self.binary or self.sources}: chain {self.chain}, {self.network_functions} network functions",
            f"{self.form}: {self.blocks} blocks ({self.blocks_as_written} as written)",
            taken,
        ]
        if self.proof is not None and not self.proof.is_proved:
            lines += ["Not proved:", *(f"  {failure}" for failure in self.proof.failures)]
        return "\n".join(lines)


@dataclass(slots=True)
class Stopwatch:
    """Seconds by stage, in the order in which the stages were entered."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def measure(self, stage: str) -> Iterator[None]:
        """Add the time of the block to the stage."""
        start = perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + perf_counter() - start
