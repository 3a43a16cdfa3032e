"""Documents that know where they may be broken, and the printer that fits them to a width.

A group is printed on one line if it fits there, else broken at all its own lines (Wadler, "A
prettier printer"). A remark (a comment behind code) forces the groups around it to break.
"""

from dataclasses import dataclass
from typing import assert_never

WIDTH = 100
INDENT = 4


@dataclass(frozen=True, slots=True)
class Line:
    """A place to break: a new line, or the flat text. `is_hard`: always a new line."""

    flat: str = " "
    is_hard: bool = False


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment for the end of the line on which it stands."""

    text: str


@dataclass(frozen=True, slots=True)
class Nest:
    """Lines within are indented by more."""

    columns: int
    body: "Doc"


@dataclass(frozen=True, slots=True)
class Group:
    body: "Doc"


@dataclass(frozen=True, slots=True)
class IfFits:
    """`then` where `probe` fits on the rest of the line, or a group around it is flat."""

    probe: "Doc"
    then: "Doc"
    otherwise: "Doc"


Doc = str | Line | Remark | Nest | Group | IfFits | tuple["Doc", ...]

SPACE, SOFT, HARD = Line(), Line(""), Line(is_hard=True)

_Frame = tuple[int, bool, Doc]  # indentation, whether it is printed flat, document


def join(separator: Doc, parts: list[Doc]) -> Doc:
    """Return the parts with the separator between them."""
    joined: list[Doc] = []
    for part in parts:
        joined += [separator, part] if joined else [part]
    return tuple(joined)


def print_document(document: Doc) -> str:
    """Return the text of a document, with one line break at its end."""
    lines: list[tuple[str, str]] = []
    code, remark = "", ""
    waiting: list[_Frame] = [(0, False, document)]
    while waiting:
        indentation, is_flat, doc = waiting.pop()
        match doc:
            case str():
                code += doc
            case Line(flat, is_hard):
                if is_flat and not is_hard:
                    code += flat
                else:
                    lines.append((code.rstrip(), remark))
                    code, remark = " " * indentation, ""
            case Remark(text):
                remark = f"{remark} {text}".lstrip()
            case Nest(columns, body):
                waiting.append((indentation + columns, is_flat, body))
            case Group(body):
                fits = is_flat or _fits((indentation, True, body), waiting, WIDTH - len(code))
                waiting.append((indentation, fits, body))
            case IfFits(probe, then, otherwise):
                fits = is_flat or _fits((indentation, True, probe), [], WIDTH - len(code))
                waiting.append((indentation, is_flat, then if fits else otherwise))
            case tuple():
                waiting += [(indentation, is_flat, part) for part in reversed(doc)]
            case _:
                assert_never(doc)
    lines.append((code.rstrip(), remark))
    return "\n".join(_align_remarks(lines)).strip("\n") + "\n"


def _fits(first: _Frame, rest: list[_Frame], room: int) -> bool:
    """Tell whether a document, and what follows up to the next line break, fits flat."""
    waiting, index = [first], len(rest)
    while room >= 0:
        if not waiting:
            if index == 0:
                return True
            index -= 1
            waiting.append(rest[index])
        indentation, is_flat, doc = waiting.pop()
        match doc:
            case str():
                room -= len(doc)
            case Line(flat, is_hard) if is_flat and not is_hard:
                room -= len(flat)
            case Line() | Remark():
                if isinstance(doc, Line) or is_flat:
                    return not is_flat
            case Nest(_, body) | Group(body) | IfFits(_, body):
                waiting.append((indentation, is_flat, body))
            case tuple():
                waiting += [(indentation, is_flat, part) for part in reversed(doc)]
            case _:
                assert_never(doc)
    return False


def _align_remarks(lines: list[tuple[str, str]]) -> list[str]:
    """Put the remarks of neighbouring lines with one indentation below each other."""
    done: list[str] = []
    run: list[tuple[str, str]] = []
    for code, remark in [*lines, ("", "")]:
        if run and (not remark or _indentation(code) != _indentation(run[0][0])):
            column = max(len(other) for other, _ in run) + 2
            done += [f"{other:<{column}}{text}" for other, text in run]
            run = []
        if remark:
            run.append((code, remark))
        else:
            done.append(code)
    return done[:-1]


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip(" "))
