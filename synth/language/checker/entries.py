"""Statements on state: `touch`, `remove`, `count`, and additions to sketches."""

from dataclasses import replace

from synth.diagnostics.diagnostic import Note
from synth.diagnostics.spans import Span
from synth.language import syntax, typed
from synth.language.checker import expressions
from synth.language.checker.given import as_expression, take_positional
from synth.language.checker.names import STATE_WORDS, report_unknown, report_unknown_member
from synth.language.checker.scope import NOUNS, Scope, StateName
from synth.language.checker.tables import find_table
from synth.language.checker.words import quote, spell
from synth.language.errors.states import WrongState
from synth.language.errors.types import TypeMismatch, WrongArgumentCount
from synth.language.types import Entry, Size, Type, UInt


def infer_entry(scope: Scope, written: syntax.Expr) -> tuple[typed.Expr, typed.TableState] | None:
    """Return an entry that is still there, and its table."""
    entry = expressions.infer(scope, written, UInt(64))
    if entry is None:
        return None
    if not isinstance(entry.type, Entry):
        scope.report(TypeMismatch(span=written.span, expected="an entry of a table", found=quote(entry.type)))
        return None
    table = find_table(scope, entry.type.table)
    return None if table is None else (entry, table)


def check_touch(scope: Scope, statement: syntax.Touch) -> typed.Touch | None:
    """Return `touch entry.timer`."""
    target = statement.target
    if not isinstance(target, syntax.Member):
        scope.report(
            TypeMismatch(
                span=target.span, expected="a timer of an entry", found=f"`{spell(target)}`",
                advice=f"say which timer: `touch {spell(target)}.TIMER`",
            )
        )  # fmt: skip
        return None
    found = infer_entry(scope, target.operand)
    if found is None:
        return None
    entry, table = found
    timers = tuple(name for name, _ in table.timers)
    if target.member.text not in timers:
        report_unknown_member(scope, target.member, f"table `{table.name}`", "timer", timers)
        return None
    return typed.Touch(entry=entry, table=table.name, timer=target.member.text, span=statement.span)


def check_remove(scope: Scope, statement: syntax.Remove) -> typed.Remove | None:
    """Return `remove entry`. Every name of an entry of that table may be the same entry: none is left."""
    found = infer_entry(scope, statement.target)
    if found is None:
        return None
    entry, table = found
    gone = {
        local.unique: statement.span
        for names in scope.locals
        for local in names.values()
        if local.type == Entry(table.name)
    }
    scope.facts = replace(scope.facts, gone={**scope.facts.gone, **gone})
    return typed.Remove(entry=entry, table=table.name, span=statement.span)


def check_count(scope: Scope, statement: syntax.Count) -> typed.Count | None:
    """Return `count counter by amount`; the amount is 64 bits wide."""
    name = statement.counter
    known = scope.find(name.text)
    amount: typed.Expr | None = typed.Constant(type=UInt(64), value=(1,), span=statement.span)
    if statement.amount is not None:
        amount = _infer_amount(scope, statement.amount, 64)
    if known is None:
        report_unknown(scope, name, "counter")
        return None
    if not isinstance(known, StateName):
        _report_no_counter(scope, name.text, f"a {NOUNS[type(known)]}", name.span, known.span)
        return None
    if known.state is None or amount is None:
        return None
    if not isinstance(known.state, typed.CounterState):
        _report_no_counter(scope, name.text, STATE_WORDS[type(known.state)], name.span, known.span)
        return None
    return typed.Count(counter=known.state.name, amount=amount, span=statement.span)


def _report_no_counter(scope: Scope, name: str, found: str, at: Span, declared: Span) -> None:
    scope.report(
        WrongState(
            span=at, name=name, found=found, expected="a counter",
            notes=(Note(declared, "it is declared here"),),
        )
    )  # fmt: skip


def _infer_amount(scope: Scope, written: syntax.Expr, width: int) -> typed.Expr | None:
    """Return an amount, widened (for once silently: nothing is lost) to the width that is added up."""
    amount = expressions.infer(scope, written, UInt(width))
    if amount is None:
        return None
    want: Type = UInt(width)
    is_size = isinstance(amount.type, Size) and width == 64
    if not is_size and not (isinstance(amount.type, UInt) and amount.type.width <= width):
        expected = "an integer or a size" if width == 64 else f"an integer of at most {width} bits"
        scope.report(TypeMismatch(span=written.span, expected=expected, found=quote(amount.type)))
        return None
    return amount if amount.type == want else typed.Convert(type=want, operand=amount, span=amount.span)


# ---------------------------------------------------------------- sketches


def sketch_of(scope: Scope, call: syntax.Call) -> typed.SketchState | None:
    """Return the sketch when a call is `sketch.add(...)`."""
    function = call.function
    if not isinstance(function, syntax.Member) or not isinstance(function.operand, syntax.Reference):
        return None
    known = scope.find(function.operand.name.text)
    state = known.state if isinstance(known, StateName) else None
    is_add = function.member.text == "add"
    return state if is_add and isinstance(state, typed.SketchState) else None


def check_sketch_add(scope: Scope, call: syntax.Call, sketch: typed.SketchState) -> typed.SketchAdd | None:
    """Return `sketch.add(key)` or `sketch.add(key, amount)`; the amount is 32 bits wide."""
    amount: typed.Expr | None = typed.Constant(type=UInt(32), value=(1,), span=call.span)
    if len(call.arguments) == 2 and all(argument.name is None for argument in call.arguments):
        key_written = as_expression(scope, call.arguments[0].value)
        amount_written = as_expression(scope, call.arguments[1].value)
        amount = None if amount_written is None else _infer_amount(scope, amount_written, 32)
    elif len(call.arguments) < 2:
        given = take_positional(scope, call, ("key",))
        key_written = given[0] if given else None
    else:
        scope.report(
            WrongArgumentCount(
                span=call.span, function=spell(call.function), expected="a key, and perhaps an amount",
                found=f"{len(call.arguments)} arguments",
            )
        )  # fmt: skip
        return None
    key = None if key_written is None else expressions.check(scope, key_written, sketch.key)
    if key is None or amount is None:
        return None
    return typed.SketchAdd(sketch=sketch.name, key=key, amount=amount, span=call.span)
