"""What `synth prove` and `synth explain` say: what synthesis did to a chain, and whether that is right."""

from collections import Counter
from dataclasses import asdict, dataclass
from importlib import import_module

from synth.diagnostics.spans import NOWHERE, Span
from synth.graph.nodes import ChainGraph
from synth.proof.validate import Proof
from synth.reports import ProofReport
from synth.resources import shown_path
from synth.synthesis import Remark, Statistics, Synthesized

MODULES = {"join_equal": "join"}
"""Passes that share a file with another."""


def report_proof(proof: Proof) -> ProofReport:
    """Return a proof as it is reported."""
    return ProofReport(
        is_proved=proof.is_proved,
        obligations={one.name: one.seconds for one in proof.obligations},
        failures=proof.failures,
        pairs=proof.pairs,
        questions=proof.questions,
        unknown=proof.unknown,
        seconds=proof.seconds,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """What was eliminated, where it stood and why, with the sizes before and after."""

    chain: ChainGraph
    synthesized: Synthesized

    def as_dict(self) -> dict[str, object]:
        """Return the object that `--json` prints."""
        return {
            "chain": self.chain.name,
            "before": asdict(self.synthesized.before),
            "after": asdict(self.synthesized.after),
            "eliminated": [_remark_dict(remark) for remark in self.synthesized.remarks],
        }

    def text(self) -> str:
        """Return the explanation for a person: sizes, sums by pass, then every remark with its places."""
        remarks = self.synthesized.remarks
        sums = Counter(remark.pass_name for remark in remarks)
        lines = [f"chain {self.chain.name}", *_sizes(self.synthesized.before, self.synthesized.after), ""]
        lines += [f"{count:6}  {name}: {_meaning(name)}" for name, count in sums.most_common()]
        return "\n".join([*lines, "", *(_remark_text(remark) for remark in remarks)])


def _sizes(before: Statistics, after: Statistics) -> list[str]:
    now = asdict(after)
    rows = [f"{name.replace('_', ' '):<18}{count:>8}{now[name]:>8}" for name, count in asdict(before).items()]
    return [f"{'':<18}{'before':>8}{'after':>8}", *rows]


def _meaning(pass_name: str) -> str:
    """Return the first sentence of what a pass says about itself."""
    module = import_module(f"synth.synthesis.{MODULES.get(pass_name, pass_name)}")
    return (module.__doc__ or "").strip().splitlines()[0]


def _place(span: Span | None) -> str:
    return "" if span is None or span == NOWHERE else f"{shown_path(span.file)}:{span.line}"


def _cause(remark: Remark) -> str:
    """Return where the cause stands, unless that is the very line of what is gone."""
    cause = _place(remark.cause)
    return "" if cause == _place(remark.place) else cause


def _remark_text(remark: Remark) -> str:
    cause = _cause(remark)
    return f"{_place(remark.place) or '-'}: {remark.text}" + (f" (because of {cause})" if cause else "")


def _remark_dict(remark: Remark) -> dict[str, str]:
    return {
        "pass": remark.pass_name,
        "what": remark.text,
        "place": _place(remark.place),
        "cause": _cause(remark),
    }
