"""The chain graph: an SSA control-flow graph of packet operations with block arguments.

Scalars and packets are values; field writes make new packet values; a frame is written only
where a packet leaves. State objects are named. The order of the operations on one object is the
order of the operation list of each block and of the jumps between blocks: that order is the
object's state token, and `effects.py` says which operations may pass each other. (Tokens as
explicit block arguments were considered and left out: with ten NATs every block would carry ten
of them, and they say nothing that the order does not.)

Nodes are immutable and compare without spans. Records, tuples and flows do not exist here.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from synth.diagnostics.spans import NOWHERE, Span
from synth.language.values import RouteTableValue, RuleSetValue

# ---------------------------------------------------------------- values


@dataclass(frozen=True, slots=True)
class Bits:
    """An unsigned integer of `width` bits, 1 to 128, arithmetic modulo 2^width."""

    width: int


@dataclass(frozen=True, slots=True)
class Bool: ...


@dataclass(frozen=True, slots=True)
class Packet: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A handle (slot and generation) to an entry of a keyed table."""

    table: str


Type = Bits | Bool | Packet | Entry


@dataclass(frozen=True, slots=True)
class Value:
    """An SSA value: defined once, by an operation or as a block argument. `id` is unique in a graph.

    `hint` is the name that the source gives it, if any; for readers of C and text only.
    """

    id: int
    type: Type
    hint: str = field(default="", compare=False)


# ---------------------------------------------------------------- operations
# `results` of every operation is the tuple of the values that it defines.


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    results: tuple[Value, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant(Operation):
    """A scalar; truth values are 0 and 1."""

    value: int


UnaryOp = Literal["not", "complement"]
BinaryOp = Literal[
    "add", "sub", "mul", "div", "rem", "and", "or", "xor", "shl", "shr",
    "eq", "ne", "lt", "le", "add_overflows", "sub_overflows", "mul_overflows",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Unary(Operation):
    """`not` of a truth value, `complement` of bits."""

    op: UnaryOp
    operand: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary(Operation):
    """An unsigned operation on two operands of one type.

    `and`, `or`, `xor`, `eq`, `ne` take truth values too. Division by zero gives all ones, and the
    remainder by zero the dividend, as SMT-LIB has it; a shift by the width or more gives zero.
    """

    op: BinaryOp
    left: Value
    right: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Select(Operation):
    condition: Value
    then: Value
    otherwise: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Resize(Operation):
    """Zero-extend, or keep the low bits, to the width of the result. From bool: 0 or 1."""

    operand: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Hash(Operation):
    """CRC-32C of the operands, each big-endian in whole bytes (a truth value is one byte)."""

    operands: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Has(Operation):
    """Whether the packet has a header or property of `net.kinds.HEADERS`."""

    packet: Value
    header: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Read(Operation):
    """A header field (`net.fields.FIELDS`) of a packet that has the header."""

    packet: Value
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Write(Operation):
    """The packet with one field changed. Its checksums follow when it leaves."""

    packet: Value
    path: str
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Length(Operation):
    """The frame's length in bytes, without FCS (32 bits)."""

    packet: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class IcmpError(Operation):
    """A new packet: the ICMP error (a word of `net.icmp.ICMP_ERRORS`) about a packet as it is now.

    From the IPv4 address `source` (32 bits) to the packet's source. `mtu` (16 bits) is the next hop's; zero
    where the error tells none. The packet must be one that there may be an error about
    (`net.icmp.can_be_reported`). Its visits count on from those of the packet.
    """

    packet: Value
    error: str
    source: Value
    mtu: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Find(Operation):
    """Look a live entry up. Results: found (bool), the entry (meaningful only when found)."""

    table: str
    index: Literal["key", "unique"]
    key: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert(Operation):
    """Make an entry, in the first timer class, touched now. Results: done (bool), the entry.

    Fails without effect when as many live entries as the capacity exist, when the key or the
    unique key is live, or when no choice makes the unique key free. `choose` = (position in
    `unique`, low, high): the scalar there is chosen, and `unique` holds None at that position.
    """

    table: str
    key: tuple[Value, ...]
    unique: tuple[Value | None, ...]
    values: tuple[Value, ...]
    choose: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRead(Operation):
    """One scalar of a live entry, by column name (`KeyedTable.columns`)."""

    table: str
    entry: Value
    column: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryWrite(Operation):
    table: str
    entry: Value
    column: str
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch(Operation):
    """Put an entry into a timer class and start its lifetime now."""

    table: str
    entry: Value
    timer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove(Operation):
    table: str
    entry: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorRead(Operation):
    """All scalars of one cell. The index is in range."""

    vector: str
    index: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorWrite(Operation):
    vector: str
    index: Value
    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Count(Operation):
    """Add to a counter (amount: 64 bits)."""

    counter: str
    amount: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketTake(Operation):
    """Take bytes (64 bits) from a token bucket. Result: whether they were there and were taken.

    `entry` names the table's entry when the bucket is one of its columns (`bucket` is then the
    column's name and `table` the table's), else both are None and `bucket` is a state object.
    """

    bucket: str
    amount: Value
    table: str | None = None
    entry: Value | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SketchAdd(Operation):
    sketch: str
    key: tuple[Value, ...]
    amount: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class SketchEstimate(Operation):
    """The least of the rows' counters for the key (32 bits, saturating)."""

    sketch: str
    key: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesDecide(Operation):
    """First match in a rule set. Results: matched (bool), permits (bool), rule index (32 bits).

    Reads the packet as it is now: IPv4 addresses and protocol, ports and flags where it has them.
    """

    rules: str
    packet: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutesLookup(Operation):
    """Longest prefix match. Results: found (bool; false for discard), then the route's scalars."""

    routes: str
    address: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ListRead(Operation):
    """A row of a static list. Results: whether the index is in range (bool), then the row's scalars."""

    list: str
    index: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFind(Operation):
    """The first row of a static list whose `column`, by its place, has a value.

    Results: whether there is one (bool), then the row's scalars.
    """

    list: str
    column: int
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class RingPick(Operation):
    """The row that consistent hashing picks for a 32-bit hash. Results: the row's scalars."""

    ring: str
    hash: Value


Op = (
    Constant | Unary | Binary | Select | Resize | Hash | Has | Read | Write | Length | IcmpError
    | Find | Insert | EntryRead | EntryWrite | Touch | Remove | VectorRead | VectorWrite | Count
    | BucketTake | SketchAdd | SketchEstimate | RulesDecide | RoutesLookup | ListRead | ListFind
    | RingPick
)  # fmt: skip

# ---------------------------------------------------------------- control flow


@dataclass(frozen=True, slots=True)
class Edge:
    """A way into a block, with the values of its arguments."""

    block: str
    arguments: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Jump:
    to: Edge
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Branch:
    condition: Value
    then: Edge
    otherwise: Edge
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Exit:
    """The packet leaves the chain on an interface."""

    interface: str
    packet: Value
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliver:
    """A handler's end: hand each emission over, in order, each to its own end before the next.

    An `Edge` leads into the handler that receives the packet. `drop` is the full counter name
    (`nat.no_port`) when the handler's packet is dropped. With n emissions, n are generated when
    it is, and n - 1 when not (then n >= 1).
    """

    emissions: tuple[Exit | Edge, ...]
    drop: str | None = None
    span: Span = field(default=NOWHERE, compare=False)


Terminator = Jump | Branch | Deliver


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    name: str
    parameters: tuple[Value, ...]
    operations: tuple[Op, ...]
    terminator: Terminator
    span: Span = field(default=NOWHERE, compare=False)


# ---------------------------------------------------------------- state objects


@dataclass(frozen=True, slots=True)
class Column:
    """A scalar of an entry, a cell or a row. Its name is unique there and is a C identifier.

    Attributes:
        name: as above.
        width: in bits; a truth value has one.
        is_bool: whether it is a truth value.
        below: what it always is less than, such as the number of an NF's sides; None: any of its width.
    """

    name: str
    width: int
    is_bool: bool = False
    below: int | None = None

    @property
    def largest(self) -> int:
        """The largest value that it can have."""
        return (1 << self.width if self.below is None else self.below) - 1


@dataclass(frozen=True, slots=True)
class BucketColumn:
    """A token bucket in each entry: bits per second and bytes. Full when the entry is made."""

    name: str
    rate: int
    burst: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyedTable:
    """A keyed table. `timers` are (class, lifetime in ns); none: entries live until removed.

    An entry is live while now - touched < lifetime (signed 64-bit difference), as in Linux
    conntrack: at the very nanosecond of its lifetime's end it is absent.
    """

    name: str
    key: tuple[Column, ...]
    unique: tuple[Column, ...]
    values: tuple[Column | BucketColumn, ...]
    timers: tuple[tuple[str, int], ...]
    capacity: int
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    name: str
    columns: tuple[Column, ...]
    size: int
    initial: tuple[int, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    name: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenBucket:
    """Bits per second and bytes; starts full. Tokens are kept in bit-nanoseconds, exactly."""

    name: str
    rate: int
    burst: int
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """Count-min: row r uses CRC-32C of the key's bytes followed by the byte r, modulo `columns`."""

    name: str
    key: tuple[Column, ...]
    rows: int
    columns: int
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTable:
    """An ordered rule set.

    `live` are the numbers, ascending, of the rules that need to be looked at, since the others decide nothing
    that is used; None: all. It holds for these rules only: a table that replaces them is looked at in full.
    """

    name: str
    rules: RuleSetValue
    live: tuple[int, ...] | None = None
    span: Span = field(default=NOWHERE, compare=False)


def live_rules(table: RuleTable) -> Sequence[int]:
    """Return the numbers of the rules that are looked at, ascending."""
    return range(len(table.rules.rules)) if table.live is None else table.live


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteTable:
    name: str
    columns: tuple[Column, ...]
    routes: RouteTableValue
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTable:
    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[int, ...], ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring:
    """Consistent hashing: `slots[hash % len(slots)]` is a row number of `list`."""

    name: str
    list: str
    slots: tuple[int, ...]
    span: Span = field(default=NOWHERE, compare=False)


Mutable = KeyedTable | Vector | Counter | TokenBucket | Sketch
Static = RuleTable | RouteTable | ListTable | Ring
StateObject = Mutable | Static

# ---------------------------------------------------------------- the graph


@dataclass(frozen=True, slots=True)
class Interface:
    """A NIC port; `entry` is the block that gets what it receives, with the packet as argument."""

    name: str
    mac: int
    addresses: tuple[tuple[int, int], ...]
    entry: str | None


@dataclass(frozen=True, slots=True)
class Handler:
    """A block where packets arrive at an NF: its instance and side.

    `budget`: how often one packet (a copy counts on from its original) may enter the block; the
    next time it is dropped as `<nf>.chain_loop`. None off cycles.
    """

    block: str
    nf: str
    side: str
    budget: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainGraph:
    """A chain, lowered. State, handlers and blocks are in a deterministic order; names are unique.

    `drops` are all the drop counters' names, in order of first use; user counters are state.
    """

    name: str
    interfaces: tuple[Interface, ...]
    states: tuple[StateObject, ...]
    handlers: tuple[Handler, ...]
    blocks: tuple[Block, ...]
    drops: tuple[str, ...]
    span: Span = field(default=NOWHERE, compare=False)
