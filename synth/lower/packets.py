"""Reads of packets: fields, and flow keys."""

from synth.diagnostics.spans import Span
from synth.graph.nodes import Bits, Has, Read
from synth.graph.verify_types import field_type
from synth.language import types
from synth.lower.context import Context
from synth.lower.paths import Path, join_one, split
from synth.lower.scalars import BOOL, Known, Row, Scalar
from synth.net.kinds import Kind


def read_field(path: Path, packet: Scalar, field: str, span: Span) -> Scalar:
    """Return a header field, named after itself."""
    hint = field.replace(".", "_")
    (value,) = path.append(Read, (field_type(field),), span, hint, packet=packet, path=field)
    return value


def flow_of(context: Context, path: Path, of: types.Type, packet: Scalar, span: Span) -> Row:
    """Return a packet's 5-tuple. An ICMP echo's identifier stands for both ports.

    Where the packet may be either, a branch decides: a header that is not there cannot be read.
    """
    kinds = of.kinds if isinstance(of, types.Packet) else frozenset()
    if kinds and all(kind.has("ipv6") for kind in kinds):
        return _flow6_of(context, path, kinds, packet, span)
    has_ports = [kind.has("l4") for kind in kinds]
    src, dst = read_field(path, packet, "ipv4.src", span), read_field(path, packet, "ipv4.dst", span)
    if all(has_ports):
        ports = _ports(path, packet, span)
    elif not any(has_ports):
        ports = _echo(path, packet, span)
    else:
        ports = _either(context, path, packet, span)
    return (src, dst, *ports, read_field(path, packet, "ipv4.protocol", span))


def _flow6_of(context: Context, path: Path, kinds: frozenset[Kind], packet: Scalar, span: Span) -> Row:
    """Return the same of IPv6. Its protocol stands behind the extension headers: the kind says it."""
    ends = read_field(path, packet, "ipv6.src", span), read_field(path, packet, "ipv6.dst", span)
    headers = [header for header in _PROTOCOLS6 if any(kind.has(header) for kind in kinds)]
    arrivals, left = [], path
    for header in headers[:-1]:
        (has,) = left.append(Has, (BOOL,), span, f"is_{header}", packet=packet, header=header)
        names = (context.block(f"flow_of_{header}"), context.block("flow_of_other"))
        way, left = split(left, has, names, span)
        arrivals.append((way, _transport6(way, packet, header, span)))
    arrivals.append((left, _transport6(left, packet, headers[-1], span)))
    met, row = join_one(arrivals, context.block("flow"), span)
    path.become(met)
    path.builder.name(row, ("sport", "dport", "protocol"))
    return (*ends, *row)


_PROTOCOLS6 = {"tcp": 6, "udp": 17, "icmpv6_echo": 58}


def _transport6(path: Path, packet: Scalar, header: str, span: Span) -> Row:
    """Return both ports and the protocol."""
    protocol = Known(Bits(8), _PROTOCOLS6[header])
    if header != "icmpv6_echo":
        return (*_ports(path, packet, span), protocol)
    identifier = read_field(path, packet, "icmpv6_echo.id", span)
    return (identifier, identifier, protocol)


def _ports(path: Path, packet: Scalar, span: Span) -> Row:
    return (read_field(path, packet, "l4.sport", span), read_field(path, packet, "l4.dport", span))


def _echo(path: Path, packet: Scalar, span: Span) -> Row:
    identifier = read_field(path, packet, "icmp_echo.id", span)
    return (identifier, identifier)


def _either(context: Context, path: Path, packet: Scalar, span: Span) -> Row:
    (is_l4,) = path.append(Has, (BOOL,), span, "is_l4", packet=packet, header="l4")
    names = (context.block("flow_of_ports"), context.block("flow_of_echo"))
    l4, echo = split(path, is_l4, names, span)
    arrivals = [(l4, _ports(l4, packet, span)), (echo, _echo(echo, packet, span))]
    met, row = join_one(arrivals, context.block("flow"), span)
    path.become(met)
    path.builder.name(row, ("sport", "dport"))
    return row
