"""What is in scope at one point of a handler, function or static expression, and what is known there."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from synth.diagnostics.diagnostic import Diagnostic
from synth.diagnostics.spans import Span
from synth.language import typed
from synth.language.checker.program import Program
from synth.language.checker.units import Unit
from synth.language.types import Type
from synth.net.kinds import Kind

Place = Literal["a handler", "a function", "a static expression"]

# ---------------------------------------------------------------- names


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterName:
    type: Type | None
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class StateName:
    """A state object; None when its declaration is wrong."""

    state: typed.State | None
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSide:
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalName:
    """A local. `unique` is its name in the typed tree; type None: its value is wrong."""

    unique: str
    type: Type | None
    span: Span


Known = ParameterName | StateName | OwnSide | LocalName

NOUNS: dict[type, str] = {
    ParameterName: "parameter", StateName: "state", OwnSide: "side", LocalName: "local",
}  # fmt: skip

# ---------------------------------------------------------------- facts


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is known on the way that leads to a point.

    Attributes:
        kinds: what each packet can be there.
        gone: entries that may have been removed, with the place.
        has_emitted: every way here has emitted.
        is_ended: no way leads here.
        silent: a place where a way that has not emitted joined one that has.
    """

    kinds: Mapping[str, frozenset[Kind]] = field(default_factory=dict)
    gone: Mapping[str, Span] = field(default_factory=dict)
    has_emitted: bool = False
    is_ended: bool = False
    silent: Span | None = None

    def narrow(self, packet: str, kinds: frozenset[Kind]) -> "Facts":
        """Return the facts with a packet known to be of some kinds."""
        return replace(self, kinds={**self.kinds, packet: kinds})

    @property
    def is_impossible(self) -> bool:
        """No packet gets here: one would have to be of no kind."""
        return any(not kinds for kinds in self.kinds.values())


def join_facts(left: Facts, right: Facts) -> Facts:
    """Return what is known where two ways meet."""
    if left.is_ended:
        return right
    if right.is_ended:
        return left
    shared = left.kinds.keys() & right.kinds.keys()
    return Facts(
        kinds={name: left.kinds[name] | right.kinds[name] for name in left.kinds if name in shared},
        gone={**right.gone, **left.gone},
        has_emitted=left.has_emitted and right.has_emitted,
        silent=left.silent or right.silent,
    )


# ---------------------------------------------------------------- the scope


@dataclass(slots=True)
class GiveTarget:
    """Where `give` goes: the type that is wanted (None: not known), and the facts at each one."""

    type: Type | None
    is_unwanted: bool
    facts: list[Facts] = field(default_factory=list)


@dataclass(slots=True)
class Scope:
    """A place in a file where expressions and statements are checked; changed as checking goes on."""

    program: Program
    unit: Unit
    place: Place
    what: str
    """What static expressions here are for, in words; empty elsewhere."""
    known: dict[str, Known] = field(default_factory=dict)
    locals: list[dict[str, LocalName]] = field(default_factory=lambda: [{}])
    facts: Facts = field(default_factory=Facts)
    owner: str = ""
    """The NF whose handler this is."""
    sides: tuple[str, ...] | None = None
    packet: str = ""
    """The handler's own packet, as it is named there."""
    gives: list[GiveTarget] = field(default_factory=list)
    may_choose: bool = False
    calls: int = 0
    """How many functions the calls so far run."""
    taken: set[str] = field(default_factory=set)

    def report(self, found: Diagnostic) -> None:
        """Report a diagnostic."""
        self.program.reporter.report(found)

    def find(self, name: str) -> Known | None:
        """Return what a name stands for here."""
        for names in reversed(self.locals):
            if name in names:
                return names[name]
        return self.known.get(name)

    def visible(self) -> list[str]:
        """Return all names in scope."""
        return [*(name for names in self.locals for name in names), *self.known]

    def bind(self, name: str, of: Type | None, span: Span) -> LocalName:
        """Make a local in the innermost block; its name in the typed tree is unique."""
        local = LocalName(unique=self.take_unique(name), type=of, span=span)
        self.locals[-1][name] = local
        return local

    def take_unique(self, name: str) -> str:
        """Return a name that no other local of the typed handler or function has."""
        unique, number = name, 1
        while unique in self.taken:
            number += 1
            unique = f"{name}_{number}"
        self.taken.add(unique)
        return unique
