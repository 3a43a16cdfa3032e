"""Packets that an NF makes: `icmp_error(pkt, time_exceeded, source)`."""

from synth.language import syntax, typed
from synth.language.checker import expressions
from synth.language.checker.given import take_positional
from synth.language.checker.names import resolve_packet
from synth.language.checker.scope import Scope
from synth.language.checker.words import backticks, describe_kinds
from synth.language.errors.packets import UnknownIcmpError, WrongPacket
from synth.language.errors.types import NotStatic
from synth.language.types import Ipv4, Packet, UInt
from synth.net.icmp import ICMP_ERRORS, can_be_reported, error_kind

_WANTED = "ipv4 & !later_fragment & (!icmp | icmp_echo)"
_ARGUMENTS = ("packet", "error", "source")


def icmp_error(scope: Scope, written: syntax.Call) -> typed.Expr | None:
    """Return the packet that tells a packet's sender what became of it.

    The packet must be one that there may be an error about; the error is one of the words of `ICMP_ERRORS`.
    """
    word = _error_word(scope, written)
    if word is None:
        return None
    has_mtu = ICMP_ERRORS[word].has_mtu
    given = take_positional(scope, written, (*_ARGUMENTS, "mtu") if has_mtu else _ARGUMENTS)
    packet = resolve_packet(scope, given[0]) if given else None
    if given is None or packet is None:
        return None
    if scope.place == "a static expression":
        scope.report(NotStatic(span=written.span, what=scope.what))
        return None
    kinds = scope.facts.kinds[packet.name]
    others = frozenset(kind for kind in kinds if not can_be_reported(kind))
    if others:
        scope.report(
            WrongPacket(
                span=given[0].span, function="icmp_error", packet=packet.name,
                wanted=_WANTED, kinds=describe_kinds(others),
            )
        )  # fmt: skip
        return None
    source = expressions.check(scope, given[2], Ipv4())
    mtu = expressions.check(scope, given[3], UInt(16)) if has_mtu else None
    if source is None or (has_mtu and mtu is None):
        return None
    made = Packet(frozenset(map(error_kind, kinds)))
    return typed.IcmpError(type=made, packet=packet, error=word, source=source, mtu=mtu, span=written.span)


def _error_word(scope: Scope, written: syntax.Call) -> str | None:
    """Return the second argument, a word; what is wrong with it is reported."""
    if len(written.arguments) < 2:
        take_positional(scope, written, _ARGUMENTS)
        return None
    value = written.arguments[1].value
    if isinstance(value, syntax.Reference) and value.name.text in ICMP_ERRORS:
        return value.name.text
    scope.report(UnknownIcmpError(span=value.span, errors=backticks(tuple(ICMP_ERRORS))))
    return None
