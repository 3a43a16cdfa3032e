"""What `synth prove` and `synth explain` say: what synthesis did to a chain, and whether that is right."""

from collections import Counter
from dataclasses import asdict, dataclass
from importlib import import_module

from synth.diagnostics.spans import Span
from synth.graph.nodes import ChainGraph
from synth.parallel import Plan
from synth.parallel.render import to_json
from synth.pipeline.classes import TrafficClass, traffic_classes
from synth.pipeline.states import state_remarks
from synth.pipeline.story import Story, place_of
from synth.proof.validate import Proof
from synth.reports import ProofReport
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
    """What was eliminated, where it stood and why, the sizes before and after; classes, plan and stories."""

    chain: ChainGraph
    synthesized: Synthesized
    plan: Plan
    stories: tuple[Story, ...] = ()

    @property
    def classes(self) -> tuple[TrafficClass, ...]:
        """The result's traffic classes."""
        return traffic_classes(self.synthesized.graph)

    def as_dict(self) -> dict[str, object]:
        """Return the object that `--json` prints."""
        return {
            "chain": self.chain.name,
            "before": asdict(self.synthesized.before),
            "after": asdict(self.synthesized.after),
            "classes": [_class_dict(one) for one in self.classes],
            "eliminated": [_remark_dict(remark) for remark in self.synthesized.remarks],
            "states": dict(state_remarks(self.chain, self.synthesized.graph)),
            "cores": to_json(self.plan),
            "packets": [story.as_dict() for story in self.stories],
        }

    def text(self) -> str:
        """Return the explanation for a person: sizes, classes, states, sums by pass, then every remark.

        With packets, their stories alone.
        """
        if self.stories:
            return "\n".join(line for story in self.stories for line in story.lines())
        remarks = self.synthesized.remarks
        sums = Counter(remark.pass_name for remark in remarks)
        lines = [f"chain {self.chain.name}", *_sizes(self.synthesized.before, self.synthesized.after), ""]
        lines += [line for one in self.classes for line in _class_lines(one)]
        states = state_remarks(self.chain, self.synthesized.graph)
        lines += ["", *(f"{name}: {text}" for name, text in states), ""]
        lines += [f"on several cores (`synth plan`): {self.plan.strategy}: {self.plan.summary}", ""]
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
    return "" if span is None else place_of(span)


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


def _class_lines(one: TrafficClass) -> list[str]:
    rules = [f"{name} ({live} of {count} rules)" for name, live, count in one.rules]
    lines = [f"{one.verdict}  [{one.block}] {_place(one.place)}".rstrip()]
    lines.append(f"  from {one.start}: {' and '.join(one.match) or 'everything'}")
    lines += [f"  asks {', '.join(rules)}"] if rules else []
    lines += [f"  does {'; '.join(one.operation)}"] if one.operation else []
    return lines + ([f"  on some ways {'; '.join(one.on_some_ways)}"] if one.on_some_ways else [])


def _class_dict(one: TrafficClass) -> dict[str, object]:
    return {
        "from": one.start,
        "match": list(one.match),
        "rules": [{"name": name, "looked_at": live, "written": count} for name, live, count in one.rules],
        "operation": list(one.operation),
        "on_some_ways": list(one.on_some_ways),
        "verdict": one.verdict,
        "block": one.block,
        "place": _place(one.place),
    }
