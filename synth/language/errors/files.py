"""What can be wrong in data files, in `--config` and in `--set`: E500 to E599, W500 to W599."""

from dataclasses import dataclass
from typing import ClassVar

from synth.diagnostics.diagnostic import Diagnostic, Severity

# ---------------------------------------------------------------- any file


@dataclass(frozen=True, kw_only=True)
class FileNotReadable(Diagnostic):
    code = "E500"
    title = "cannot read {path}: {reason}"
    label = "named here"
    help = "paths are relative to {base}"

    path: str
    reason: str
    base: str


@dataclass(frozen=True, kw_only=True)
class FileNotText(Diagnostic):
    code = "E501"
    title = "{path} is not UTF-8 text: line {line} holds other bytes"
    label = "named here"

    path: str
    line: int


@dataclass(frozen=True, kw_only=True)
class UnexpectedWord(Diagnostic):
    code = "E502"
    title = "unexpected `{found}`"
    label = "expected {expected}{hint}"

    found: str
    expected: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class LineTooShort(Diagnostic):
    code = "E503"
    title = "the line ends too early"
    label = "expected {expected}"

    expected: str


@dataclass(frozen=True, kw_only=True)
class HostBitsSet(Diagnostic):
    code = "E504"
    title = "`{found}` has bits set behind its {length} bits of prefix"
    label = "expected a network address"
    help = "write {prefix}, or {address}/32 for the one address"

    found: str
    length: int
    prefix: str
    address: str


@dataclass(frozen=True, kw_only=True)
class OutOfRange(Diagnostic):
    code = "E505"
    title = "{found} is out of range"
    label = "expected {what} from {low} to {high}"

    found: str
    what: str
    low: int
    high: int


@dataclass(frozen=True, kw_only=True)
class EmptyRange(Diagnostic):
    code = "E506"
    title = "no number is in `{low}..{high}`"
    label = "expected the lower end first"
    help = "write {high}..{low}"

    low: int
    high: int


@dataclass(frozen=True, kw_only=True)
class Ipv6NotYet(Diagnostic):
    code = "E507"
    title = "`{found}` is IPv6, which this version cannot use yet"
    label = "expected IPv4"

    found: str


# ---------------------------------------------------------------- rule sets


@dataclass(frozen=True, kw_only=True)
class RepeatedPart(Diagnostic):
    code = "E510"
    title = "`{part}` is given twice in one rule"
    label = "expected each part once"

    part: str


@dataclass(frozen=True, kw_only=True)
class NeedsProtocol(Diagnostic):
    code = "E511"
    title = "`{part}` asks for {asks}, which protocol `{protocol}` does not have"
    label = "expected {expected} before it"

    part: str
    asks: str
    protocol: str
    expected: str


@dataclass(frozen=True, kw_only=True)
class RuleNeverMatches(Diagnostic):
    """A rule all of whose packets are decided by one earlier rule. One report for a rule set."""

    code = "W512"
    severity: ClassVar[Severity] = "warning"
    title = "this rule never decides: an earlier rule takes all of its packets"
    label = "covered by line {line}"
    help = "{others}"

    line: int
    others: str = ""


# ---------------------------------------------------------------- routing tables


@dataclass(frozen=True, kw_only=True)
class ConflictingRoute(Diagnostic):
    code = "E520"
    title = "{prefix} has two next hops"
    label = "`{found}` here, `{earlier}` in line {line}"
    help = "keep one of the two lines"

    prefix: str
    found: str
    earlier: str
    line: int


@dataclass(frozen=True, kw_only=True)
class RepeatedRoute(Diagnostic):
    code = "W521"
    severity: ClassVar[Severity] = "warning"
    title = "{prefix} is listed twice with the same next hop"
    label = "as in line {line}"
    help = "{others}"

    prefix: str
    line: int
    others: str = ""


@dataclass(frozen=True, kw_only=True)
class UnknownNextHop(Diagnostic):
    code = "E522"
    title = "unknown next hop `{found}`"
    label = "expected {expected}{hint}"

    found: str
    expected: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class ManyMistakes(Diagnostic):
    """Stands for the rest when a file has more mistakes than anyone wants to read."""

    code = "E523"
    title = "{count} more lines of {path} are wrong"
    label = "the first of them"

    count: int
    path: str


# ---------------------------------------------------------------- YAML


@dataclass(frozen=True, kw_only=True)
class YamlSyntax(Diagnostic):
    code = "E530"
    title = "this is not YAML: {problem}"
    label = "found here"

    problem: str


@dataclass(frozen=True, kw_only=True)
class WrongShape(Diagnostic):
    code = "E531"
    title = "unexpected {found}"
    label = "expected {expected}"

    found: str
    expected: str


@dataclass(frozen=True, kw_only=True)
class UnknownKey(Diagnostic):
    code = "E532"
    title = "{what} has no `{key}`"
    label = "expected {expected}{hint}"

    what: str
    key: str
    expected: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class MissingKey(Diagnostic):
    code = "E533"
    title = "this {what} lacks `{key}`"
    label = "expected `{key}: ...`, {kind}"

    what: str
    key: str
    kind: str


@dataclass(frozen=True, kw_only=True)
class WrongValue(Diagnostic):
    code = "E534"
    title = "`{key}` cannot be `{found}`"
    label = "expected {expected}"

    key: str
    found: str
    expected: str


@dataclass(frozen=True, kw_only=True)
class RepeatedKey(Diagnostic):
    code = "E535"
    title = "`{key}` is given twice"
    label = "expected each key once; first given in line {line}"

    key: str
    line: int


@dataclass(frozen=True, kw_only=True)
class RepeatedRecord(Diagnostic):
    code = "W536"
    severity: ClassVar[Severity] = "warning"
    title = "this {what} is listed twice"
    label = "as in line {line}"

    what: str
    line: int


# ---------------------------------------------------------------- --set


@dataclass(frozen=True, kw_only=True)
class SettingSyntax(Diagnostic):
    code = "E540"
    title = "`{found}` sets nothing"
    label = "expected NAME=VALUE or INSTANCE.NAME=VALUE"
    help = "for example: --set nat.public=203.0.113.1"

    found: str
