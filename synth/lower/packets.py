"""Reads of packets: fields, and flow keys."""

from synth.diagnostics.spans import Span
from synth.graph.nodes import Has, Read
from synth.graph.verify_types import field_type
from synth.language import types
from synth.lower.context import Context
from synth.lower.paths import Path, join_one, split
from synth.lower.scalars import BOOL, Row, Scalar


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
    has_ports = [kind.has("l4") for kind in kinds]
    if all(has_ports):
        return _flow(path, packet, ("l4.sport", "l4.dport"), span)
    if not any(has_ports):
        return _flow(path, packet, ("icmp_echo.id",), span)
    (is_l4,) = path.append(Has, (BOOL,), span, "is_l4", packet=packet, header="l4")
    names = (context.block("flow_of_ports"), context.block("flow_of_echo"))
    ports, echo = split(path, is_l4, names, span)
    arrivals = [
        (ports, _flow(ports, packet, ("l4.sport", "l4.dport"), span)),
        (echo, _flow(echo, packet, ("icmp_echo.id",), span)),
    ]
    met, row = join_one(arrivals, context.block("flow"), span)
    path.become(met)
    return row


def _flow(path: Path, packet: Scalar, ports: tuple[str, ...], span: Span) -> Row:
    src, dst, sport, *dport, protocol = (
        read_field(path, packet, field, span) for field in ("ipv4.src", "ipv4.dst", *ports, "ipv4.protocol")
    )
    return (src, dst, sport, dport[0] if dport else sport, protocol)
