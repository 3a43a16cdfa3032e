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
class Declare:
    """The declaration of a variable that is assigned later, at several places."""

    type: str
    name: str
    is_once: bool


@dataclass(frozen=True, slots=True)
class Assign:
    """An assignment to a declared variable, on a way into a join."""

    name: str
    value: str


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


Statement = Line | Declare | Assign | If | Label | Goto | Return


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
                case Declare(type_, name):
                    yield f"{indent}{type_}{'' if type_.endswith('*') else ' '}{name};"
                case Assign(name, value):
                    yield f"{indent}{name} = {value};"
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
        while statement.otherwise:
            match statement.otherwise:
                case (If() as statement,):
                    yield f"{indent}}} else if ({statement.condition}) {{"
                    if not isinstance(statement.then[0], Line | If):
                        yield from self._comment(statement.span, indent + _INDENT)
                    yield from self.lines(statement.then, depth + 1)
                case otherwise:
                    yield f"{indent}}} else {{"
                    yield from self.lines(otherwise, depth + 1)
                    break
        yield f"{indent}}}"

    def _comment(self, span: Span, indent: str) -> Iterator[str]:
        if span != NOWHERE and place(span) != self.line:
            self.line = place(span)
            yield f"{indent}/* {self.line} */"


def wrapped(text: str) -> str:
    """Return text whose long lines are broken. Lines of the preprocessor and comments stay."""
    return "\n".join(part for line in text.split("\n") for part in _wrap(line))


def _wrap(line: str) -> Iterator[str]:
    """Break a line: an initializer into its members, else behind commas and before operators."""
    if len(line) <= COLUMNS or line.lstrip().startswith(("#", "/*", "*")):
        yield line
        return
    indent = line[: len(line) - len(line.lstrip())]
    if line.endswith("};") and " = {" in line:
        head, _, members = line[:-2].partition(" = {")
        yield f"{head} = {{"
        for member in _split(members):
            yield from _wrap(f"{indent}{_INDENT}{member},")
        yield f"{indent}}};"
        return
    yield from _wrap_behind(line, len(indent) + len(_INDENT))


def _wrap_behind(line: str, indent: int) -> Iterator[str]:
    """Break a line where the fewest parentheses are open; the rest stands under what they hold."""
    stack: tuple[int, ...] = ()
    while len(line) > COLUMNS:
        start = len(line) - len(line.lstrip())
        places = [
            (at, open_)
            for at, open_ in _marks(line, stack)
            if start + len(_INDENT) < at < COLUMNS and line.startswith(_BREAKS, at)
        ]
        if places and not _stands_better_alone(line, places):
            at, stack = min(places, key=lambda place: (len(place[1]), -place[0]))
            cut = at + (line[at] == ",")
        elif " = " in line[:COLUMNS]:
            cut, stack = line.index(" = ") + 2, ()
        else:
            break
        yield line[:cut]
        line = " " * (stack[-1] + 1 if stack else indent) + line[cut:].lstrip()
    yield line


def _stands_better_alone(line: str, places: list[tuple[int, tuple[int, ...]]]) -> bool:
    """Tell whether what is assigned would be squeezed to the right, and so begins a line of its own."""
    return " = " in line and all(stack and stack[-1] >= _NARROW for _, stack in places)


_NARROW = 65
"""The column behind which what is left of a line is too little."""

_BREAKS = (", ", " && ", " || ", " ? ", " : ", " + ", " & ", " | ")


def outermost(text: str, mark: str) -> bool:
    """Tell whether a mark stands in a text outside of all parentheses."""
    return any(not stack and text.startswith(mark, at) for at, stack in _marks(text))


def _marks(text: str, stack: tuple[int, ...] = ()) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield each place outside of string literals, with the columns of the parentheses around it."""
    is_text = False
    for at, mark in enumerate(text):
        is_text ^= mark == '"'
        if is_text:
            continue
        if mark in ")}":
            stack = stack[:-1]
        yield at, stack
        if mark in "({[":
            stack = (*stack, at)
        elif mark == "]":
            stack = stack[:-1]


def _split(members: str) -> list[str]:
    """Return the members of an initializer: the parts between its own commas."""
    cuts = [at for at, stack in _marks(members) if not stack and members.startswith(", ", at)]
    return [
        members[start:end].strip()
        for start, end in zip([0, *(cut + 1 for cut in cuts)], [*cuts, None], strict=True)
    ]
