"""From types as written to types: names, records with their defaults, and where a type may be used."""

from typing import assert_never

from synth.diagnostics.diagnostic import Note
from synth.language import syntax
from synth.language.checker.patterns import check_pattern
from synth.language.checker.program import Program
from synth.language.checker.units import (
    TYPE_WORDS,
    Declaration,
    Declared,
    Unit,
    describe_declaration,
    integer_width,
    look_up,
)
from synth.language.checker.words import PLAIN_TYPES, quote
from synth.language.errors.names import DuplicateName, EmptyRecord, RecordInItself, TooLarge, WrongDeclaration
from synth.language.errors.types import NotAValue, WrongTypeArgument
from synth.language.types import (
    Entry,
    List,
    Packet,
    Prefix4,
    Prefix6,
    Range,
    Record,
    Routes,
    Rules,
    Side,
    Tuple,
    Type,
    UInt,
    scalars,
)

_MOST_SCALARS = 256
_VALUES = "a type of values: integers, bool, mac, ipv4, ipv6, duration, rate, size, side, records and tuples"


def resolve_type(program: Program, unit: Unit, written: syntax.TypeExpr) -> Type | None:
    """Return the type that is written; None, and reported, when there is none."""
    match written:
        case syntax.NamedType(name=name, argument=argument):
            return _resolve_named(program, unit, name, argument)
        case syntax.TupleType(items=items):
            types = [resolve_value_type(program, unit, item, "a part of a tuple") for item in items]
            found = tuple(of for of in types if of is not None)
            return Tuple(found) if len(found) == len(types) else None
        case syntax.PacketType(pattern=pattern):
            return Packet(check_pattern(pattern, program.reporter)[1])
        case _:
            assert_never(written)


def is_value_type(of: Type) -> bool:
    """Tell whether values of a type exist at run time, as scalars."""
    match of:
        case Prefix4() | Prefix6() | Range() | Packet() | Entry() | Rules() | Routes() | List():
            return False
        case _:
            return True


def resolve_value_type(program: Program, unit: Unit, written: syntax.TypeExpr, use: str) -> Type | None:
    """Return a written type of run-time values; `use` says what it is wanted for."""
    of = resolve_type(program, unit, written)
    if of is None or is_value_type(of):
        return of
    program.reporter.report(
        NotAValue(span=written.span, found=quote(of), use=f"the type of {use}", expected=_VALUES)
    )
    return None


def contains_side(of: Type) -> bool:
    """Tell whether values of a type hold sides of an NF."""
    match of:
        case Side():
            return True
        case Record(_, members):
            return any(contains_side(member) for _, member in members)
        case Tuple(items):
            return any(contains_side(item) for item in items)
        case Routes(record) | List(record):
            return contains_side(record)
        case _:
            return False


def _resolve_named(
    program: Program, unit: Unit, name: syntax.Name, argument: syntax.TypeExpr | None
) -> Type | None:
    if name.text in ("range", "routes", "list"):
        return _resolve_generic(program, unit, name, argument)
    width = integer_width(name.text)
    plain = UInt(width) if width is not None else PLAIN_TYPES.get(name.text)
    if plain is not None and argument is None:
        return plain
    if plain is not None or argument is not None or name.text in ("packet", "bucket"):
        expected = {
            "packet": "`packet(PATTERN)`, for a parameter of a function",
            "bucket": "a type of values here; buckets are values of tables or state of their own",
        }.get(name.text, f"`{name.text}` alone")
        program.reporter.report(WrongTypeArgument(span=name.span, type=name.text, expected=expected))
        return None
    return find_record(program, unit, name)


def _resolve_generic(
    program: Program, unit: Unit, name: syntax.Name, argument: syntax.TypeExpr | None
) -> Type | None:
    example = {"range": "range<u16>", "routes": "routes<RECORD>", "list": "list<RECORD>"}[name.text]
    if argument is None:
        program.reporter.report(WrongTypeArgument(span=name.span, type=name.text, expected=f"`{example}`"))
        return None
    of = resolve_type(program, unit, argument)
    match name.text, of:
        case _, None:
            return None
        case "range", UInt():
            return Range(of)
        case "routes", Record():
            return Routes(of)
        case "list", Record():
            return List(of)
        case _:
            wanted = "an integer type" if name.text == "range" else "a record"
            program.reporter.report(
                WrongTypeArgument(span=argument.span, type=example_of(name.text, of), expected=wanted)
            )
            return None


def example_of(generic: str, of: Type) -> str:
    """Return a generic type with its argument, as it was written."""
    return f"{generic}<{quote(of).strip('`')}>"


# ---------------------------------------------------------------- records


def is_record(item: Declaration) -> bool:
    """Tell whether a declaration is a record's."""
    return isinstance(item, syntax.Record)


def find_record(program: Program, unit: Unit, name: syntax.Name) -> Record | None:
    """Return a record by its name; None, and reported, when there is none."""
    declared = look_up(unit, name, program.reporter, is_record, "type", TYPE_WORDS)
    if declared is None:
        return None
    if not isinstance(declared.item, syntax.Record):
        found = describe_declaration(declared.item)
        program.reporter.report(
            WrongDeclaration(span=name.span, name=name.text, found=found, expected="a type")
        )
        return None
    cycle = program.cycle_to(declared.item)
    if cycle is not None:
        program.reporter.report(RecordInItself(span=name.span, cycle=cycle))
        return None
    if program.is_too_deep(name.span):
        return None
    return check_record(program, declared)


def check_record(program: Program, declared: Declared) -> Record | None:
    """Check a record, once, and return it."""
    item = declared.item
    assert isinstance(item, syntax.Record)
    if id(item) not in program.records:
        program.open.append(declared)
        program.records[id(item)] = _check_record(program, declared.unit, item)
        program.open.pop()
    return program.records[id(item)]


def _check_record(program: Program, unit: Unit, item: syntax.Record) -> Record | None:
    members: dict[str, Type | None] = {}
    first: dict[str, syntax.Name] = {}
    for declaration in item.fields:
        name = declaration.name
        if name.text in members:
            note = Note(first[name.text].span, "it stands here")
            program.reporter.report(
                DuplicateName(span=name.span, what="member", name=name.text, notes=(note,))
            )
            continue
        first[name.text] = name
        members[name.text] = resolve_value_type(program, unit, declaration.type, f"member `{name.text}`")
    if not item.fields:
        program.reporter.report(EmptyRecord(span=item.name.span, name=item.name.text))
        return None
    known = tuple((name, of) for name, of in members.items() if of is not None)
    if len(known) < len(members):
        return None
    size = sum(len(scalars(of)) for _, of in known)
    if size > _MOST_SCALARS:
        program.reporter.report(
            TooLarge(
                span=item.name.span, what="record", name=item.name.text, size=size, unit="scalars",
                limit=_MOST_SCALARS,
            )
        )  # fmt: skip
        return None
    record = Record(item.name.text, known)
    program.declared_records[record] = Declared(unit, item)
    return record
