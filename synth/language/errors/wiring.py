"""What can be wrong with chains and their wires: E360 to E399, W110 to W119."""

from dataclasses import dataclass
from typing import ClassVar

from synth.diagnostics.diagnostic import Diagnostic, Severity


@dataclass(frozen=True, kw_only=True)
class UnknownEndpoint(Diagnostic):
    code = "E360"
    title = "nothing here is named `{name}`{hint}"
    label = "expected an interface, an instance or a side of this chain"

    name: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class UnknownSide(Diagnostic):
    code = "E361"
    title = "`{owner}` has no side `{side}`{hint}"
    label = "expected {expected}"

    owner: str
    side: str
    expected: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class SideNotSaid(Diagnostic):
    code = "E362"
    title = "`{owner}` does not have two sides, so the wire must say which one it meets"
    label = "expected {expected}"

    owner: str
    expected: str


@dataclass(frozen=True, kw_only=True)
class SideOfInterface(Diagnostic):
    code = "E363"
    title = "`{owner}` is {what} and has no sides of its own"
    label = "expected `{owner}` alone"

    owner: str
    what: str


@dataclass(frozen=True, kw_only=True)
class SideUnwired(Diagnostic):
    code = "E364"
    title = "`{endpoint}` is not wired"
    label = "no wire begins or ends there"
    help = "wire it, for example `{endpoint} <-> ...`"

    endpoint: str


@dataclass(frozen=True, kw_only=True)
class WiredTwice(Diagnostic):
    code = "E365"
    title = "what leaves at `{endpoint}` has two ways to go"
    label = "expected one wire that begins at `{endpoint}`"

    endpoint: str


@dataclass(frozen=True, kw_only=True)
class EmitsNowhere(Diagnostic):
    code = "E366"
    title = "what leaves at `{endpoint}` goes nowhere"
    label = "expected a wire that begins at `{endpoint}`"
    help = "wire it, for example `{endpoint} -> ...`"

    endpoint: str


@dataclass(frozen=True, kw_only=True)
class InterfaceUnwired(Diagnostic):
    code = "E367"
    title = "interface `{name}` is not wired"
    label = "no wire begins or ends there"

    name: str


@dataclass(frozen=True, kw_only=True)
class InstanceUnwired(Diagnostic):
    code = "E368"
    title = "`{name}` is not wired to anything"
    label = "no wire begins or ends there"

    name: str


@dataclass(frozen=True, kw_only=True)
class ArrivesNowhere(Diagnostic):
    code = "E369"
    title = "`{endpoint}` takes no packets"
    label = "expected a side that takes packets: {expected}"

    endpoint: str
    expected: str


@dataclass(frozen=True, kw_only=True)
class CycleWithoutBudget(Diagnostic):
    code = "E370"
    title = "a packet can go round for ever: {cycle}"
    label = "this wire is part of the cycle"
    help = "say in the chain how often it may come back: `budget 2`; after that it is dropped as chain_loop"

    cycle: str


@dataclass(frozen=True, kw_only=True)
class NoInterface(Diagnostic):
    code = "E371"
    title = "chain `{name}` has no interface"
    label = "expected at least one `interface`"

    name: str


@dataclass(frozen=True, kw_only=True)
class SidesOnTop(Diagnostic):
    code = "E372"
    title = "chain `{name}` has sides: it is a part for other chains, and cannot be built alone"
    label = "expected a chain with interfaces and no sides"

    name: str


@dataclass(frozen=True, kw_only=True)
class InterfaceInside(Diagnostic):
    code = "E373"
    title = "chain `{name}` has its own interfaces, so it cannot be part of another chain"
    label = "expected a chain with `sides`"

    name: str


@dataclass(frozen=True, kw_only=True)
class InterfaceLacks(Diagnostic):
    code = "E374"
    title = "interface `{name}` has no MAC address"
    label = "expected `mac 02:00:00:00:00:01`"

    name: str


@dataclass(frozen=True, kw_only=True)
class NothingBetween(Diagnostic):
    code = "E375"
    title = "nothing stands between the interfaces `{source}` and `{target}`"
    label = "expected an NF on the way"
    help = "put one there that only forwards: `use nf: forwarder`"

    source: str
    target: str


@dataclass(frozen=True, kw_only=True)
class SameMac(Diagnostic):
    code = "W111"
    severity: ClassVar[Severity] = "warning"
    title = "interface `{name}` has the MAC address of `{other}`"
    label = "expected an address of its own"

    name: str
    other: str


@dataclass(frozen=True, kw_only=True)
class IdleBudget(Diagnostic):
    code = "W110"
    severity: ClassVar[Severity] = "warning"
    title = "this budget bounds nothing: no packet can go round in this chain"
    label = "may be removed"
