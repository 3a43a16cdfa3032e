"""Calls: conversions, the language's own functions, records, and the user's pure functions."""

from synth.language import syntax, typed
from synth.language.checker import expressions, functions, made_packets, operations, records
from synth.language.checker.given import Given, take_named, take_positional
from synth.language.checker.names import resolve_packet
from synth.language.checker.program import FunctionInfo
from synth.language.checker.scope import Scope
from synth.language.checker.type_names import check_record
from synth.language.checker.units import (
    FUNCTION_WORDS,
    Declaration,
    describe_declaration,
    integer_width,
    look_up,
)
from synth.language.checker.words import describe_kinds, quote, spell
from synth.language.errors.names import WrongDeclaration
from synth.language.errors.packets import WrongPacket
from synth.language.errors.types import CannotConvert, NotCallable, NotStatic
from synth.language.types import (
    FLOW,
    FLOW6,
    Bool,
    Duration,
    Ipv4,
    Mac,
    Packet,
    Rate,
    Size,
    Type,
    UInt,
)
from synth.net.kinds import kinds_with

_FLOW_KINDS = {
    FLOW: kinds_with("ipv4") & (kinds_with("l4") | kinds_with("icmp_echo")),
    FLOW6: kinds_with("ipv6") & (kinds_with("l4") | kinds_with("icmpv6_echo")),
}
_FLOW_WANTED = {FLOW: "ipv4 & (tcp | udp | icmp_echo)", FLOW6: "ipv6 & (tcp | udp | icmpv6_echo)"}


def infer_call(scope: Scope, written: syntax.Call) -> typed.Expr | None:
    """Return what a call gives; it may be absent."""
    match written.function:
        case syntax.Reference(name=name):
            return _call_name(scope, written, name)
        case syntax.Member():
            scope.may_choose = False
            return operations.infer_operation(scope, written, written.function)
        case _:
            scope.report(NotCallable(span=written.function.span, what="this"))
            return None


def _call_name(scope: Scope, written: syntax.Call, name: syntax.Name) -> typed.Expr | None:
    may_choose, scope.may_choose = scope.may_choose, False
    width = integer_width(name.text)
    if width is not None:
        return _convert(scope, written, UInt(width))
    match name.text:
        case "ipv4":
            return _convert(scope, written, Ipv4())
        case "mac":
            return _convert(scope, written, Mac())
        case "size":
            return _convert(scope, written, Size())
        case "flow" if written.arguments and written.arguments[0].name is None:
            return _flow_of(scope, written)
        case "flow":
            scope.may_choose = may_choose
            return records.build_record(scope, FLOW, written.arguments, written.span)
        case "flow6":
            scope.may_choose = may_choose
            return records.build_record(scope, FLOW6, written.arguments, written.span)
        case "reverse":
            return _reverse(scope, written)
        case "hash":
            return _hash(scope, written)
        case "icmp_error":
            return made_packets.icmp_error(scope, written)
        case _:
            scope.may_choose = may_choose
            return _call_declared(scope, written, name)


def _call_declared(scope: Scope, written: syntax.Call, name: syntax.Name) -> typed.Expr | None:
    if name.text not in scope.unit.names and name.text not in scope.unit.along:
        known = scope.find(name.text)
        if known is not None:
            scope.report(NotCallable(span=name.span, what=f"`{name.text}`"))
            return None
    declared = look_up(scope.unit, name, scope.program.reporter, _is_callable, "function", FUNCTION_WORDS)
    if declared is None:
        return None
    if isinstance(declared.item, syntax.Record):
        record = check_record(scope.program, declared)
        if record is None:
            return None
        return records.build_record(scope, record, written.arguments, written.span)
    scope.may_choose = False
    if isinstance(declared.item, syntax.Function):
        function = functions.find_function(scope.program, declared, name)
        return None if function is None else _call_function(scope, written, function)
    found = describe_declaration(declared.item)
    scope.report(
        WrongDeclaration(span=name.span, name=name.text, found=found, expected="a function or a record")
    )
    return None


def _is_callable(item: Declaration) -> bool:
    return isinstance(item, syntax.Record | syntax.Function)


# ---------------------------------------------------------------- the language's own


def _sole_argument(scope: Scope, written: syntax.Call, want: Type | None) -> typed.Expr | None:
    given = take_positional(scope, written, ("value",))
    if given is None:
        return None
    if want is None:
        return expressions.infer(scope, given[0])
    return expressions.check(scope, given[0], want)


def _convert(scope: Scope, written: syntax.Call, target: Type) -> typed.Expr | None:
    given = take_positional(scope, written, ("value",))
    if given is None:
        return None
    operand = expressions.infer(scope, given[0], target if isinstance(target, UInt) else UInt(64))
    if operand is None:
        return None
    allowed = _convertible(target)
    if not _may_convert(operand.type, target):
        scope.report(
            CannotConvert(
                span=given[0].span, found=quote(operand.type), target=quote(target), expected=allowed
            )
        )
        return None
    if operand.type == target:
        return operand
    return typed.Convert(type=target, operand=operand, span=written.span)


def _may_convert(found: Type, target: Type) -> bool:
    match target, found:
        case UInt(), UInt() | Bool():
            return True
        case UInt(width), Ipv4():
            return width >= 32
        case UInt(width), Mac():
            return width >= 48
        case UInt(width), Duration() | Rate() | Size():
            return width == 64
        case ((Ipv4() | Mac() | Size()), UInt()):
            return True
        case _:
            return found == target


def _convertible(target: Type) -> str:
    match target:
        case UInt(64):
            return "an integer, a truth value, an address, a duration, a rate or a size"
        case UInt(width) if width >= 48:
            return "an integer, a truth value or an address"
        case UInt(width) if width >= 32:
            return "an integer, a truth value or an IPv4 address (MAC addresses need u48)"
        case UInt():
            return "an integer or a truth value (IPv4 addresses need u32)"
        case _:
            return "an integer"


def _flow_of(scope: Scope, written: syntax.Call) -> typed.Expr | None:
    given = take_positional(scope, written, ("packet",))
    packet = resolve_packet(scope, given[0]) if given else None
    if packet is None:
        return None
    kinds = scope.facts.kinds[packet.name]
    of = FLOW6 if kinds & _FLOW_KINDS[FLOW6] and not kinds & _FLOW_KINDS[FLOW] else FLOW
    others = kinds - _FLOW_KINDS[of]
    if others:
        scope.report(
            WrongPacket(
                span=written.arguments[0].value.span, function="flow", packet=packet.name,
                wanted=_FLOW_WANTED[of], kinds=describe_kinds(others),
            )
        )  # fmt: skip
        return None
    return typed.FlowOf(type=of, packet=packet, span=written.span)


def _reverse(scope: Scope, written: syntax.Call) -> typed.Expr | None:
    flow = _sole_argument(scope, written, None)
    if flow is None or not expressions.expect(scope, _first(written), flow, _flow_type(flow)):
        return None
    return typed.Reverse(type=flow.type, operand=flow, span=written.span)


def _flow_type(found: typed.Expr) -> Type:
    return FLOW6 if found.type == FLOW6 else FLOW


def _hash(scope: Scope, written: syntax.Call) -> typed.Expr | None:
    operand = _sole_argument(scope, written, None)
    if operand is None:
        return None
    if not expressions.expect_value(scope, _first(written), operand, "hashed"):
        return None
    if scope.place == "a static expression":
        scope.report(NotStatic(span=written.span, what=scope.what))
        return None
    return typed.HashOf(type=UInt(32), operand=operand, span=written.span)


def _first(written: syntax.Call) -> syntax.Expr:
    value = written.arguments[0].value
    assert not isinstance(value, syntax.ListValue | syntax.MapValue)
    return value


# ---------------------------------------------------------------- the user's functions


def _call_function(scope: Scope, written: syntax.Call, info: FunctionInfo) -> typed.Expr | None:
    scope.calls += info.calls
    name = spell(written.function)
    names = tuple(parameter for parameter, _ in info.parameters)
    is_named = any(argument.name is not None for argument in written.arguments)
    given: Given | None
    if is_named:
        given = take_named(scope, written.arguments, name, dict(info.parameters), (), written.span)
    else:
        values = take_positional(scope, written, names)
        given = None if values is None else dict(zip(names, values, strict=True))
    if given is None:
        return None
    found = [_check_argument(scope, name, given[key], info, key, of) for key, of in info.parameters]
    arguments = tuple(argument for argument in found if argument is not None)
    if len(arguments) < len(found) or info.function is None:
        return None
    return typed.Call(
        type=info.function.result, function=info.function, arguments=arguments, span=written.span
    )


def _check_argument(
    scope: Scope, function: str, written: syntax.Expr, info: FunctionInfo, name: str, want: Type
) -> typed.Expr | None:
    if not isinstance(want, Packet):
        return expressions.check(scope, written, want)
    packet = resolve_packet(scope, written)
    if packet is None:
        return None
    others = scope.facts.kinds[packet.name] - want.kinds
    if others:
        scope.report(
            WrongPacket(
                span=written.span, function=function, packet=packet.name,
                wanted=info.wanted[name], kinds=describe_kinds(others),
            )
        )  # fmt: skip
        return None
    return packet
