"""Names in expressions: parameters, locals, sides, states."""

from typing import assert_never

from synth.diagnostics.diagnostic import Note
from synth.diagnostics.spans import Span
from synth.diagnostics.suggest import did_you_mean
from synth.language import syntax, typed
from synth.language.checker.scope import NOUNS, LocalName, OwnSide, ParameterName, Scope, StateName
from synth.language.checker.type_names import is_value_type
from synth.language.checker.units import FUNCTION_WORDS
from synth.language.checker.words import backticks, quote
from synth.language.errors.names import DuplicateName, UnknownMember, UnknownName
from synth.language.errors.states import EntryGone, WrongState
from synth.language.errors.types import NotStatic, TypeMismatch
from synth.language.types import Entry, Packet, Side, Type

STATE_WORDS: dict[type, str] = {
    typed.TableState: "a table", typed.VectorState: "a vector", typed.CounterState: "a counter",
    typed.BucketState: "a token bucket", typed.SketchState: "a sketch", typed.RingState: "a ring",
}  # fmt: skip


def resolve_reference(scope: Scope, written: syntax.Reference) -> typed.Expr | None:
    """Return what a name stands for as a value."""
    name = written.name.text
    known = scope.find(name)
    match known:
        case None:
            report_unknown(scope, written.name, "name")
            return None
        case ParameterName(type=of):
            return None if of is None else typed.Parameter(type=of, name=name, span=written.span)
        case LocalName(type=of):
            return None if of is None else _use_local(scope, written, known, of)
        case OwnSide():
            return typed.SideName(type=Side(), side=name, span=written.span)
        case StateName():
            _report_state(scope, written, known)
            return None
        case _:
            assert_never(known)


def report_unknown(scope: Scope, name: syntax.Name, what: str) -> None:
    """Report a name that is not in scope."""
    advice = ""
    if name.text in FUNCTION_WORDS or name.text in scope.unit.names:
        advice = f"call it: `{name.text}(...)`"
    hint = "" if advice else did_you_mean(name.text, scope.visible())
    scope.report(UnknownName(span=name.span, what=what, name=name.text, hint=hint, advice=advice))


def _use_local(scope: Scope, written: syntax.Reference, known: LocalName, of: Type) -> typed.Expr | None:
    removed = scope.facts.gone.get(known.unique)
    if isinstance(of, Entry) and removed is not None:
        scope.report(
            EntryGone(
                span=written.span,
                entry=written.name.text,
                notes=(Note(removed, "this removes it, or may: two names can stand for one entry"),),
            )
        )
        return None
    if isinstance(of, Packet):
        of = Packet(scope.facts.kinds.get(known.unique, of.kinds))
    return typed.Local(type=of, name=known.unique, span=written.span)


def _report_state(scope: Scope, written: syntax.Reference, known: StateName) -> None:
    if scope.place == "a static expression":
        scope.report(NotStatic(span=written.span, what=scope.what))
    elif known.state is not None:
        found = STATE_WORDS[type(known.state)]
        scope.report(WrongState(span=written.span, name=written.name.text, found=found, expected="a value"))


def resolve_packet(scope: Scope, written: syntax.Expr) -> typed.Local | None:
    """Return the packet that an expression names."""
    found = resolve_reference(scope, written) if isinstance(written, syntax.Reference) else None
    if isinstance(found, typed.Local) and isinstance(found.type, Packet):
        return found
    if found is not None or not isinstance(written, syntax.Reference):
        text = "another expression" if found is None else quote(found.type)
        scope.report(TypeMismatch(span=written.span, expected="the name of a packet", found=text))
    return None


def declare(scope: Scope, name: syntax.Name, of: Type | None, span: Span) -> LocalName:
    """Make a local; report when its name is visible already."""
    earlier = scope.find(name.text)
    if earlier is not None:
        scope.report(
            DuplicateName(
                span=name.span,
                what=NOUNS[type(earlier)],
                name=name.text,
                notes=(Note(earlier.span, "it stands here"),),
            )
        )
    return scope.bind(name.text, of, span)


def is_storable(of: Type) -> bool:
    """Tell whether a `let` may hold a value of a type by itself."""
    return is_value_type(of) or isinstance(of, Packet)


def report_unknown_member(
    scope: Scope, name: syntax.Name, owner: str, what: str, known: tuple[str, ...]
) -> None:
    """Report a member that is not there."""
    expected = backticks(known) or "nothing: there are none"
    scope.report(
        UnknownMember(
            span=name.span, owner=owner, what=what, name=name.text, expected=expected,
            hint=did_you_mean(name.text, known),
        )
    )  # fmt: skip
