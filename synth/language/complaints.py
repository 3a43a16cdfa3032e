"""What to say where the parser cannot go on: picks the diagnostic that explains it best."""

import re
import unicodedata
from dataclasses import dataclass

from synth.diagnostics.diagnostic import Diagnostic, Note
from synth.diagnostics.spans import Span
from synth.diagnostics.suggest import closest
from synth.language.errors.syntax import (
    BadNumber,
    ClosesNothing,
    MissingSeparator,
    MisspelledWord,
    NeverClosed,
    OddCharacter,
    Unexpected,
    UnexpectedEnd,
    UnterminatedString,
)  # fmt: skip
from synth.language.resync import CONTINUATION_WORDS, unclosed_brace
from synth.language.tree_builder_context import STATEMENT_WORDS
from synth.language.units import UNITS, advise_unit, guess_unit


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text, by offset."""

    start: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Where and how the parser stopped.

    Attributes:
        found: the token there; its text is empty where no token can be read.
        kind: its terminal, `$END` at the end of the file, or empty.
        expected: what could stand there, in words.
        accepted: the fixed spellings (keywords, punctuation) that could.
        lone_word: the one word between the start of the statement and `found`, if it is just that.
        openers: the keywords that the statement could have begun with.
        statement: where the broken statement begins.
        brackets: the brackets that are open, outermost first.
        is_new_item: whether a top-level item begins here while something is open.
    """

    text: str
    path: str
    found: Piece
    kind: str
    expected: str
    accepted: frozenset[str]
    lone_word: Piece | None
    openers: frozenset[str]
    statement: int
    brackets: tuple[Piece, ...]
    is_new_item: bool


CLOSING = {"(": ")", "[": "]", "{": "}"}

# Words of other languages, and what they are called here.
_FOREIGN = {
    "and": "&&", "or": "||", "not": "!", "elif": "else if", "elsif": "else if", "elseif": "else if",
    "var": "let", "const": "let", "func": "fn", "function": "fn", "def": "fn", "struct": "record",
    "import": "use", "include": "use", "switch": "match", "discard": "drop", "reject": "drop",
    "send": "emit", "output": "emit", "forward": "emit", "map": "table", "array": "vector",
}  # fmt: skip

_WORD_OPERATORS = {"and": "&&", "or": "||", "xor": "^", "mod": "%"}

_LOOKALIKES = {
    "‘": '"', "’": '"', "“": '"', "”": '"', "«": '"', "»": '"', "–": "-", "—": "-", "−": "-",
    "→": "->", "⟶": "->", "↔": "<->", "⟷": "<->", "≤": "<=", "≥": ">=", "≠": "!=", "…": "..",
    "×": "*", "；": ";", "：": ":", "，": ",", "（": "(", "）": ")",
}  # fmt: skip

_ODD_HINTS = {
    "'": 'strings stand in double quotes: `"`',
    "#": "comments begin with `//`",
    "\u00a0": "it looks like a space; put a plain one here",
    "\u200b": "it cannot be seen; delete it",
    "\\": "a statement may go on in the next line as it is",
}

# What may stand behind something else in its line.
_UNSEPARATED = CONTINUATION_WORDS | {"mac", "address", "rate", "burst", "rows", "columns"}

_NUMBER = re.compile(r"[0-9](?:[0-9A-Za-z_:]|\.(?=[0-9A-Za-z])|/(?=[0-9A-Za-z]))*")
_QUANTITY = re.compile(r"([0-9]+(?:\.[0-9]+)?)([A-Za-z][A-Za-z/]*)")


def complain(stop: Stop) -> Diagnostic:
    """Return the diagnostic for a place where the parser stopped."""
    if not stop.kind:
        return _unreadable(stop)
    if stop.kind == "$END" or stop.is_new_item:
        return _open_end(stop)
    if stop.found.text in (")", "]", "}") and stop.found.text not in _closers(stop):
        return ClosesNothing(span=_span(stop, stop.found), bracket=stop.found.text)
    return _misspelled(stop) or _separator(stop) or _unexpected(stop)


def span_at(text: str, path: str, start: int, end: int) -> Span:
    """Return the span between two offsets of a text."""
    line, end_line = text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 1
    column, end_column = start - text.rfind("\n", 0, start), end - text.rfind("\n", 0, end)
    return Span(path, line, column, end_line, end_column)


def _span(stop: Stop, piece: Piece) -> Span:
    return span_at(stop.text, stop.path, piece.start, piece.start + len(piece.text))


def _closers(stop: Stop) -> set[str]:
    return {CLOSING[bracket.text] for bracket in stop.brackets}


def _unreadable(stop: Stop) -> Diagnostic:
    start = stop.found.start
    character = stop.text[start]
    if character == '"':
        line = stop.text[start:].split("\n", 1)[0].rstrip()
        return UnterminatedString(span=_span(stop, Piece(start, line)))
    number = _NUMBER.match(stop.text, start)
    if number:
        return _bad_number(_span(stop, Piece(start, number[0])), number[0])
    hint = _ODD_HINTS.get(character, "")
    if character in _LOOKALIKES:
        hint = f"did you mean `{_LOOKALIKES[character]}`?"
    elif character.isalpha():
        hint = "names are made of the letters a to z and A to Z, digits and `_`"
    return OddCharacter(span=_span(stop, Piece(start, character)), shown=show_character(character), hint=hint)


def show_character(character: str) -> str:
    """Return a character as a message shows it: itself where it can be seen, code and name."""
    if character.isascii() and character.isprintable():
        return f"`{character}`"
    name = unicodedata.name(character, "")
    code = f"U+{ord(character):04X}{' ' if name else ''}{name}"
    return f"`{character}` ({code})" if character.isprintable() else code


def _bad_number(span: Span, text: str) -> Diagnostic:
    quantity = _QUANTITY.fullmatch(text)
    if quantity is None or text.startswith(("0x", "0b")):
        return BadNumber(span=span, text=text)
    word = quantity[2]
    lowered = {unit.lower(): unit for unit in reversed(UNITS)}
    advice = advise_unit(word)
    unit = "" if advice else lowered.get(word.lower()) or guess_unit(word) or closest(word, UNITS)
    meant = f" (did you mean `{quantity[1]}{unit}`?)" if unit else ""
    units = f"units are {', '.join(UNITS)}"
    return BadNumber(
        span=span,
        text=text,
        reason=f"`{word}` is not a unit{meant}",
        hint=f"{advice}; {units}" if advice else units,
    )


def _open_end(stop: Stop) -> Diagnostic:
    here = _span(stop, stop.found)
    if not stop.brackets:
        return UnexpectedEnd(span=here, expected=stop.expected)
    bracket = stop.brackets[-1]
    if bracket.text == "{":
        suspect = unclosed_brace(stop.text, stop.brackets[0].start, stop.found.start)
        bracket = bracket if suspect is None else Piece(suspect, "{")
    text = "the file ends here" if stop.kind == "$END" else f"`{stop.found.text}` begins here"
    return NeverClosed(
        span=_span(stop, bracket),
        notes=(Note(here, text),),
        bracket=bracket.text,
        closing=CLOSING[bracket.text],
    )


def _separator(stop: Stop) -> Diagnostic | None:
    """Tell of two statements on one line, the second of which does not parse either."""
    line_start = stop.text.rfind("\n", 0, stop.statement) + 1
    before = stop.text[line_start : stop.statement].rstrip()
    word = re.match(r"\w+", stop.text[stop.statement : stop.found.start])
    if word is None or word[0] in _UNSEPARATED or not before or before[-1] in ";{":
        return None
    here = span_at(stop.text, stop.path, stop.statement, stop.statement + 1)
    return MissingSeparator(span=here, separator=";", hint=_operator_hint(before, word[0]))


def _operator_hint(before: str, word: str) -> str:
    """Advise where a word of another language stands for an operator: it is read as a name of its own."""
    if word.lower() in _WORD_OPERATORS:
        return f"write `{_WORD_OPERATORS[word.lower()]}` for `{word}`"
    return "write `!` for `not`" if re.search(r"\bnot$", before, re.IGNORECASE) else ""


def _misspelled(stop: Stop) -> Diagnostic | None:
    choices = [(stop.lone_word, stop.openers)] if stop.lone_word else []
    if stop.found.text.isalpha() and stop.found.text not in stop.accepted:
        choices.append((stop.found, stop.accepted))
    for word, keywords in choices:
        meant = _meant(word.text, keywords)
        if meant:
            return MisspelledWord(span=_span(stop, word), word=word.text, meant=meant)
    return None


def _meant(word: str, keywords: frozenset[str]) -> str:
    foreign = _FOREIGN.get(word.lower(), "")
    if foreign and foreign.split()[0] in keywords:
        return foreign
    return closest(word, (key for key in keywords if key.isalpha() and abs(len(key) - len(word)) < 3))


def _unexpected(stop: Stop) -> Diagnostic:
    notes: tuple[Note, ...] = ()
    is_open = stop.brackets and CLOSING[stop.brackets[-1].text] in stop.accepted
    if is_open and stop.brackets[-1].text != "{":
        bracket = stop.brackets[-1]
        notes = (Note(_span(stop, bracket), f"this `{bracket.text}` is open"),)
    return Unexpected(
        span=_span(stop, stop.found),
        notes=notes,
        expected=stop.expected,
        found=_found(stop),
        hint=_hint(stop),
    )


def _found(stop: Stop) -> str:
    if stop.kind == "STRING":
        return "a string"
    return f"`{stop.found.text}`"


def _hint(stop: Stop) -> str:
    found, following = stop.found.text, stop.text[stop.found.start :]
    if following.startswith("/*"):
        return "comments begin with `//` and end with the line"
    if re.match(r"(?:[-+*/%|&^]=|\+\+|--)", following) and "=" in stop.accepted:
        place = stop.text[stop.statement : stop.found.start].strip()
        amount = "1" if following[0] == following[1] else "..."
        return f"write it out: `{place} = {place} {found} {amount}`"
    if re.search(r"\bnot\s*$", stop.text[stop.statement : stop.found.start]):
        return "write `!` for `not`"
    is_if = re.match(r"if\b", stop.text[stop.statement :])
    if is_if and "{" in stop.accepted and (found in ("return", *STATEMENT_WORDS)):
        return f"braces are needed: `if ... {{ {found} ... }}`"
    if stop.lone_word and stop.lone_word.text in ("for", "while", "loop"):
        return "the language has no loops"
    if found == "=" and "&&" in stop.accepted:
        return "`==` compares; `=` assigns"
    if found == "==" and "=" in stop.accepted:
        return "`=` assigns; `==` compares"
    if found in ("<", ">", "<=", ">=", "==", "!=") and "&&" in stop.accepted:
        return "comparisons do not chain: join two of them with `&&`"
    if found == "-" and "=" not in stop.accepted and "(" in stop.accepted:
        return "numbers have no sign: write `0 -% x` to wrap around"
    return ""
