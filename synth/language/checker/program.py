"""What one run of the checker shares: where it reports, and what it has checked already."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from synth.diagnostics.reporter import Reporter
from synth.diagnostics.spans import Span
from synth.language import syntax, typed
from synth.language.checker.plans import Plan
from synth.language.checker.units import Declared, Loader
from synth.language.errors.names import NestedTooDeep
from synth.language.types import Record, Type
from synth.language.values import RouteTableValue, RuleSetValue, Scalars

MOST_OPEN = 32
"""So many declarations may be nested in each other; what checks them recurses."""


@dataclass(frozen=True, slots=True)
class FunctionInfo:
    """A checked function: its signature, and its body unless that is wrong."""

    parameters: tuple[tuple[str, Type], ...]
    wanted: Mapping[str, str]
    """For packet parameters: their pattern as written."""
    result: Type | None
    function: typed.TypedFunction | None
    calls: int
    """How many functions a call of this one runs, itself included."""


@dataclass(slots=True)
class Program:
    """One run. The caches are keyed by the identity of the declaration's syntax node."""

    reporter: Reporter
    loader: Loader
    records: dict[int, Record | None] = field(default_factory=dict)
    declared_records: dict[Record, Declared] = field(default_factory=dict)
    defaults: dict[Record, Mapping[str, typed.Expr]] = field(default_factory=dict)
    """The checked defaults of records' members."""
    functions: dict[int, FunctionInfo | None] = field(default_factory=dict)
    nfs: dict[int, typed.TypedNf | None] = field(default_factory=dict)
    plans: dict[int, Plan] = field(default_factory=dict)
    rule_files: dict[tuple[Path, bool], RuleSetValue] = field(default_factory=dict)
    route_files: dict[tuple[Path, tuple[tuple[str, Scalars | None], ...]], RouteTableValue] = field(
        default_factory=dict
    )
    """Data files read so far, by what their values depend on."""
    broken_defaults: set[Span] = field(default_factory=set)
    """Parameters whose defaults are wrong: that they have no value has been reported."""
    open: list[Declared] = field(default_factory=list)
    """Declarations that are being checked, outermost first: meeting one again is recursion."""

    def is_too_deep(self, at: Span) -> bool:
        """Tell whether too many declarations are open for another one; report when so."""
        if len(self.open) < MOST_OPEN:
            return False
        self.reporter.report(NestedTooDeep(span=at, limit=MOST_OPEN))
        return True

    def cycle_to(self, item: syntax.Record | syntax.Function | syntax.Chain) -> str | None:
        """Return how the open declarations lead back to one of them, or None when it is not open."""
        items = [declared.item for declared in self.open]
        if not any(opened is item for opened in items):
            return None
        start = next(index for index, opened in enumerate(items) if opened is item)
        return " -> ".join([*(opened.name.text for opened in items[start:]), item.name.text])


def create_program() -> Program:
    """Return an empty run."""
    reporter = Reporter()
    return Program(reporter, Loader(reporter))
