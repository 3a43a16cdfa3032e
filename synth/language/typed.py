"""The typed chain: what checking makes of syntax trees, and all that lowering needs.

Guarantees: every name is resolved, every expression has its type, `match` has become tests,
field aliases are gone (`tcp.sport` is `l4.sport`), every handler path ends in a drop or has
emitted, every side's handlers cover all packet kinds, nested chains are flattened, parameters
are bound to values, functions are not recursive.
"""

from dataclasses import dataclass, field
from typing import Literal

from synth.diagnostics.spans import NOWHERE, Span
from synth.language.types import Type
from synth.language.values import Value

# ---------------------------------------------------------------- patterns


@dataclass(frozen=True, slots=True)
class PatternName:
    header: str


@dataclass(frozen=True, slots=True)
class PatternNot:
    inner: "Pattern"


@dataclass(frozen=True, slots=True)
class PatternAll:
    parts: tuple["Pattern", ...]


@dataclass(frozen=True, slots=True)
class PatternAny:
    parts: tuple["Pattern", ...]


Pattern = PatternName | PatternNot | PatternAll | PatternAny
"""A test on what a packet is. `PatternAll(())` holds for every packet."""

# ---------------------------------------------------------------- expressions
# Every expression has `type` and `span`. Values of record, tuple and flow types are rows of
# scalars once lowered.


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    type: Type
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant(Node):
    """A constant: scalars, a prefix or a range."""

    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter(Node):
    """An NF parameter, bound to a value when the chain is built."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Local(Node):
    """A `let`, a function's argument or the handler's packet. Unique in its handler or function."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SideName(Node):
    """One of the NF's declared sides, as a value."""

    side: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ArrivalSide(Node):
    """`pkt.side`: the side on which the handler's packet arrived."""


Arithmetic = Literal["+", "-", "*", "/", "%"]
Wrapping = Literal["+%", "-%", "*%"]
Bitwise = Literal["&", "|", "^", "<<", ">>"]
Comparison = Literal["==", "!=", "<", "<=", ">", ">="]


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary(Node):
    """An operation on two operands of one type (`<<`, `>>`: any amount type).

    Plain arithmetic that would leave the type's range, or divide by zero, drops the packet as
    `<nf>.arithmetic`; the wrapping forms are modulo 2^width. `==` and `!=` take any value type,
    rows included.
    """

    op: Arithmetic | Wrapping | Bitwise | Comparison
    left: "Expr"
    right: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Logic(Node):
    """`&&` and `||`, short-circuit."""

    op: Literal["&&", "||"]
    left: "Expr"
    right: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unary(Node):
    op: Literal["!", "~"]
    operand: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditional(Node):
    condition: "Expr"
    then: "Expr"
    otherwise: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Convert(Node):
    """`u16(x)`, `u32(address)`, `ipv4(x)`: widening, or checked as arithmetic is."""

    operand: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Build(Node):
    """A record, tuple or flow made of its members, in the type's order."""

    members: tuple["Expr", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Member(Node):
    """A member of a record or tuple, by position."""

    operand: "Expr"
    index: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRead(Node):
    """A header field of a packet; `path` is a key of `net.fields.FIELDS`."""

    packet: "Expr"
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketLength(Node):
    """The frame's length in bytes, without FCS (u32)."""

    packet: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class IsKind(Node):
    packet: "Expr"
    pattern: Pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Contains(Node):
    """`item in container`: an address in a prefix, an integer in a range. Containers are static."""

    item: "Expr"
    container: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowOf(Node):
    """`flow(pkt)`: the 5-tuple of a TCP, UDP or ICMP echo packet."""

    packet: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reverse(Node):
    """`reverse(flow)`: source and destination exchanged."""

    operand: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class IcmpError(Node):
    """`icmp_error(pkt, time_exceeded, source)`: a new packet; `mtu` only for the error that tells it."""

    packet: "Expr"
    error: str
    source: "Expr"
    mtu: "Expr | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class HashOf(Node):
    """`hash(value)`: CRC-32C (u32) of the scalars, each big-endian in whole bytes."""

    operand: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Node):
    """A user's pure function; lowered in place."""

    function: "TypedFunction"
    arguments: tuple["Expr", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StaticSize(Node):
    """`.size` of a range or list parameter (adapts to the integer type that is wanted)."""

    parameter: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeBound(Node):
    """`.low` or `.high` of a range parameter."""

    parameter: str
    bound: Literal["low", "high"]


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryRead(Node):
    """A key, unique or value member of a live entry, by its declared name."""

    entry: "Expr"
    table: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorRead(Node):
    """A cell of a vector; the checker has shown the index to be in range."""

    vector: str
    index: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketTake(Node):
    """`bucket.take(size)`: true, and the tokens taken, when the bucket holds that many bytes."""

    bucket: str
    amount: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryBucketTake(Node):
    """The same for a bucket that is a value of a table's entries."""

    entry: "Expr"
    table: str
    name: str
    amount: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class SketchEstimate(Node):
    """`sketch.estimate(key)`: the count-min estimate (u32)."""

    sketch: str
    key: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class RingPick(Node):
    """`ring.pick(hash)`: the record of the list that consistent hashing gives. Never absent."""

    ring: str
    hash: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Find(Node):
    """`table.find(name: key)`: a live entry, or absent. Does not refresh. May fail."""

    table: str
    is_unique: bool
    key: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choose(Node):
    """`choose range`: any integer of a static range that makes the unique key free."""

    range: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Insert(Node):
    """`table.insert(...)`: the new entry, in the first timer class, touched now.

    Absent when the table is full, when the key or the unique key is live already, or when no
    choice is free. `unique` may hold one `Choose`, as itself or as a member of a `Build`.
    """

    table: str
    key: "Expr"
    unique: "Expr | None"
    values: tuple["Expr", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decide(Node):
    """`rules.decide(pkt)`: whether the first matching rule permits; absent when none matches."""

    rules: str
    packet: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup(Node):
    """`routes.lookup(address)`: the record of the longest match; absent for none or `discard`."""

    routes: str
    address: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListAt(Node):
    """`list.at(index)`: a record of a static list; absent past its end."""

    list: str
    index: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListFind(Node):
    """`list.find(member: value)`: the first record whose member, a scalar, is equal; absent for none."""

    list: str
    member: int
    value: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorAt(Node):
    """`vector.at(index)`: a cell; absent past the end."""

    vector: str
    index: "Expr"


Fallible = Find | Insert | Decide | Lookup | ListAt | ListFind | VectorAt
Expr = (
    Constant | Parameter | Local | SideName | ArrivalSide | Binary | Logic | Unary | Conditional | Convert
    | Build | Member | FieldRead | PacketLength | IsKind | Contains | FlowOf | IcmpError | Reverse | HashOf
    | Call | StaticSize | RangeBound | EntryRead | VectorRead | BucketTake | EntryBucketTake
    | SketchEstimate | RingPick | Choose | Fallible
)  # fmt: skip
"""`Fallible` expressions stand only as options of a `Fallback`; `Choose` only inside `Insert`."""

# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallback:
    """`a or b or drop x`: the first option that is present, else `otherwise`.

    `otherwise` is None only when the last option cannot fail. A block ends in `Give`, a drop, or
    after emitting.
    """

    type: Type
    options: tuple["Expr", ...]
    otherwise: "Drop | Block | None"
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Let:
    name: str
    value: "Expr | Fallback"
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Perform:
    """A fallible operation for its effect alone.

    Its `otherwise` may be a block that comes to its end: the handler then goes on after it.
    """

    value: Fallback
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignField:
    packet: str
    path: str
    value: "Expr | Fallback"
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignEntry:
    """Write a value member of an entry."""

    entry: Expr
    table: str
    name: str
    value: "Expr | Fallback"
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignVector:
    vector: str
    index: Expr
    value: "Expr | Fallback"
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class If:
    condition: Expr
    then: "Block"
    otherwise: "Block"
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch:
    """Set an entry's timer class and start its lifetime anew."""

    entry: Expr
    table: str
    timer: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove:
    entry: Expr
    table: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    counter: str
    amount: Expr
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SketchAdd:
    sketch: str
    key: Expr
    amount: Expr
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop:
    """End the handler; the packet counts as `<nf>.<reason>`. Emissions before it still leave."""

    reason: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Emit:
    """Hand a packet, as it is now, to a side when the handler ends. `side` None: all others."""

    side: "Expr | None"
    packet: Expr
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Give:
    """End a fallback's block with its value."""

    value: Expr
    span: Span = field(default=NOWHERE, compare=False)


Statement = (
    Let | Perform | AssignField | AssignEntry | AssignVector | If | Touch | Remove | Count
    | SketchAdd | Drop | Emit | Give
)  # fmt: skip
Block = tuple[Statement, ...]

# ---------------------------------------------------------------- declarations


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedFunction:
    name: str
    parameters: tuple[tuple[str, Type], ...]
    result: Type
    lets: tuple[Let, ...]
    value: Expr
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class NfParameter:
    name: str
    type: Type
    default: Value | None
    doc: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Bucket:
    """The type of a table's value that is a token bucket: `bucket(rate: .., burst: ..)`."""

    rate: Expr
    burst: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class TableValue:
    name: str
    type: "Type | Bucket"
    default: Expr | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableState:
    """A keyed table. Static expressions (capacity, lifetimes) use parameters and literals only."""

    name: str
    key: tuple[str, Type]
    unique: tuple[str, Type] | None
    values: tuple[TableValue, ...]
    timers: tuple[tuple[str, Expr], ...]
    capacity: Expr
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorState:
    name: str
    element: Type
    size: Expr
    initial: Expr | None
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class CounterState:
    name: str
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class BucketState:
    name: str
    rate: Expr
    burst: Expr
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class SketchState:
    name: str
    key: Type
    rows: Expr
    columns: Expr
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class RingState:
    """Consistent hashing over a list parameter, by an identifying member of its records."""

    name: str
    list: str
    by: int
    weight: int | None
    slots: Expr | None
    span: Span = field(default=NOWHERE, compare=False)


State = TableState | VectorState | CounterState | BucketState | SketchState | RingState


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler:
    """What an NF does with packets of some kinds that arrive on some sides.

    Handlers of a side are tried in order. `sides` None: on any side.
    """

    sides: tuple[str, ...] | None
    packet: str
    pattern: Pattern
    body: Block
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedNf:
    """A network function. `sides` None: as many as the chain wires, named there."""

    name: str
    doc: str
    parameters: tuple[NfParameter, ...]
    sides: tuple[str, ...] | None
    states: tuple[State, ...]
    handlers: tuple[Handler, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Interface:
    """A NIC port. `mac` is 48 bits; addresses are (host-order IPv4 address, prefix length)."""

    name: str
    mac: int
    addresses: tuple[tuple[int, int], ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """An NF in a chain, with its arguments bound. `name` is dotted inside nested chains."""

    name: str
    nf: TypedNf
    arguments: tuple[tuple[str, Value], ...]
    sides: tuple[str, ...]
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An instance's side, or an interface (`side` empty)."""

    owner: str
    side: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire:
    """What leaves at `source` arrives at `target`. Two-way wires are two of these."""

    source: Endpoint
    target: Endpoint
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedChain:
    """A whole chain. `budget` is how often one packet may visit a handler on a cycle."""

    name: str
    interfaces: tuple[Interface, ...]
    instances: tuple[Instance, ...]
    wires: tuple[Wire, ...]
    budget: int | None
    span: Span = field(default=NOWHERE, compare=False)
