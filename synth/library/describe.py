"""`synth nfs`: the library's network functions, described by their own files."""

from dataclasses import dataclass
from pathlib import Path

from synth.diagnostics.diagnostic import complain
from synth.diagnostics.spans import Span, whole_file
from synth.diagnostics.suggest import did_you_mean
from synth.language import syntax
from synth.language.parser import parse_file
from synth.library.complaints import UnknownNetworkFunction
from synth.resources import chains_folder


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryParameter:
    """A parameter as its declaration writes it; `default` empty: it must be given."""

    name: str
    type: str
    default: str
    doc: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryNf:
    """A network function of the library."""

    name: str
    doc: str
    sides: tuple[str, ...]
    parameters: tuple[LibraryParameter, ...]
    path: str

    def as_dict(self) -> dict[str, object]:
        """Return the object that `--json` prints."""
        return {
            "name": self.name,
            "doc": self.doc,
            "sides": list(self.sides),
            "parameters": [
                {"name": one.name, "type": one.type, "default": one.default, "doc": one.doc}
                for one in self.parameters
            ],
            "path": self.path,
        }

    def line(self) -> str:
        """Return one line: the name and the first sentence of its description."""
        return f"{self.name:<26}  {self.doc.splitlines()[0] if self.doc else ''}"

    def details(self) -> str:
        """Return the whole description with sides and parameters."""
        lines = [f"{self.name}: sides {', '.join(self.sides)}", "", self.doc.rstrip(), ""]
        for one in self.parameters:
            default = f" = {one.default}" if one.default else "    (must be given)"
            lines.append(f"  {one.name}: {one.type}{default}")
            lines += [f"      {text}" for text in one.doc.splitlines()]
        return "\n".join(lines).rstrip()


def library(name: str | None = None) -> tuple[LibraryNf, ...]:
    """Return the library's network functions by name, or the one that is asked for.

    Raises:
        UserError: there is none of that name.
    """
    folder = chains_folder() / "nf"
    found = {nf.name: nf for path in sorted(folder.glob("*.chain")) for nf in _describe(path)}
    if name is None:
        return tuple(found.values())
    if name not in found:
        raise complain(
            UnknownNetworkFunction(span=whole_file(folder), name=name, hint=did_you_mean(name, found))
        )
    return (found[name],)


def _describe(path: Path) -> list[LibraryNf]:
    lines = path.read_text(encoding="utf-8").splitlines()
    file = parse_file(path)
    return [_describe_nf(nf, path, lines) for nf in file.items if isinstance(nf, syntax.Nf)]


def _describe_nf(nf: syntax.Nf, path: Path, lines: list[str]) -> LibraryNf:
    declared = [item for item in nf.items if isinstance(item, syntax.Sides)]
    sides: tuple[str, ...] = ("inside", "outside")
    if declared:
        sides = ("any",) if declared[0].names is None else tuple(name.text for name in declared[0].names)
    return LibraryNf(
        name=nf.name.text,
        doc=nf.doc,
        sides=sides,
        parameters=tuple(_describe_parameter(one, lines) for one in nf.parameters),
        path=str(path),
    )


def _describe_parameter(parameter: syntax.Parameter, lines: list[str]) -> LibraryParameter:
    default = "" if parameter.default is None else _text_at(parameter.default.span, lines)
    kind = _text_at(parameter.type.span, lines)
    return LibraryParameter(name=parameter.name.text, type=kind, default=default, doc=parameter.doc)


def _text_at(span: Span, lines: list[str]) -> str:
    """Return the text of a stretch of a file, in one line."""
    taken = lines[span.line - 1 : span.end_line]
    taken[-1] = taken[-1][: span.end_column - 1]
    taken[0] = taken[0][span.column - 1 :]
    return " ".join(text.strip() for text in taken)
