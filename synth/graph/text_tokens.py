"""Tokens of the graph's text form, and a cursor over them that knows what it expected."""

import re
from dataclasses import dataclass

from synth.diagnostics.diagnostic import UserError
from synth.diagnostics.spans import Span
from synth.graph.errors import BadGraphText

_PATTERNS = {
    "blank": r"[ \t\n]+|//[^\n]*",
    "mac": r"[0-9a-f]{2}(?::[0-9a-f]{2}){5}",
    "prefix": r"\d+\.\d+\.\d+\.\d+/\d+",
    "value": r"%(?:[A-Za-z_]\w*\.)?\d+",
    "int": r"0x[0-9a-f]+|\d+",
    "name": r"[A-Za-z_][\w~]*(?:\.[\w~]+)*",  # passes name clones `block~1`
    "sign": r"\.\.|->|[(){}:,|/=]",
    "bad": r".",
}
_TOKEN = re.compile("|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _PATTERNS.items()))


@dataclass(frozen=True, slots=True)
class Token:
    """A token; `kind` is a key of the patterns above, or `end`. `offset` is its place in the text."""

    kind: str
    text: str
    offset: int


def split(text: str) -> list[Token]:
    """Return the tokens of a text without blanks and comments, ended by one of kind `end`."""
    found = (Token(match.lastgroup or "", match.group(), match.start()) for match in _TOKEN.finditer(text))
    return [*(token for token in found if token.kind != "blank"), Token("end", "the end", len(text))]


class Cursor:
    """Reads tokens one by one; what does not fit is an error with its place."""

    def __init__(self, text: str, file: str) -> None:
        self._text = text
        self._file = file
        self._at = 0
        self.tokens = split(text)

    @property
    def next(self) -> Token:
        """The token that comes next, not yet taken."""
        return self.tokens[self._at]

    def take(self, kind: str, expected: str) -> str:
        """Take a token of a kind and return its text."""
        token = self.next
        if token.kind != kind:
            raise self.error(expected)
        self._at += 1
        return token.text

    def accepts(self, text: str) -> bool:
        """Take the next token if it is this word or sign, and tell whether it was."""
        if self.next.text != text or self.next.kind not in ("name", "sign"):
            return False
        self._at += 1
        return True

    def expect(self, text: str) -> None:
        """Take this word or sign."""
        if not self.accepts(text):
            raise self.error(f"`{text}`")

    def name(self) -> str:
        """Take a name, dotted or not."""
        return self.take("name", "a name")

    def integer(self) -> int:
        """Take an integer, decimal or hexadecimal."""
        return int(self.take("int", "an integer"), 0)

    def prefix(self) -> tuple[int, int]:
        """Take an address with a prefix length; host bits stay as they are."""
        from_text, length = self.take("prefix", "a prefix").split("/")
        octets = [int(octet) for octet in from_text.split(".")]
        return int.from_bytes(bytes(octets), "big"), int(length)

    def error(self, expected: str, at: Token | None = None) -> UserError:
        """Return the error that something else was expected at a token, the next one by default."""
        token = at or self.next
        line = self._text.count("\n", 0, token.offset) + 1
        column = token.offset - self._text.rfind("\n", 0, token.offset)
        width = len(token.text) if token.kind != "end" else 1
        span = Span(self._file, line, column, line, column + width)
        return UserError((BadGraphText(span=span, found=f"`{token.text}`", expected=expected),))
