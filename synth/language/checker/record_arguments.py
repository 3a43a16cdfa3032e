"""Records and lists of records as arguments: maps, calls, and YAML files."""

from synth.diagnostics.diagnostic import Note
from synth.language import static, syntax
from synth.language.checker import arguments
from synth.language.checker.bindings import Bindings, take_file
from synth.language.checker.names import report_unknown_member
from synth.language.checker.records import defaults_of
from synth.language.checker.words import quote
from synth.language.errors.names import DuplicateName
from synth.language.errors.types import MissingArgument
from synth.language.files.records import load_records
from synth.language.types import List, Record
from synth.language.values import ListValue, Scalars, Value


def evaluate_record(bindings: Bindings, written: syntax.MapValue, record: Record) -> Scalars | None:
    """Return a record that is written as a map, `{ address: 10.0.0.1 }`."""
    types = dict(record.members)
    given = _members(bindings, written, record)
    row: list[int] = []
    is_right = given is not None
    defaults = default_rows(bindings, record)
    for name, of in record.members:
        if given is not None and name in given:
            value = arguments.evaluate_argument(bindings, given[name], of)
            is_right = is_right and isinstance(value, tuple)
            row.extend(value if isinstance(value, tuple) else ())
        elif name in defaults:
            row.extend(defaults[name])
        elif given is not None:
            bindings.report(
                MissingArgument(span=written.span, function=record.name, name=name, type=quote(types[name]))
            )
            is_right = False
    return tuple(row) if is_right else None


def _members(
    bindings: Bindings, written: syntax.MapValue, record: Record
) -> dict[str, syntax.ValueExpr] | None:
    """Return a map's values by member; None when one of its keys is wrong."""
    scope = bindings.scope()
    names = tuple(name for name, _ in record.members)
    given: dict[str, syntax.MapEntry] = {}
    is_right = True
    for entry in written.entries:
        text = entry.key.text
        if text not in names:
            key = syntax.Name(text=text, span=entry.key.span)
            report_unknown_member(scope, key, f"record `{record.name}`", "member", names)
            is_right = False
        elif text in given:
            note = Note(given[text].key.span, "it stands here")
            bindings.report(DuplicateName(span=entry.key.span, what="member", name=text, notes=(note,)))
            is_right = False
        given.setdefault(text, entry)
    return {name: entry.value for name, entry in given.items()} if is_right else None


def default_rows(bindings: Bindings, record: Record) -> dict[str, Scalars]:
    """Return the scalars of the members that may be left out."""
    rows: dict[str, Scalars] = {}
    for name, default in defaults_of(bindings.program, record).items():
        try:
            value = static.evaluate(default, {})
        except static.StaticError:
            continue
        if isinstance(value, tuple):
            rows[name] = value
    return rows


def evaluate_list(bindings: Bindings, written: syntax.ValueExpr, record: Record) -> Value | None:
    """Return a list of records: in brackets, or from a YAML file."""
    if isinstance(written, syntax.ListValue):
        rows = [_item(bindings, item, record) for item in written.items]
        found = tuple(row for row in rows if row is not None)
        return ListValue(found) if len(found) == len(rows) else None
    call = take_file(bindings, written, "yaml", ())
    if call is not None:
        reference, _ = call
        return load_records(
            reference, record, bindings.report,
            defaults=default_rows(bindings, record), sides=bindings.sides,
        ) if reference else None  # fmt: skip
    forms = f'`[{{ ... }}, ...]` of {record.name} records, or `yaml("FILE")`'
    return arguments.evaluate_reference(bindings, written, List(record), forms)


def _item(bindings: Bindings, item: syntax.ValueExpr, record: Record) -> Scalars | None:
    """Return one record; a literal alone is its only member that has no default."""
    of = record.members[0][1] if len(record.members) == 1 else None
    defaults = default_rows(bindings, record)
    needed = [name for name, _ in record.members if name not in defaults]
    if isinstance(item, syntax.Literal) and len(needed) == 1:
        of = dict(record.members)[needed[0]]
        value = arguments.evaluate_argument(bindings, item, of)
        rows = {**defaults, needed[0]: value} if isinstance(value, tuple) else {}
        return tuple(scalar for name, _ in record.members for scalar in rows[name]) if rows else None
    value = arguments.evaluate_argument(bindings, item, record)
    return value if isinstance(value, tuple) else None
