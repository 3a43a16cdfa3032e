"""What one run of the checker shares: where it reports, and what it has checked already."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from synth.diagnostics.reporter import Reporter
from synth.language import syntax, typed
from synth.language.checker.units import Declared, Loader
from synth.language.types import Packet, Record, Type


@dataclass(frozen=True, slots=True)
class FunctionInfo:
    """A checked function: its signature, and its body unless that is wrong."""

    parameters: tuple[tuple[str, Type], ...]
    wanted: Mapping[str, str]
    """For packet parameters: their pattern as written."""
    result: Type | None
    function: typed.TypedFunction | None

    def packet_kinds(self, name: str) -> Packet | None:
        """Return the packet type of a parameter, or None when it is no packet."""
        of = dict(self.parameters)[name]
        return of if isinstance(of, Packet) else None


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
    open: list[Declared] = field(default_factory=list)
    """Declarations that are being checked, outermost first: meeting one again is recursion."""

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
