"""The names in one handler's function, and its values as C expressions."""

from collections.abc import Iterator, Mapping, Sequence

from synth.codegen import expressions
from synth.codegen.expressions import EQUALITY, UNARY, Expression
from synth.codegen.memos import Memos
from synth.codegen.names import Namespace
from synth.codegen.regions import Region
from synth.codegen.state import States, table_part
from synth.codegen.symbols import Symbols
from synth.codegen.uses import Site, Uses
from synth.codegen.variables import Variables
from synth.graph.nodes import (
    Binary,
    Bool,
    Column,
    Entry,
    EntryRead,
    Find,
    Has,
    Hash,
    Insert,
    Length,
    ListFind,
    ListRead,
    Op,
    Packet,
    Read,
    Resize,
    RingPick,
    RoutesLookup,
    Select,
    SketchEstimate,
    Unary,
    Value,
    VectorRead,
)
from synth.net.fields import FIELDS

Lookup = RoutesLookup | ListRead | ListFind | RingPick


def split_parameters(values: Sequence[Value]) -> tuple[Value | None, tuple[Value, ...]]:
    """Return the first packet among what a function is given, and all that is given besides."""
    packet = next((value for value in values if isinstance(value.type, Packet)), None)
    return packet, tuple(value for value in values if value != packet)


class Scope:
    """Renders values, and knows which have a variable and what it is called."""

    def __init__(
        self,
        region: Region,
        uses: Uses,
        variables: Variables,
        symbols: Symbols,
        states: States,
        *,
        keeps_received: bool,
        verdicts: Mapping[Site, str],
        memos: Memos,
    ) -> None:
        self.region = region
        self.uses = uses
        self.variables = variables
        self.symbols = symbols
        self.states = states
        self.namespace = Namespace(symbols.called)
        packet, self._others = split_parameters(region.entry.parameters)
        self.keeps_received = keeps_received
        self.verdicts = verdicts
        self._memos = memos
        self._heads: dict[Value, str] = {}
        self._own_packet = None if packet is None else variables.root(packet)
        self.names: dict[Value, str] = {}

    def parameters(self) -> Iterator[str]:
        """Yield the declarations of what the function is given behind `burst` and `packet`."""
        for value in self._others:
            type_ = self.c_type(value)
            yield f"{type_}{'' if type_.endswith('*') else ' '}{self.declare(value, 'given')}"

    def unused_parameters(self) -> Iterator[str]:
        """Yield the names of those parameters that nothing in the function needs."""
        yield from (self.name(value) for value in self._others if value not in self.uses.sites)

    # ---- names

    def is_declared(self, value: Value) -> bool:
        """Tell whether a value's variable has its declaration already."""
        return self.variables.root(value) in self.names

    def declare(self, value: Value, fallback: str) -> str:
        """Name a value's variable: by the hint of the first of its values that has one."""
        root = self.variables.root(value)
        hints = [member.hint for member in self.variables.members.get(root, (root,)) if member.hint]
        return self.call(value, (hints or [fallback])[0].lower())

    def call(self, value: Value, name: str) -> str:
        """Name a value's variable, as nearly so as is free."""
        root = self.variables.root(value)
        self.names[root] = self.namespace.fresh(name)
        return self.names[root]

    def name(self, value: Value) -> str:
        """Return the name of a declared variable."""
        return self.names[self.variables.root(value)]

    def packet(self, value: Value) -> str:
        """Return the expression for a pointer to a packet."""
        return "packet" if self.is_own(value) else f"&{self.name(value)}"

    def leaves(self, value: Value) -> bool:
        """Tell whether a packet's head stands where it leaves."""
        return self.variables.root(value) in self.variables.leaving

    def head(self, value: Value) -> str:
        """Return where a draft's head stands."""
        return (
            "packet_next_head(burst->out)" if self.leaves(value) else self._heads[self.variables.root(value)]
        )

    def declare_head(self, value: Value) -> Iterator[str]:
        """Yield the declaration of the head of a declared draft, if it has one of its own."""
        if self.keeps_received and isinstance(value.type, Packet) and not self.leaves(value):
            name = self.namespace.fresh(f"{self.name(value)}_head")
            self._heads[self.variables.root(value)] = name
            yield f"uint8_t {name}[HEAD_BYTES];"

    def is_own(self, value: Value) -> bool:
        """Tell whether a packet is kept where the handler was given its packet."""
        return self.variables.root(value) == self._own_packet

    def state(self, name: str) -> str:
        """Return the expression for a state object or a static table."""
        return f"{'tables' if self.states.is_static(name) else 'state'}->{self.symbols.states[name]}"

    def memo(self, op: Op, site: Site) -> str | None:
        """Return the expression for a pointer to a lookup's memo, if it has one."""
        found = self._memos.place(self.region, op, site)
        return None if found is None else f"&flow->{self.symbols.states[found[0]]}[{found[1]}]"

    def assign(self, value: Value, expression: str, fallback: str) -> str:
        """Return the declaration of a value's variable, or the assignment to a declared one."""
        if self.is_declared(value):
            return f"{self.name(value)} = {expression};"
        name = self.declare(value, fallback)
        return (
            f"{self.declaration(value, name, is_constant=value not in self.variables.roots)} = {expression};"
        )

    def declaration(self, value: Value, name: str, *, is_constant: bool) -> str:
        """Return the declaration of a value's variable, without what follows the name."""
        type_ = self.c_type(value)
        if type_.endswith("*"):
            return f"{type_}const {name}" if is_constant else f"{type_}{name}"
        return f"const {type_} {name}" if is_constant else f"{type_} {name}"

    def c_type(self, value: Value) -> str:
        """Return the C type of a value's variable."""
        match value.type:
            case Entry(table):
                return f"struct {self.symbols.states[table]}_entry *"
            case Packet():
                return "struct packet"
            case scalar:
                return expressions.c_type(scalar)

    # ---- values

    def text(self, value: Value) -> str:
        """Return a scalar's text where a whole expression stands."""
        return self.value(value).text

    def argument(self, value: Value) -> str:
        """Return what a function is given for a value; a packet beyond the first as a copy."""
        if not isinstance(value.type, Packet):
            return self.text(value)
        return "*packet" if self.is_own(value) else self.name(value)

    def texts(self, values: Sequence[Value]) -> str:
        """Return several scalars, with commas between."""
        return ", ".join(self.text(value) for value in values)

    def value(self, value: Value, kind: str = "uint") -> Expression:
        """Return a scalar. `kind` (a field's) says how a constant is written."""
        if value in self.region.constants:
            return expressions.literal(self.region.constants[value], value.type, kind)
        if self.uses.base(value) != value or self._is_lookup(value):
            return self._through_pointer(value)
        if value not in self.uses.inlined:
            return Expression(self.name(value))
        return self.computed(self.uses.definitions[value][0], value)

    def condition(self, value: Value, *, negated: bool) -> str:
        """Return a truth value, or its opposite, as it stands in an `if`."""
        return (self._negated(value) if negated else self.value(value)).text

    def computed(self, op: Op, result: Value) -> Expression:
        """Return an operation's result as an expression of its operands."""
        match op:
            case Unary(op="not"):
                return self._negated(op.operand)
            case Unary():
                return expressions.unary(op, self.value(op.operand))
            case Binary():
                return expressions.binary(op, *self._pair(op), self.region.constants.get(op.right))
            case Select():
                parts = [self.value(part) for part in (op.condition, op.then, op.otherwise)]
                return expressions.select(parts[0], parts[1], parts[2], result.type)
            case Resize():
                return expressions.resized(self.value(op.operand), op.operand.type, result.type)
            case Hash():
                return Expression(f"hash_end({self.hash_of(op.operands)})")
            case Has():
                return Expression(f"packet_has_{op.header}({self._of_one_kind(op.packet)})")
            case Length():
                if op.packet in self.region.versions:
                    return Expression("packet->length")
                return Expression(f"{self.name(op.packet)}.length")
            case Read():
                return Expression(f"packet_{op.path.replace('.', '_')}({self.packet(op.packet)})")
            case EntryRead():
                return Expression(f"{self.member(op.entry, op.table, op.column)}")
            case VectorRead():
                column = self.states.vector(op.vector).columns[op.results.index(result)]
                return Expression(f"{self.state(op.vector)}[{self.text(op.index)}].{column.name}")
            case SketchEstimate():
                return Expression(f"sketch_estimate({self.state(op.sketch)}, {self.hash_of(op.key)})")
            case _:
                raise AssertionError(type(op).__name__)

    def member(self, entry: Value, table: str, column: str) -> str:
        """Return the place of a column in an entry."""
        return f"{self.name(entry)}->{table_part(self.states.table(table), column)}.{column}"

    def hash_of(self, operands: Sequence[Value]) -> str:
        """Return the running CRC-32C of scalars."""
        return expressions.hashed([(self.value(operand), operand.type) for operand in operands]).text

    # ---- parts

    def _of_one_kind(self, packet: Value) -> str:
        """Return a pointer to a packet that is of a packet's kind; a write does not change it."""
        return "packet" if packet in self.region.versions else self.packet(packet)

    def _negated(self, value: Value) -> Expression:
        op = self.uses.definitions[value][0] if value in self.uses.inlined else None
        if isinstance(op, Unary) and op.op == "not":
            return self.value(op.operand)
        if isinstance(op, Binary):
            opposite = expressions.comparison(op, *self._pair(op), negated=True)
            if opposite is not None:
                return opposite
        positive = self.value(value)
        if value in self.uses.bases and positive.text.endswith(" != NULL"):
            return Expression(f"{positive.text.removesuffix(' != NULL')} == NULL", EQUALITY)
        return Expression(f"!{positive.within(UNARY)}", UNARY)

    def _pair(self, op: Binary) -> tuple[Expression, Expression]:
        """Return both operands; a constant that is compared with an address is written as one."""
        if not expressions.is_comparison(op):
            return self.value(op.left), self.value(op.right)
        left, right = self.value(op.left, self._kind(op.right)), self.value(op.right, self._kind(op.left))
        return left, right

    def _kind(self, value: Value) -> str:
        op = self.uses.definitions[value][0] if value in self.uses.definitions else None
        return FIELDS[op.path].kind if isinstance(op, Read) else "uint"

    def _is_lookup(self, value: Value) -> bool:
        definition = self.uses.definitions.get(value)
        return definition is not None and isinstance(definition[0], Lookup)

    def _through_pointer(self, value: Value) -> Expression:
        """Return a result that is read through the pointer that a lookup gave."""
        op = self.uses.definitions[value][0]
        pointer = self.name(self.uses.base(value))
        if isinstance(op, Find | Insert) or (value == op.results[0] and not isinstance(op, RingPick)):
            return Expression(f"{pointer} != NULL", EQUALITY)
        if not isinstance(op, Lookup):
            raise TypeError(type(op).__name__)
        table, columns = self.states.rows_of(op)
        column = columns[op.results.index(value) - (0 if isinstance(op, RingPick) else 1)]
        scalar = Expression(f"{pointer}[{self.symbols.members[table, column.name]}]")
        if value in self.uses.unguarded:
            scalar = Expression(f"({pointer} != NULL ? {scalar.text} : 0)")
        return _narrowed(scalar, column, value)


def _narrowed(scalar: Expression, column: Column, value: Value) -> Expression:
    """Return a 64-bit scalar of a static table in the C type of its column."""
    if isinstance(value.type, Bool):
        return Expression(f"{scalar.text} != 0", EQUALITY)
    return scalar if column.width > 32 else expressions.cast(scalar, value.type)
