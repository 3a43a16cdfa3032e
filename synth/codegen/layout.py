"""C statements as data, and how they are laid out as text."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from synth.diagnostics.spans import NOWHERE, Span

COLUMNS = 100
_INDENT = "    "


@dataclass(frozen=True, slots=True)
class Line:
    """One statement, or one declaration."""

    text: str
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class If:
    condition: str
    then: tuple["Statement", ...]
    otherwise: tuple["Statement", ...] = ()
    span: Span = NOWHERE


@dataclass(frozen=True, slots=True)
class Label:
    name: str


@dataclass(frozen=True, slots=True)
class Goto:
    name: str


@dataclass(frozen=True, slots=True)
class Return: ...


Statement = Line | If | Label | Goto | Return


def has_end(statements: Sequence[Statement]) -> bool:
    """Tell whether control never runs past the last statement."""
    match statements:
        case (*_, Return() | Goto()):
            return True
        case (*_, If(then=then, otherwise=otherwise)):
            return has_end(then) and has_end(otherwise)
        case _:
            return False


def without_last_return(statements: Sequence[Statement]) -> tuple[Statement, ...]:
    """Return a function body without the `return` that its end is anyway."""
    match statements:
        case (*rest, Return()):
            return tuple(rest)
        case _:
            return tuple(statements)


def place(span: Span) -> str:
    """Return a span as `file:line`, the file without its directories: the same on every machine."""
    return f"{PurePath(span.file).name}:{span.line}"


def lay_out(statements: Sequence[Statement], depth: int = 1) -> str:
    """Return statements as text; a comment names the source line where it changes."""
    return "\n".join(_Printer().lines(statements, depth))


@dataclass(slots=True)
class _Printer:
    line: str = field(default="")

    def lines(self, statements: Sequence[Statement], depth: int) -> Iterator[str]:
        indent = _INDENT * depth
        for statement in statements:
            match statement:
                case Line(text, span):
                    yield from self._comment(span, indent)
                    yield indent + text
                case If():
                    yield from self._if(statement, depth)
                case Label(name):
                    yield f"{name}:;"
                case Goto(name):
                    yield f"{indent}goto {name};"
                case Return():
                    yield f"{indent}return;"

    def _if(self, statement: If, depth: int) -> Iterator[str]:
        indent = _INDENT * depth
        yield from self._comment(statement.span, indent)
        yield f"{indent}if ({statement.condition}) {{"
        yield from self.lines(statement.then, depth + 1)
        if statement.otherwise:
            yield f"{indent}}} else {{"
            yield from self.lines(statement.otherwise, depth + 1)
        yield f"{indent}}}"

    def _comment(self, span: Span, indent: str) -> Iterator[str]:
        if span != NOWHERE and place(span) != self.line:
            self.line = place(span)
            yield f"{indent}/* {self.line} */"


def wrapped(text: str) -> str:
    """Return text whose long lines are broken. Lines of the preprocessor and comments stay."""
    return "\n".join(part for line in text.split("\n") for part in _wrap(line))


def _wrap(line: str) -> Iterator[str]:
    """Break a line behind commas and before operators; what follows is indented by one more."""
    indent = line[: len(line) - len(line.lstrip())] + _INDENT
    if line.lstrip().startswith(("#", "/*", "*")):
        yield line
        return
    while len(line) > COLUMNS:
        places = (_last_break(line, len(indent), depth) for depth in range(1, 9))
        at = next((place for place in places if place > 0), len(line))
        yield line[:at].rstrip()
        line = indent + line[at:].lstrip()
    yield line


def _last_break(line: str, start: int, depth: int) -> int:
    """Return the last place within the columns where a line may end, in `depth` parentheses; or -1."""
    found, open_, is_text = -1, 0, False
    for at, mark in enumerate(line[:COLUMNS]):
        is_text ^= mark == '"'
        open_ += {"(": 1, "{": 1, ")": -1, "}": -1}.get(mark, 0)
        if at <= start or open_ > depth or is_text:
            continue
        if line.startswith(", ", at):
            found = at + 1
        elif line.startswith((" && ", " || ", " ? ", " : "), at):
            found = at
    return found
