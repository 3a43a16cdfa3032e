"""Operations as C statements."""

from collections.abc import Iterator
from typing import assert_never

from synth.codegen.expressions import c_type, literal
from synth.codegen.layout import If, Line
from synth.codegen.scope import Scope
from synth.codegen.table_statements import TableStatements
from synth.codegen.uses import Site
from synth.graph.nodes import (
    Binary,
    Bits,
    BucketTake,
    Constant,
    Count,
    EntryRead,
    EntryWrite,
    Find,
    Has,
    Hash,
    IcmpError,
    Insert,
    Length,
    ListFind,
    ListRead,
    Op,
    Read,
    Remove,
    Resize,
    RingPick,
    RoutesLookup,
    RulesDecide,
    Select,
    SketchAdd,
    SketchEstimate,
    Touch,
    Unary,
    Value,
    VectorRead,
    VectorWrite,
    Write,
)
from synth.net.fields import FIELDS
from synth.net.icmp import ICMP_ERRORS


class Statements:
    """Writes the operations of one handler, in order."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._tables = TableStatements(scope)

    def of(self, op: Op, site: Site) -> Iterator[Line | If]:
        """Yield an operation's statements: none when it is not needed or stands where it is used."""
        if not self._scope.uses.is_needed(op):
            return
        for statement in self._statements(op, site):
            yield Line(statement, op.span) if isinstance(statement, str) else statement

    def _statements(self, op: Op, site: Site) -> Iterator[str | If]:
        scope = self._scope
        match op:
            case Constant() | Has() | Length():
                return
            case Unary() | Binary() | Select() | Resize() | Hash() | Read():
                yield from self._variables(op)
            case EntryRead() | VectorRead() | SketchEstimate():
                yield from self._variables(op)
            case Write():
                yield from self._write(op)
            case IcmpError():
                yield from self._icmp_error(op)
            case Find() | Insert() | EntryWrite() | Touch() | Remove():
                yield from self._tables.of(op, site)
            case VectorWrite():
                yield self._vector_write(op)
            case Count():
                yield f"count(burst, {scope.symbols.counters[op.counter]}, {scope.text(op.amount)});"
            case BucketTake():
                yield self._take(op)
            case SketchAdd():
                sketch, key = scope.state(op.sketch), scope.hash_of(op.key)
                yield f"sketch_add({sketch}, {key}, {scope.text(op.amount)});"
            case RulesDecide():
                yield from self._decide(op, site)
            case RoutesLookup() | ListRead() | ListFind() | RingPick():
                yield self._look_up(op, site)
            case _:
                assert_never(op)

    def _variables(self, op: Op) -> Iterator[str]:
        uses, constants = self._scope.uses, self._scope.region.constants
        for result in op.results:
            if result in uses.sites and result not in uses.inlined and result not in constants:
                yield self._scope.assign(result, self._scope.computed(op, result).text, _fallback_name(op))

    def _write(self, op: Write) -> Iterator[str]:
        scope, result = self._scope, op.results[0]
        value = scope.value(op.value, FIELDS[op.path].kind).text
        if scope.variables.root(result) != scope.variables.root(op.packet):
            yield from self.copy_packet(result, op.packet)
        yield f"packet_set_{op.path.replace('.', '_')}({scope.packet(result)}, {value});"

    def _icmp_error(self, op: IcmpError) -> Iterator[str]:
        scope, (result,) = self._scope, op.results
        kind = ICMP_ERRORS[op.error]
        start = ""
        if not scope.is_declared(result):
            start = "struct packet "
            scope.declare(result, "error")
            yield from scope.declare_head(result)
        head = (scope.head(result),) if scope.keeps_received else ()
        type_and_code = f"0x{kind.type:02X}{kind.code:02X} /* {op.error} */"
        arguments = (
            scope.packet(op.packet), *head, type_and_code,
            scope.value(op.source, "ipv4").text, scope.text(op.mtu),
        )  # fmt: skip
        yield f"{start}{scope.name(result)} = packet_icmp_error({', '.join(arguments)});"

    def copy_packet(self, target: Value, source: Value) -> Iterator[str]:
        """Yield the statements that make one packet a copy of another."""
        scope = self._scope
        start = ""
        if not scope.is_own(target) and not scope.is_declared(target):
            start = "struct packet "
            scope.declare(target, "copy")
            yield from scope.declare_head(target)
        if scope.keeps_received:
            content = f"packet_draft({scope.packet(source)}, {scope.head(target)})"
        else:
            content = "*packet" if scope.is_own(source) else scope.name(source)
        yield f"{start}{'*packet' if scope.is_own(target) else scope.name(target)} = {content};"

    def _vector_write(self, op: VectorWrite) -> str:
        scope, columns = self._scope, self._scope.states.vector(op.vector).columns
        cell = f"{scope.state(op.vector)}[{scope.text(op.index)}]"
        if len(columns) == 1:
            return f"{cell}.{columns[0].name} = {scope.text(op.values[0])};"
        return f"{cell} = (struct {scope.symbols.states[op.vector]}_cell){{{scope.texts(op.values)}}};"

    def _take(self, op: BucketTake) -> str:
        scope, bucket = self._scope, self._scope.states.bucket(op.bucket, op.table)
        if op.table is not None and op.entry is not None:
            place = f"&{scope.member(op.entry, op.table, op.bucket)}"
        else:
            place = scope.state(op.bucket)
        rate, burst = (literal(number, Bits(64)).text for number in (bucket.rate, bucket.burst))
        taken = f"token_bucket_take({place}, {rate}, {burst}, {scope.text(op.amount)}, burst->now)"
        return (
            scope.assign(op.results[0], taken, "taken") if op.results[0] in scope.uses.sites else f"{taken};"
        )

    def _decide(self, op: RulesDecide, site: Site) -> Iterator[str]:
        scope, (matched, permits, index) = self._scope, op.results
        if site in scope.verdicts:
            verdict = scope.symbols.states[op.rules]
            for value, member in ((matched, "matched"), (permits, "permits"), (index, "rule")):
                if value in scope.uses.sites:
                    yield scope.assign(value, f"{verdict}->{member}", member)
            return
        places = []
        for value, name, start in ((permits, "permits", "false"), (index, "rule", "0")):
            yield f"{c_type(value.type)} {scope.declare(value, name)} = {start};"
            places.append(f"&{scope.name(value)}")
        memo = scope.memo(op, site)
        function = "rules_decide" if memo is None else "rules_recall"
        asked = (scope.packet(op.packet),) if memo is None else (memo, scope.packet(op.packet))
        call = f"{function}({', '.join((scope.state(op.rules), *asked, *places))})"
        yield scope.assign(matched, call, "matched") if matched in scope.uses.sites else f"{call};"

    def _look_up(self, op: RoutesLookup | ListRead | ListFind | RingPick, site: Site) -> str:
        scope, memo = self._scope, self._scope.memo(op, site)
        match op:
            case RoutesLookup() if memo is not None:
                name = "route"
                found = f"routes_recall({scope.state(op.routes)}, {memo}, {scope.text(op.address)})"
            case RoutesLookup():
                name = "route"
                found = f"routes_lookup({scope.state(op.routes)}, {scope.text(op.address)})"
            case ListRead():
                name = "row"
                found = f"list_row({scope.state(op.list)}, {scope.text(op.index)})"
            case ListFind():
                name = "row"
                found = f"list_row_with({scope.state(op.list)}, {op.column}, {scope.text(op.value)})"
            case RingPick():
                name = "picked"
                rows = scope.state(scope.states.rows_of(op)[0])
                found = f"list_row({rows}, ring_pick({scope.state(op.ring)}, {scope.text(op.hash)}))"
        return f"const uint64_t *const {scope.call(op.results[0], name)} = {found};"


def _fallback_name(op: Op) -> str:
    """Return a name for a value that the source gives none."""
    match op:
        case Read(path=path):
            return path.split(".")[1]
        case EntryRead(column=column):
            return column
        case Hash():
            return "hash"
        case SketchEstimate():
            return "estimate"
        case _:
            return "value"
