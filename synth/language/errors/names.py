"""What can be wrong with names, files and declarations: E100 to E149."""

from dataclasses import dataclass

from synth.diagnostics.diagnostic import Diagnostic


@dataclass(frozen=True, kw_only=True)
class UnknownName(Diagnostic):
    code = "E100"
    title = "unknown {what} `{name}`{hint}"
    label = "not known here"
    help = "{advice}"

    what: str
    name: str
    hint: str = ""
    advice: str = ""


@dataclass(frozen=True, kw_only=True)
class DuplicateName(Diagnostic):
    code = "E101"
    title = "{what} `{name}` is there already"
    label = "expected another name"

    what: str
    name: str


@dataclass(frozen=True, kw_only=True)
class UnknownMember(Diagnostic):
    code = "E102"
    title = "{owner} has no {what} `{name}`{hint}"
    label = "expected {expected}"

    owner: str
    what: str
    name: str
    expected: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class UnknownLibraryName(Diagnostic):
    code = "E103"
    title = "the library has no {folder} `{name}`{hint}"
    label = "expected {expected}"

    folder: str
    name: str
    expected: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class NotDeclaredThere(Diagnostic):
    code = "E104"
    title = "`{file}` declares no `{name}`{hint}"
    label = "expected {expected}"

    file: str
    name: str
    expected: str
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class UseCycle(Diagnostic):
    code = "E105"
    title = "files use each other: {cycle}"
    label = "this leads back to where it began"
    help = "move what both need into a third file"

    cycle: str


@dataclass(frozen=True, kw_only=True)
class Recursion(Diagnostic):
    code = "E106"
    title = "functions cannot call themselves: {cycle}"
    label = "this call leads back"

    cycle: str


@dataclass(frozen=True, kw_only=True)
class ChainInItself(Diagnostic):
    code = "E107"
    title = "a chain cannot contain itself: {cycle}"
    label = "this instance leads back"

    cycle: str


@dataclass(frozen=True, kw_only=True)
class AmbiguousName(Diagnostic):
    code = "E108"
    title = "`{name}` comes from more than one file: {files}"
    label = "which one is meant?"
    help = "use the one that is meant by its name: `use ...: {name}`"

    name: str
    files: str


@dataclass(frozen=True, kw_only=True)
class ReservedName(Diagnostic):
    code = "E109"
    title = "`{name}` is a word of the language"
    label = "expected another name for this {what}"

    name: str
    what: str


@dataclass(frozen=True, kw_only=True)
class WrongDeclaration(Diagnostic):
    code = "E111"
    title = "`{name}` is a {found}"
    label = "expected {expected}"

    name: str
    found: str
    expected: str


@dataclass(frozen=True, kw_only=True)
class RecordInItself(Diagnostic):
    code = "E112"
    title = "a record cannot contain itself: {cycle}"
    label = "this member leads back"

    cycle: str


@dataclass(frozen=True, kw_only=True)
class EmptyRecord(Diagnostic):
    code = "E113"
    title = "record `{name}` has no members"
    label = "expected at least one member, as `address: ipv4`"

    name: str


@dataclass(frozen=True, kw_only=True)
class TooLarge(Diagnostic):
    code = "E114"
    title = "{what} `{name}` is too large"
    label = "this makes {size} {unit}; expected at most {limit}"

    what: str
    name: str
    size: int
    unit: str
    limit: int


@dataclass(frozen=True, kw_only=True)
class NestedTooDeep(Diagnostic):
    code = "E115"
    title = "declarations nest too deep"
    label = "expected at most {limit} that contain or call each other"

    limit: int
