"""Values that are known when a chain is built: what parameters are given, and table data.

A scalar is an `int` in the unit of its type (nanoseconds, bits per second, bytes, host-order
addresses, side indices; truth values are 0 and 1). A record or tuple is the row of its scalars.
"""

from dataclasses import dataclass, field

from synth.diagnostics.spans import NOWHERE, Span
from synth.net.addresses import network_mask


@dataclass(frozen=True, slots=True)
class PrefixValue:
    """A prefix of addresses of `width` bits: network address (host bits zero) and length, 0 to `width`."""

    address: int
    length: int
    width: int = 32

    @property
    def mask(self) -> int:
        """The network mask."""
        return network_mask(self.length, self.width)


@dataclass(frozen=True, slots=True)
class RangeValue:
    """A closed range of unsigned integers."""

    low: int
    high: int

    @property
    def size(self) -> int:
        """How many integers the range holds."""
        return self.high - self.low + 1


@dataclass(frozen=True, slots=True)
class RuleValue:
    """One rule of an ordered set: a packet must satisfy every part.

    `ports_any` of the full range 0..65535 puts no condition at all; a narrower range, or a
    non-zero flags mask, is satisfied only by a packet that has the header (never by a later
    fragment). `flags` are the TCP flags byte in the high half for TCP, and type << 8 | code for
    ICMP, as in ClassBench files.
    """

    permits: bool
    src: PrefixValue
    dst: PrefixValue
    protocol: int
    protocol_mask: int
    sport: RangeValue
    dport: RangeValue
    flags: int
    flags_mask: int
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class RuleSetValue:
    """Rules in the order in which they are tried."""

    rules: tuple[RuleValue, ...]


@dataclass(frozen=True, slots=True)
class RouteValue:
    """One route. `result` is the scalars of the result record, or None for `discard`."""

    prefix: PrefixValue
    result: tuple[int, ...] | None
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class RouteTableValue:
    """Routes without two of the same prefix; longest match decides, whatever their order."""

    routes: tuple[RouteValue, ...]


@dataclass(frozen=True, slots=True)
class ListValue:
    """Rows of scalars, one row for each record of the list."""

    rows: tuple[tuple[int, ...], ...]


Scalars = tuple[int, ...]
Value = Scalars | PrefixValue | RangeValue | RuleSetValue | RouteTableValue | ListValue
"""What a parameter holds. Even a single scalar is a row, of length one."""
