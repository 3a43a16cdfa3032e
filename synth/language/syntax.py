"""The syntax tree: `.chain` text as written, with a span on every node and nothing resolved.

Built from Lark's tree by `parser.py`. `match`, aliases and all sugar are still here.
"""

from dataclasses import dataclass, field

from synth.diagnostics.spans import NOWHERE, Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    span: Span = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Name(Node):
    """An identifier where it is declared or used."""

    text: str


# ---------------------------------------------------------------- types and patterns


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedType(Node):
    """`u16`, `flow`, `range<u16>`, `list<backend>`, or a record's name."""

    name: Name
    argument: "TypeExpr | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class TupleType(Node):
    items: tuple["TypeExpr", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketType(Node):
    pattern: "Pattern"


TypeExpr = NamedType | TupleType | PacketType


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternName(Node):
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternNot(Node):
    inner: "Pattern"


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternAll(Node):
    parts: tuple["Pattern", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternAny(Node):
    parts: tuple["Pattern", ...]


Pattern = PatternName | PatternNot | PatternAll | PatternAny

# ---------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal(Node):
    """A literal as written.

    `token` is the grammar's terminal: MAC, PREFIX4, IPV4, PREFIX6, IPV6, RANGE, QUANTITY, INTEGER, STRING,
    TRUE or FALSE.
    """

    token: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference(Node):
    """A name used as an expression."""

    name: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuple(Node):
    items: tuple["Expr", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unary(Node):
    op: str
    operand: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Binary(Node):
    """`op` as written: `||`, `&&`, comparisons, bit operations, arithmetic, `+%` and so on."""

    op: str
    left: "Expr"
    right: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contains(Node):
    item: "Expr"
    container: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class IsKind(Node):
    operand: "Expr"
    pattern: Pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditional(Node):
    condition: "Expr"
    then: "Expr"
    otherwise: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Choose(Node):
    operand: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member(Node):
    """`operand.member`; the member is a name, or the digits of a tuple position."""

    operand: "Expr"
    member: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Index(Node):
    operand: "Expr"
    index: "Expr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument(Node):
    name: Name | None
    value: "ValueExpr"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Node):
    function: "Expr"
    arguments: tuple[Argument, ...]


Expr = (
    Literal | Reference | Tuple | Unary | Binary | Contains | IsKind | Conditional | Choose
    | Member | Index | Call
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ListValue(Node):
    items: tuple["ValueExpr", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MapEntry(Node):
    """`key: value`; the key is a name, or an address or prefix as written."""

    key: Literal | Name
    value: "ValueExpr"


@dataclass(frozen=True, slots=True, kw_only=True)
class MapValue(Node):
    entries: tuple[MapEntry, ...]


ValueExpr = Expr | ListValue | MapValue

# ---------------------------------------------------------------- statements


@dataclass(frozen=True, slots=True, kw_only=True)
class Drop(Node):
    reason: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Fallible(Node):
    """`value or a or b`: each alternative an expression, a drop or a block."""

    value: Expr
    alternatives: tuple["Expr | Drop | Block", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Let(Node):
    name: Name
    value: Fallible


@dataclass(frozen=True, slots=True, kw_only=True)
class Assign(Node):
    target: Expr
    value: Fallible


@dataclass(frozen=True, slots=True, kw_only=True)
class Perform(Node):
    """A call as a statement."""

    value: Fallible


@dataclass(frozen=True, slots=True, kw_only=True)
class If(Node):
    condition: Expr
    then: "Block"
    otherwise: "Block | If | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class Case(Node):
    pattern: Pattern
    body: "Block"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match(Node):
    packet: Name
    cases: tuple[Case, ...]
    otherwise: "Block | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class Touch(Node):
    """`touch entry.timer`; the target is a member expression."""

    target: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove(Node):
    target: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Count(Node):
    counter: Name
    amount: Expr | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Emit(Node):
    """`emit side`, `emit others`, `emit side: packet`. `side` None means `others`."""

    side: Expr | None
    packet: Expr | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Give(Node):
    value: Expr


Statement = Let | Assign | Perform | If | Match | Touch | Remove | Count | Drop | Emit | Give


@dataclass(frozen=True, slots=True, kw_only=True)
class Block(Node):
    statements: tuple[Statement, ...]


# ---------------------------------------------------------------- declarations


@dataclass(frozen=True, slots=True, kw_only=True)
class Use(Node):
    """`use nf: acl, router` (a library folder) or `use "edge.chain": edge` (a file)."""

    origin: Name
    is_file: bool
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldDeclaration(Node):
    name: Name
    type: TypeExpr
    default: Expr | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record(Node):
    name: Name
    fields: tuple[FieldDeclaration, ...]
    doc: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter(Node):
    name: Name
    type: TypeExpr
    default: ValueExpr | None
    doc: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Function(Node):
    name: Name
    parameters: tuple[Parameter, ...]
    result: TypeExpr
    lets: tuple[Let, ...]
    value: Expr
    doc: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides(Node):
    """`names` None: `sides any`."""

    names: tuple[Name, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableKey(Node):
    name: Name
    type: TypeExpr


@dataclass(frozen=True, slots=True, kw_only=True)
class TableUnique(Node):
    name: Name
    type: TypeExpr


@dataclass(frozen=True, slots=True, kw_only=True)
class TableValue(Node):
    """A value column; for the type `bucket`, `default` is a call `bucket(rate: .., burst: ..)`."""

    name: Name
    type: TypeExpr
    default: Expr | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTimer(Node):
    """Without a lifetime, the NF's parameter of the same name."""

    name: Name
    lifetime: Expr | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCapacity(Node):
    value: Expr


TableItem = TableKey | TableUnique | TableValue | TableTimer | TableCapacity


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(Node):
    name: Name
    items: tuple[TableItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector(Node):
    name: Name
    element: TypeExpr
    size: Expr
    initial: Expr | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter(Node):
    name: Name


@dataclass(frozen=True, slots=True, kw_only=True)
class Bucket(Node):
    name: Name
    rate: Expr
    burst: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch(Node):
    name: Name
    key: TypeExpr
    rows: Expr
    columns: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Ring(Node):
    name: Name
    list: Name
    by: Name
    weight: Name | None
    slots: Expr | None


State = Table | Vector | Counter | Bucket | Sketch | Ring


@dataclass(frozen=True, slots=True, kw_only=True)
class Handler(Node):
    """`sides` None: `from any`."""

    sides: tuple[Name, ...] | None
    packet: Name
    pattern: Pattern | None
    body: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Nf(Node):
    name: Name
    parameters: tuple[Parameter, ...]
    items: tuple[Sides | State | Handler, ...]
    doc: str


# ---------------------------------------------------------------- chains


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceMac(Node):
    value: Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceAddress(Node):
    value: Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Interface(Node):
    name: Name
    items: tuple[InterfaceMac | InterfaceAddress, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance(Node):
    name: Name
    nf: Name
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint(Node):
    owner: Name
    side: Name | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wire(Node):
    """`a <-> b -> c`: `arrows[i]` stands between `endpoints[i]` and `endpoints[i + 1]`."""

    endpoints: tuple[Endpoint, ...]
    arrows: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget(Node):
    visits: Literal


ChainItem = Sides | Interface | Instance | Wire | Budget


@dataclass(frozen=True, slots=True, kw_only=True)
class Chain(Node):
    name: Name
    parameters: tuple[Parameter, ...]
    items: tuple[ChainItem, ...]
    doc: str


Item = Use | Record | Function | Nf | Chain


@dataclass(frozen=True, slots=True, kw_only=True)
class File(Node):
    path: str
    items: tuple[Item, ...]
