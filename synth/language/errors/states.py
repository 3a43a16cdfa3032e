"""What can be wrong with state objects and their operations: E310 to E349."""

from dataclasses import dataclass

from synth.diagnostics.diagnostic import Diagnostic


@dataclass(frozen=True, kw_only=True)
class TableLacks(Diagnostic):
    code = "E310"
    title = "table `{table}` has no {item}"
    label = "expected `{example}`"

    table: str
    item: str
    example: str


@dataclass(frozen=True, kw_only=True)
class WrongState(Diagnostic):
    code = "E311"
    title = "`{name}` is {found}"
    label = "expected {expected}"

    name: str
    found: str
    expected: str


@dataclass(frozen=True, kw_only=True)
class EntryGone(Diagnostic):
    code = "E312"
    title = "`{entry}` may be gone"
    label = "expected an entry that is still there"

    entry: str


@dataclass(frozen=True, kw_only=True)
class ChooseMisplaced(Diagnostic):
    code = "E313"
    title = "`choose` cannot stand here"
    label = "expected only as the unique key of an `insert`, or as one part of it"


@dataclass(frozen=True, kw_only=True)
class ChooseTwice(Diagnostic):
    code = "E314"
    title = "a unique key can have only one part that is chosen"
    label = "expected one `choose`"


@dataclass(frozen=True, kw_only=True)
class IndexNotProved(Diagnostic):
    code = "E315"
    title = "this index of `{vector}` may be out of range"
    label = "{bound}"
    help = "take the remainder by the size, `{vector}[i % ...]`, or read it with `{vector}.at(i) or ...`"

    vector: str
    bound: str


@dataclass(frozen=True, kw_only=True)
class TimerWithoutLifetime(Diagnostic):
    code = "E316"
    title = "timer `{timer}` has no lifetime"
    label = "expected `timer {timer} = 60s`, or a parameter `{timer}: duration`"

    timer: str


@dataclass(frozen=True, kw_only=True)
class EmitsToNobody(Diagnostic):
    code = "E317"
    title = "`{nf}` has no other side to emit on"
    label = "expected at least two sides"

    nf: str


@dataclass(frozen=True, kw_only=True)
class UnfitValue(Diagnostic):
    code = "E318"
    title = "`{name}` is a token bucket, which can only be taken from"
    label = "expected `{name}.take(size)`"

    name: str
