"""Fields of packets: their names, their types, and whether a packet has them."""

from synth.language import syntax, typed
from synth.language.checker.names import report_unknown_member, resolve_packet
from synth.language.checker.scope import Scope
from synth.language.checker.words import describe_kinds
from synth.language.errors.packets import HeaderMissing
from synth.language.types import Bool, Ipv4, Ipv6, Mac, Type, UInt
from synth.net.fields import ALIASES, FIELDS, HeaderField
from synth.net.kinds import HEADERS


def header_names() -> tuple[str, ...]:
    """Return what may stand behind a packet's dot."""
    return ("length", "side", *(header for header in HEADERS if fields_of(header)))


def fields_of(header: str) -> dict[str, str]:
    """Return a header's fields, by their names in the language, with their graph names."""
    found = {field.name: path for path, field in FIELDS.items() if field.header == header}
    for alias, path in ALIASES.items():
        alias_header, name = alias.split(".")
        if alias_header == header:
            found[name] = path
    return found


def type_of_field(field: HeaderField) -> Type:
    """Return how the language types a header field."""
    match field.kind:
        case "uint":
            return UInt(field.width)
        case "bool":
            return Bool()
        case "mac":
            return Mac()
        case "ipv4":
            return Ipv4()
        case "ipv6":
            return Ipv6()


def resolve_field(
    scope: Scope, written: syntax.Member, reference: syntax.Reference
) -> tuple[Type, str, typed.Local] | None:
    """Return type, graph name and packet of `pkt.header.field`; the packet must have the header."""
    assert isinstance(written.operand, syntax.Member)
    header = written.operand.member
    packet = resolve_packet(scope, reference)
    if packet is None:
        return None
    fields = fields_of(header.text)
    if not fields:
        report_unknown_member(scope, header, "a packet", "header", header_names())
        return None
    if written.member.text not in fields:
        report_unknown_member(scope, written.member, f"`{header.text}`", "field", tuple(fields))
        return None
    if not require_header(scope, written.operand, packet, header.text):
        return None
    path = fields[written.member.text]
    return type_of_field(FIELDS[path]), path, packet


def require_header(scope: Scope, at: syntax.Expr, packet: typed.Local, header: str) -> bool:
    """Tell whether a packet surely has a header; report when it may not."""
    lacking = frozenset(kind for kind in scope.facts.kinds[packet.name] if not kind.has(header))
    if lacking:
        scope.report(
            HeaderMissing(span=at.span, packet=packet.name, header=header, kinds=describe_kinds(lacking))
        )
    return not lacking
