"""Where to go on after a syntax error, so that one run finds more than one.

Works on the text alone: it skips the rest of the broken statement, with the brackets in it, and
stops where the next one begins.
"""

import re
from dataclasses import dataclass

_PIECE = re.compile(
    r'(?P<skip>"[^"\n]*"|//[^\n]*|[ \t\r]+|[A-Za-z0-9_]+)|(?P<newline>\n)|(?P<open>[({\[])|(?P<close>[)}\]])'
    r"|(?P<semicolon>;)|(?P<other>.)",
    re.DOTALL,
)
_LINE_WORD = re.compile(r"[ \t\r]*([A-Za-z_][A-Za-z0-9_]*)")
_TOP_LEVEL = re.compile(
    r"(?:use|record|fn|nf|chain)[ \t]+(?!(?:or|else|then|in|is|by|weight|slots)\b)[A-Za-z_\"]"
)
_CONTINUES = re.compile(r"(?:\s|//[^\n]*)*(?:(?:or|else|then|in|is|by|weight|slots)\b|[-+*/%&|^<>=.,:)\]{])")

CONTINUATION_WORDS = frozenset({"or", "else", "then", "in", "is", "by", "weight", "slots"})
"""Keywords that go on with a statement and never begin one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where parsing can go on. `is_top_level`: with nothing open any more."""

    offset: int
    is_top_level: bool = False


def is_top_level_word(text: str, offset: int) -> bool:
    """Tell whether a top-level item begins here: its word at the start of a line, then a name."""
    is_line_start = offset == 0 or text[offset - 1] == "\n"
    return is_line_start and _TOP_LEVEL.match(text, offset) is not None


def next_place(text: str, offset: int, opened: str, words: frozenset[str], *, is_new_line: bool) -> Place:
    """Return the place after the broken statement that `offset` stands in.

    Args:
        text: the whole text.
        offset: where the parser stopped.
        opened: the brackets of the statement that are open at `offset`, outermost first.
        words: the keywords that begin a statement of this list; with one of them a new line
            starts a new statement even inside open parentheses.
        is_new_line: whether a statement may begin at `offset` itself if its line begins there.
    """
    brackets = list(opened)
    is_line_start = text[_line_start(text, offset) : offset].strip() == ""
    if is_line_start and is_new_line and not brackets and not _CONTINUES.match(text, offset):
        return Place(offset=offset, is_top_level=is_top_level_word(text, offset))
    while offset < len(text):
        if is_line_start and is_top_level_word(text, offset):
            return Place(offset=offset, is_top_level=True)
        word = _LINE_WORD.match(text, offset) if is_line_start else None
        if word and word[1] in words and "{" not in brackets:
            return Place(offset=word.start(1))
        piece = _PIECE.match(text, offset)
        assert piece is not None
        is_line_start = piece.lastgroup == "newline"
        if not brackets and _ends_statement(text, piece):
            return Place(offset=offset)
        offset = piece.end()
        if piece.lastgroup == "open":
            brackets.append(piece[0])
        elif piece.lastgroup == "close" and brackets:
            is_block = brackets.pop() == "{" and "{" not in brackets
            if is_block and not _CONTINUES.match(text, offset):
                break
    return Place(offset=offset)


def unclosed_brace(text: str, start: int, end: int) -> int | None:
    """Return the offset of the `{` between two offsets that its author left open, if layout tells.

    It is the first one whose `}` begins a line and stands further left than the line of the `{`.
    """
    opened: list[int] = []
    for piece in _PIECE.finditer(text, start, end):
        if piece[0] == "{":
            opened.append(piece.start())
        elif piece[0] == "}" and opened:
            brace, closer = opened.pop(), piece.start()
            is_first = not text[_line_start(text, closer) : closer].strip()
            if is_first and _indentation(text, brace) > _indentation(text, closer):
                return brace
    return None


def _line_start(text: str, offset: int) -> int:
    return text.rfind("\n", 0, offset) + 1


def _indentation(text: str, offset: int) -> int:
    line = text[_line_start(text, offset) :]
    return len(line) - len(line.lstrip())


def _ends_statement(text: str, piece: re.Match[str]) -> bool:
    if piece.lastgroup == "newline":
        return not _CONTINUES.match(text, piece.end())
    return piece.lastgroup == "semicolon" or piece[0] == "}"
