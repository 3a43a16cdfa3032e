"""Records made of their members."""

from collections.abc import Mapping, Sequence

from synth.diagnostics.spans import Span
from synth.language import syntax, typed
from synth.language.checker import expressions
from synth.language.checker.given import take_named
from synth.language.checker.program import Program
from synth.language.checker.scope import Scope
from synth.language.types import Record


def defaults_of(program: Program, record: Record) -> Mapping[str, typed.Expr]:
    """Return the defaults of a record's members, checked once."""
    declared = program.declared_records.get(record)
    if declared is None:
        return {}
    if record not in program.defaults:
        assert isinstance(declared.item, syntax.Record)
        types = dict(record.members)
        found: dict[str, typed.Expr] = {}
        scope = Scope(program, declared.unit, "a static expression", "a default")
        for member in declared.item.fields:
            if member.default is not None:
                default = expressions.check(scope, member.default, types[member.name.text])
                if default is not None:
                    found[member.name.text] = default
        program.defaults[record] = found
    return program.defaults[record]


def build_record(
    scope: Scope, record: Record, arguments: Sequence[syntax.Argument], span: Span
) -> typed.Expr | None:
    """Return a record made of named arguments and of the defaults of the others."""
    may_choose, scope.may_choose = scope.may_choose, False
    defaults = defaults_of(scope.program, record)
    wanted = dict(record.members)
    given = take_named(scope, arguments, record.name, wanted, tuple(defaults), span)
    if given is None:
        return None
    found: list[typed.Expr] = []
    for name, of in record.members:
        if name not in given:
            found.append(defaults[name])
            continue
        scope.may_choose = may_choose and isinstance(given[name], syntax.Choose)
        member = expressions.check(scope, given[name], of)
        scope.may_choose = False
        if member is not None:
            found.append(member)
    if len(found) < len(record.members):
        return None
    return typed.Build(type=record, members=tuple(found), span=span)
