"""Assignments: to fields of packets, to values of entries, to cells of vectors."""

from synth.language import syntax, typed
from synth.language.checker import entries, fallbacks, members
from synth.language.checker.header_fields import resolve_field
from synth.language.checker.names import report_unknown, report_unknown_member
from synth.language.checker.scope import NOUNS, LocalName, Scope, StateName
from synth.language.checker.tables import columns
from synth.language.checker.words import spell
from synth.language.errors.packets import ReadOnlyField
from synth.language.errors.states import UnfitValue
from synth.language.errors.types import NotAssignable
from synth.language.types import Entry, Packet, Record, Tuple
from synth.net.fields import FIELDS


def check_assign(scope: Scope, statement: syntax.Assign) -> typed.Statement | None:
    """Return an assignment."""
    match statement.target:
        case syntax.Index() as target:
            return _assign_cell(scope, statement, target)
        case syntax.Member() as target:
            return _assign_member(scope, statement, target)
        case syntax.Reference(name=name):
            _check_value(scope, statement)
            known = scope.find(name.text)
            if known is None:
                report_unknown(scope, name, "name")
                return None
            advice = f"make a new one: `let new_{name.text} = ...`" if isinstance(known, LocalName) else ""
            noun = "state" if isinstance(known, StateName) else NOUNS[type(known)]
            scope.report(
                NotAssignable(span=statement.target.span, what=f"{noun} `{name.text}`", advice=advice)
            )
            return None
        case _:
            scope.report(NotAssignable(span=statement.target.span, what="this"))
            return None


def _check_value(scope: Scope, statement: syntax.Assign) -> None:
    """Check a value whose target is wrong, for the errors in it."""
    if not isinstance(statement.value.value, syntax.Literal):
        fallbacks.check_fallible(scope, statement.value, None)


def _assign_cell(scope: Scope, statement: syntax.Assign, target: syntax.Index) -> typed.AssignVector | None:
    cell = members.resolve_cell(scope, target)
    if cell is None:
        _check_value(scope, statement)
        return None
    vector, index = cell
    value = fallbacks.check_fallible(scope, statement.value, vector.element)
    if value is None:
        return None
    return typed.AssignVector(vector=vector.name, index=index, value=value, span=statement.span)


def _assign_member(scope: Scope, statement: syntax.Assign, target: syntax.Member) -> typed.Statement | None:
    base = _base(target)
    known = scope.find(base.name.text) if base is not None else None
    if base is None or known is None:
        _check_value(scope, statement)
        if base is not None:
            report_unknown(scope, base.name, "name")
        else:
            scope.report(NotAssignable(span=target.span, what=f"`{spell(target)}`"))
        return None
    match known:
        case LocalName(type=Packet()):
            return _assign_field(scope, statement, target, base)
        case LocalName(type=Entry()) if target.operand is base:
            return _assign_value(scope, statement, target)
        case LocalName(type=None):
            _check_value(scope, statement)
            return None
        case _:
            _check_value(scope, statement)
            advice = ""
            if isinstance(known, LocalName) and isinstance(known.type, Entry | Record | Tuple):
                advice = "assign the whole value, with its other members as they are"
            scope.report(NotAssignable(span=target.span, what=f"`{spell(target)}`", advice=advice))
            return None


def _base(target: syntax.Member) -> syntax.Reference | None:
    """Return the name that `a.b.c` begins with."""
    operand = target.operand
    while isinstance(operand, syntax.Member):
        operand = operand.operand
    return operand if isinstance(operand, syntax.Reference) else None


def _assign_field(
    scope: Scope, statement: syntax.Assign, target: syntax.Member, base: syntax.Reference
) -> typed.AssignField | None:
    if not isinstance(target.operand, syntax.Member) or target.operand.operand is not base:
        _check_value(scope, statement)
        advice = "" if target.operand is not base else "assign one of its fields, as `pkt.ipv4.ttl = ...`"
        scope.report(NotAssignable(span=target.span, what=f"`{spell(target)}`", advice=advice))
        return None
    field = resolve_field(scope, target, base)
    if field is None:
        _check_value(scope, statement)
        return None
    of, path, packet = field
    value = fallbacks.check_fallible(scope, statement.value, of)
    if value is None:
        return None
    if not FIELDS[path].is_writable:
        scope.report(ReadOnlyField(span=target.span, path=path))
        return None
    return typed.AssignField(packet=packet.name, path=path, value=value, span=statement.span)


def _assign_value(scope: Scope, statement: syntax.Assign, target: syntax.Member) -> typed.AssignEntry | None:
    found = entries.infer_entry(scope, target.operand)
    if found is None:
        _check_value(scope, statement)
        return None
    entry, table = found
    name = target.member.text
    known = columns(table)
    of = known.get(name)
    is_key = name == table.key[0] or (table.unique is not None and name == table.unique[0])
    if of is None:
        report_unknown_member(scope, target.member, f"an entry of `{table.name}`", "value", tuple(known))
    elif isinstance(of, typed.Bucket):
        scope.report(UnfitValue(span=target.span, name=spell(target)))
    elif is_key:
        advice = "remove the entry, and insert one with another key"
        scope.report(NotAssignable(span=target.span, what=f"key `{name}`", advice=advice))
    else:
        value = fallbacks.check_fallible(scope, statement.value, of)
        if value is None:
            return None
        return typed.AssignEntry(entry=entry, table=table.name, name=name, value=value, span=statement.span)
    _check_value(scope, statement)
    return None
