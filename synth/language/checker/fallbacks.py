"""`value or a or b`: what happens when something is absent."""

from synth.language import syntax, typed
from synth.language.checker import entries, expressions, statements
from synth.language.checker.scope import GiveTarget, Scope, join_facts
from synth.language.checker.words import spell
from synth.language.errors.types import (
    BlockGivesNothing,
    NeedsOr,
    NeverAbsent,
    NotAllowedHere,
    UnusedResult,
)
from synth.language.types import Type


def check_fallible(
    scope: Scope, written: syntax.Fallible, want: Type | None
) -> typed.Expr | typed.Fallback | None:
    """Return a value with its alternatives; a plain expression when it is never absent."""
    if not _ends_last(scope, written):
        return None
    options = _check_options(scope, written, want)
    of = next((option.type for option in options if option is not None), want)
    last = written.alternatives[-1] if written.alternatives else None
    otherwise: typed.Drop | typed.Block | None = None
    is_right = all(option is not None for option in options)
    match last:
        case syntax.Drop():
            is_right = _allow_drop(scope, last) and is_right
            otherwise = statements.check_drop(scope, last)
        case syntax.Block():
            otherwise = _check_block(scope, last, GiveTarget(type=of, is_unwanted=False))
        case _:
            is_right = _check_last(scope, written, options) and is_right
    found = tuple(option for option in options if option is not None)
    if not is_right or not found or of is None:
        return None
    if len(found) == 1 and otherwise is None:
        return found[0]
    return typed.Fallback(type=of, options=found, otherwise=otherwise, span=written.span)


def _check_options(scope: Scope, written: syntax.Fallible, want: Type | None) -> list[typed.Expr | None]:
    """Check the expressions before the last `or`; all but the last of all may be absent."""
    options: list[typed.Expr | None] = []
    of = want
    for position, option in enumerate((written.value, *written.alternatives)):
        if isinstance(option, syntax.Drop | syntax.Block):
            break
        found = expressions.infer_option(scope, option, of)
        if found is not None and of is not None and not expressions.expect(scope, option, found, of):
            found = None
        options.append(found)
        if found is None:
            continue
        of = of or found.type
        if not isinstance(found, expressions.FALLIBLE) and position < len(written.alternatives):
            scope.report(NeverAbsent(span=written.alternatives[position].span))
            options.append(None)
            break
    return options


def _ends_last(scope: Scope, written: syntax.Fallible) -> bool:
    """Tell whether nothing stands behind a drop or a block; report when something does."""
    for position, option in enumerate(written.alternatives[:-1], 1):
        if isinstance(option, syntax.Drop | syntax.Block):
            scope.report(NeverAbsent(span=written.alternatives[position].span))
            return False
    return True


def _check_last(scope: Scope, written: syntax.Fallible, options: list[typed.Expr | None]) -> bool:
    """Tell whether the last option, behind which nothing stands, is never absent."""
    last = options[-1] if options else None
    if last is None or not isinstance(last, expressions.FALLIBLE):
        return True
    source = (written.value, *written.alternatives)[len(options) - 1]
    assert not isinstance(source, syntax.Drop | syntax.Block)
    reason = expressions.REASONS[type(last)]
    scope.report(NeedsOr(span=source.span, operation=spell(source), reason=reason))
    return False


def _allow_drop(scope: Scope, written: syntax.Drop) -> bool:
    if scope.place == "a handler":
        return True
    scope.report(NotAllowedHere(span=written.span, what="`drop`", place=scope.place, expected="a value"))
    return False


def _check_block(scope: Scope, block: syntax.Block, target: GiveTarget) -> typed.Block:
    """Check the block after `or`. Afterwards the facts are those of all the ways that go on."""
    before = scope.facts
    if scope.place != "a handler":
        scope.report(NotAllowedHere(span=block.span, what="a block", place=scope.place, expected="a value"))
        return ()
    scope.gives.append(target)
    found = statements.check_block(scope, block)
    scope.gives.pop()
    if not scope.facts.is_ended:
        if target.is_unwanted:
            target.facts.append(scope.facts)
        elif not scope.facts.has_emitted:
            scope.report(BlockGivesNothing(span=statements.end_of(block)))
    scope.facts = before
    for facts in target.facts:
        scope.facts = join_facts(scope.facts, facts)
    return found


def check_perform(scope: Scope, written: syntax.Perform) -> typed.Statement | None:
    """Return a call as a statement: an operation that may fail, or an addition to a sketch.

    A block after its `or` gives no value; when it comes to its end, the handler goes on.
    """
    call = written.value.value
    assert isinstance(call, syntax.Call)
    sketch = entries.sketch_of(scope, call)
    if sketch is not None:
        if written.value.alternatives:
            scope.report(NeverAbsent(span=written.value.alternatives[0].span))
        return entries.check_sketch_add(scope, call, sketch)
    last = written.value.alternatives[-1] if written.value.alternatives else None
    if not isinstance(last, syntax.Block):
        value = check_fallible(scope, written.value, None)
        if isinstance(value, typed.Fallback):
            return typed.Perform(value=value, span=written.span)
        if value is not None:
            scope.report(UnusedResult(span=written.span, function=spell(call.function)))
        return None
    return _perform_or_block(scope, written, last)


def _perform_or_block(scope: Scope, written: syntax.Perform, block: syntax.Block) -> typed.Statement | None:
    if not _ends_last(scope, written.value):
        return None
    options = _check_options(scope, written.value, None)
    otherwise = _check_block(scope, block, GiveTarget(type=None, is_unwanted=True))
    found = tuple(option for option in options if option is not None)
    if len(found) < len(options):
        return None
    value = typed.Fallback(type=found[0].type, options=found, otherwise=otherwise, span=written.value.span)
    return typed.Perform(value=value, span=written.span)
