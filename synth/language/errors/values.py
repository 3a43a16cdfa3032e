"""What can be wrong with literals and with the values of parameters: E220 to E269."""

from dataclasses import dataclass

from synth.diagnostics.diagnostic import Diagnostic

# ---------------------------------------------------------------- literals


@dataclass(frozen=True, kw_only=True)
class LiteralTooLarge(Diagnostic):
    code = "E220"
    title = "{text} does not fit into {type}"
    label = "expected at most {highest}"

    text: str
    type: str
    highest: int


@dataclass(frozen=True, kw_only=True)
class BadAddress(Diagnostic):
    code = "E221"
    title = "`{text}` is not an {family} address"
    label = "expected {expected}"

    text: str
    family: str
    expected: str


@dataclass(frozen=True, kw_only=True)
class PrefixTooLong(Diagnostic):
    code = "E222"
    title = "`{text}` is not an {family} prefix: its length is {length}"
    label = "expected a length from 0 to {longest}"

    text: str
    length: str
    family: str
    longest: int


@dataclass(frozen=True, kw_only=True)
class HostBits(Diagnostic):
    code = "E223"
    title = "`{text}` has bits set behind its {length} bits of prefix"
    label = "expected a network address"
    help = "write {prefix}, or {address} for the one address"

    text: str
    length: int
    prefix: str
    address: str


@dataclass(frozen=True, kw_only=True)
class NothingInRange(Diagnostic):
    code = "E224"
    title = "no number is in `{low}..{high}`"
    label = "expected the lower end first"
    help = "write {high}..{low}"

    low: int
    high: int


@dataclass(frozen=True, kw_only=True)
class BadQuantity(Diagnostic):
    code = "E225"
    title = "`{text}` cannot be used: {reason}"
    label = "expected {expected}"

    text: str
    reason: str
    expected: str


@dataclass(frozen=True, kw_only=True)
class Ipv6Literal(Diagnostic):
    code = "E226"
    title = "`{text}` is IPv6, which interfaces cannot have yet"
    label = "expected IPv4"

    text: str


@dataclass(frozen=True, kw_only=True)
class DividesByZero(Diagnostic):
    code = "E227"
    title = "this divides by zero"
    label = "expected a divisor from 1"


@dataclass(frozen=True, kw_only=True)
class ShiftsTooFar(Diagnostic):
    code = "E228"
    title = "a shift by {amount} leaves nothing of {type}"
    label = "expected an amount below {width}"

    amount: int
    type: str
    width: int


@dataclass(frozen=True, kw_only=True)
class GroupMac(Diagnostic):
    code = "E229"
    title = "`{text}` is a group address, which no interface can have"
    label = "expected an even first byte"

    text: str


# ---------------------------------------------------------------- values of parameters


@dataclass(frozen=True, kw_only=True)
class MissingParameter(Diagnostic):
    code = "E230"
    title = "`{owner}` needs its parameter `{name}`"
    label = "expected `{name}: ...`, {type}"
    help = "{advice}"

    owner: str
    name: str
    type: str
    advice: str = ""


@dataclass(frozen=True, kw_only=True)
class WrongForm(Diagnostic):
    code = "E231"
    title = "{found} is not {type}"
    label = "expected {expected}"

    found: str
    type: str
    expected: str


@dataclass(frozen=True, kw_only=True)
class OutOfBounds(Diagnostic):
    code = "E232"
    title = "{what} is {value}"
    label = "expected {expected}"

    what: str
    value: str
    expected: str


@dataclass(frozen=True, kw_only=True)
class EmptyRingList(Diagnostic):
    code = "E233"
    title = "`{parameter}` is empty, and `{ring}` has nothing to pick from"
    label = "expected at least one {record}"

    parameter: str
    ring: str
    record: str


@dataclass(frozen=True, kw_only=True)
class SizeTooLarge(Diagnostic):
    code = "E234"
    title = "`{parameter}.size` is {size}, which does not fit into {type}"
    label = "expected a wider type"

    parameter: str
    size: int
    type: str


@dataclass(frozen=True, kw_only=True)
class CannotCompute(Diagnostic):
    code = "E235"
    title = "this cannot be computed: {reason}"
    label = "with these parameters"

    reason: str


@dataclass(frozen=True, kw_only=True)
class UnknownSetting(Diagnostic):
    code = "E236"
    title = "{owner} has no {what} `{name}`{hint}"
    label = "expected {expected}"

    owner: str
    what: str
    name: str
    expected: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class PrefixGivenTwice(Diagnostic):
    code = "E237"
    title = "{prefix} has two next hops"
    label = "expected each prefix once"

    prefix: str


@dataclass(frozen=True, kw_only=True)
class WrongChoice(Diagnostic):
    code = "E238"
    title = "`{found}` is not one of {expected}{hint}"
    label = "expected {expected}"

    found: str
    expected: str
    hint: str = ""
