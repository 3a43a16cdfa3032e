"""What can be wrong with what packets are: E270 to E299, W100 to W109."""

from dataclasses import dataclass
from typing import ClassVar

from synth.diagnostics.diagnostic import Diagnostic, Severity


@dataclass(frozen=True, kw_only=True)
class HeaderMissing(Diagnostic):
    code = "E270"
    title = "`{packet}` may be {kinds}, which has no `{header}`"
    label = "`{packet}` must be `{header}` here"
    help = "test it first: `if {packet} is {header} {{ ... }}`, or say it in the pattern"

    packet: str
    header: str
    kinds: str


@dataclass(frozen=True, kw_only=True)
class ReadOnlyField(Diagnostic):
    code = "E271"
    title = "`{path}` can be read only"
    label = "this field decides how the packet is built, or is computed when it leaves"

    path: str


@dataclass(frozen=True, kw_only=True)
class HandlersIncomplete(Diagnostic):
    code = "E272"
    title = "no handler of `{nf}` takes these packets on `{side}`: {kinds}"
    label = "expected handlers for every kind of packet"
    help = "add a last handler that takes the rest, for example: from {side} (pkt) {{ drop not_handled }}"

    nf: str
    side: str
    kinds: str


@dataclass(frozen=True, kw_only=True)
class MatchIncomplete(Diagnostic):
    code = "E273"
    title = "no case takes `{packet}` when it is {kinds}"
    label = "expected a case for every kind of packet"
    help = "add a case, or `else {{ ... }}`"

    packet: str
    kinds: str


@dataclass(frozen=True, kw_only=True)
class ImpossiblePattern(Diagnostic):
    code = "E274"
    title = "no packet is `{pattern}`"
    label = "expected a pattern that some packet satisfies"

    pattern: str


@dataclass(frozen=True, kw_only=True)
class WrongPacket(Diagnostic):
    code = "E275"
    title = "`{function}` takes only `{wanted}`, but `{packet}` may be {kinds}"
    label = "expected a packet that is `{wanted}`"
    help = "test it first: `if {packet} is {wanted} {{ ... }}`"

    function: str
    packet: str
    wanted: str
    kinds: str


@dataclass(frozen=True, kw_only=True)
class HeaderIsNoValue(Diagnostic):
    code = "E276"
    title = "a whole header is not a value"
    label = "expected one of its fields: {fields}"

    fields: str


@dataclass(frozen=True, kw_only=True)
class UnknownIcmpError(Diagnostic):
    code = "E277"
    title = "this is no ICMP error"
    label = "expected one of {errors}"

    errors: str


@dataclass(frozen=True, kw_only=True)
class UnreachableHandler(Diagnostic):
    code = "W100"
    severity: ClassVar[Severity] = "warning"
    title = "this handler never gets a packet"
    label = "handlers before it take all of these"


@dataclass(frozen=True, kw_only=True)
class UnreachableCase(Diagnostic):
    code = "W101"
    severity: ClassVar[Severity] = "warning"
    title = "this case never gets a packet"
    label = "`{packet}` is never this here"

    packet: str


@dataclass(frozen=True, kw_only=True)
class DecidedTest(Diagnostic):
    code = "W102"
    severity: ClassVar[Severity] = "warning"
    title = "this test is always {outcome}"
    label = "`{packet}` is {kinds} here"

    packet: str
    outcome: str
    kinds: str
