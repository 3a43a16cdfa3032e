"""Files and the names that each of them sees."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from synth.diagnostics.diagnostic import Note, UserError
from synth.diagnostics.reporter import Reporter
from synth.diagnostics.spans import Span
from synth.diagnostics.suggest import closest, did_you_mean
from synth.language import syntax
from synth.language.checker.words import PLAIN_TYPES, backticks
from synth.language.errors.names import (
    AmbiguousName,
    DuplicateName,
    NotDeclaredThere,
    ReservedName,
    UnknownLibraryName,
    UnknownName,
    UseCycle,
)
from synth.language.parser import parse_file
from synth.resources import chains_folder

Declaration = syntax.Record | syntax.Function | syntax.Nf | syntax.Chain

TYPE_WORDS = (*PLAIN_TYPES, "range", "routes", "list", "packet", "bucket")
FUNCTION_WORDS = ("flow", "flow6", "reverse", "hash", "icmp_error", "ipv4", "mac", "size")

_CONTEXT = {
    syntax.Record: "record",
    syntax.Function: "function",
    syntax.Nf: "NF",
    syntax.Chain: "chain",
}


def describe_declaration(item: Declaration) -> str:
    """Return what kind of thing a declaration makes."""
    return _CONTEXT[type(item)]


@dataclass(frozen=True, slots=True)
class Declared:
    """A declaration, with the file in which its own names are looked up."""

    unit: "Unit"
    item: Declaration


@dataclass(slots=True, eq=False)
class Unit:
    """A file and the names that it sees.

    `names` are its own declarations and what it uses by name; `along` are the records and functions
    that come along with a used file.
    """

    file: syntax.File
    names: dict[str, tuple[Declared, Span]] = field(default_factory=dict)
    along: dict[str, list[Declared]] = field(default_factory=dict)

    @property
    def folder(self) -> Path:
        """Where the file's relative paths start."""
        return Path(self.file.path).parent

    @property
    def own(self) -> Iterator[Declaration]:
        """The file's own declarations, in order."""
        return (item for item in self.file.items if not isinstance(item, syntax.Use))


class Loader:
    """Reads files and those that they use, each once."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self._units: dict[Path, Unit | None] = {}
        self._open: list[tuple[Path, str]] = []

    def load(self, path: Path, at: Span | None = None) -> Unit | None:
        """Return a file's unit; None, and everything reported, when it is no chain file."""
        key = Path(os.path.realpath(path))
        if key not in self._units:
            try:
                file = parse_file(path, at)
            except UserError as error:
                self._units[key] = None
                for found in error.diagnostics:
                    self._reporter.report(found)
            else:
                self._open.append((key, str(path)))
                self._units[key] = self.resolve(file)
                self._open.pop()
        return self._units[key]

    def resolve(self, file: syntax.File) -> Unit:
        """Return the unit of a parsed file, with everything that it uses."""
        unit = Unit(file)
        for item in file.items:
            if isinstance(item, syntax.Use):
                self._use(unit, item)
            else:
                self._declare(unit, item.name, Declared(unit, item))
                self._check_reserved(item)
        return unit

    def _declare(self, unit: Unit, name: syntax.Name, declared: Declared) -> None:
        earlier = unit.names.get(name.text)
        if earlier is None:
            unit.names[name.text] = (declared, name.span)
        elif earlier[0].item is not declared.item:
            self._reporter.report(
                DuplicateName(
                    span=name.span,
                    what=describe_declaration(earlier[0].item),
                    name=name.text,
                    notes=(Note(earlier[1], "it stands here"),),
                )
            )

    def _check_reserved(self, item: Declaration) -> None:
        words: tuple[str, ...] = ()
        if isinstance(item, syntax.Record):
            words = (*TYPE_WORDS, *FUNCTION_WORDS)
        elif isinstance(item, syntax.Function):
            words = FUNCTION_WORDS
        name = item.name.text
        is_integer = not isinstance(item, syntax.Nf | syntax.Chain) and integer_width(name) is not None
        if name in words or is_integer:
            self._reporter.report(
                ReservedName(span=item.name.span, name=name, what=describe_declaration(item))
            )

    # ------------------------------------------------------------ using other files

    def _use(self, unit: Unit, use: syntax.Use) -> None:
        if use.is_file:
            self._use_names(unit, unit.folder / use.origin.text, use.origin.span, use.names)
            return
        folder = chains_folder() / use.origin.text
        if use.origin.text != "nf":
            self._reporter.report(
                UnknownName(
                    span=use.origin.span,
                    what="part of the library",
                    name=use.origin.text,
                    advice='write `use nf: ...`, or `use "file.chain": ...`',
                )
            )
            return
        for name in use.names:
            path = folder / f"{name.text}.chain"
            if path.is_file():
                self._use_names(unit, path, name.span, (name,))
            else:
                self._report_unknown_nf(use.origin.text, folder, name)

    def _report_unknown_nf(self, part: str, folder: Path, name: syntax.Name) -> None:
        known = sorted(path.stem for path in folder.glob("*.chain"))
        self._reporter.report(
            UnknownLibraryName(
                span=name.span, folder=part, name=name.text, expected="a name that `synth nfs` lists",
                hint=did_you_mean(name.text, known),
            )
        )  # fmt: skip

    def _use_names(self, unit: Unit, path: Path, at: Span, names: tuple[syntax.Name, ...]) -> None:
        key = Path(os.path.realpath(path))
        cycle = [shown for opened, shown in self._open]
        if key in (opened for opened, _ in self._open):
            self._reporter.report(UseCycle(span=at, cycle=" -> ".join([*cycle, str(path)])))
            return
        used = self.load(path, at)
        if used is None:
            for name in names:
                unit.along.setdefault(name.text, [])
            return
        for name in names:
            self._take(unit, used, name)
        for item in used.own:
            if isinstance(item, syntax.Record | syntax.Function):
                self._take_along(unit, Declared(used, item))

    def _take(self, unit: Unit, used: Unit, name: syntax.Name) -> None:
        found = {item.name.text: item for item in used.own}
        if name.text in found:
            self._declare(unit, name, Declared(used, found[name.text]))
            return
        unit.along.setdefault(name.text, [])
        self._reporter.report(
            NotDeclaredThere(
                span=name.span,
                file=used.file.path,
                name=name.text,
                expected=backticks(found) or "a file with declarations",
                hint=did_you_mean(name.text, found),
            )
        )

    def _take_along(self, unit: Unit, declared: Declared) -> None:
        others = unit.along.setdefault(declared.item.name.text, [])
        if all(other.item is not declared.item for other in others):
            others.append(declared)


def integer_width(name: str) -> int | None:
    """Return the width that a type's name `u1` to `u64` says, or None."""
    digits = name[1:]
    if not name.startswith("u") or not (digits.isascii() and digits.isdigit()) or digits.startswith("0"):
        return None
    return int(digits) if len(digits) < 3 and int(digits) <= 64 else None


def look_up(
    unit: Unit,
    name: syntax.Name,
    reporter: Reporter,
    is_wanted: Callable[[Declaration], bool],
    what: str,
    others: tuple[str, ...] = (),
) -> Declared | None:
    """Find a file-level name; report and return None when it is unknown.

    `others` are further words that would do, for the suggestion. A name whose file could not be
    read is missing in silence: that has been reported.
    """
    if name.text in unit.names:
        return unit.names[name.text][0]
    along = unit.along.get(name.text)
    if along is not None and len(along) < 2:
        return along[0] if along else None
    if along:
        files = " and ".join(declared.unit.file.path for declared in along)
        reporter.report(AmbiguousName(span=name.span, name=name.text, files=files))
        return None
    known = [key for key, (declared, _) in unit.names.items() if is_wanted(declared.item)]
    known += [key for key, found in unit.along.items() if found and is_wanted(found[0].item)]
    hint = did_you_mean(name.text, [*known, *others])
    advice = _advise(name, what) if not hint else ""
    reporter.report(UnknownName(span=name.span, what=what, name=name.text, hint=hint, advice=advice))
    return None


def _advise(name: syntax.Name, what: str) -> str:
    """Return the `use` line when the library has an NF of this name, or of one like it."""
    if what != "NF":
        return ""
    known = [path.stem for path in (chains_folder() / "nf").glob("*.chain")]
    found = name.text if name.text in known else closest(name.text, known)
    return f"the library has it: put `use nf: {found}` at the top of the file" if found else ""
