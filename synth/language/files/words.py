"""What rule sets and routing tables are made of: words of a line, and the values that they stand for."""

import re
from dataclasses import dataclass

from synth.diagnostics.diagnostic import Diagnostic
from synth.diagnostics.spans import Span
from synth.language.errors.files import (
    EmptyRange,
    HostBitsSet,
    Ipv6NotYet,
    LineTooShort,
    OutOfRange,
    UnexpectedWord,
)
from synth.language.numbers import parse_integer
from synth.language.values import PrefixValue, RangeValue
from synth.net.addresses import network_mask, parse_ipv4, print_ipv4

_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|[0-9]+")
ANYWHERE = PrefixValue(0, 0)
ALL_PORTS = RangeValue(0, 0xFFFF)


class MistakeError(Exception):
    """A line is wrong; carries the one thing to say about it. Never leaves this package."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


@dataclass(frozen=True, slots=True)
class Word:
    """A stretch of a line without blanks, and where it stands."""

    text: str
    span: Span


class Words:
    """The words of one line, taken from left to right."""

    def __init__(self, text: str, start: Span) -> None:
        self._words = split_words(text, start)
        self._next = 0
        self._end = stretch(start, len(text.rstrip()), len(text.rstrip()) + 1)

    def __bool__(self) -> bool:
        """Tell whether words are left."""
        return self._next < len(self._words)

    def peek(self) -> Word | None:
        """Return the next word without taking it, or None at the end."""
        return self._words[self._next] if self else None

    def take(self, expected: str) -> Word:
        """Take the next word.

        Raises:
            MistakeError: at the end of the line, with what was expected.
        """
        if not self:
            raise MistakeError(LineTooShort(span=self._end, expected=expected))
        self._next += 1
        return self._words[self._next - 1]


def split_words(text: str, start: Span) -> tuple[Word, ...]:
    """Split one line at blanks; `start` is where its first character stands."""
    words: list[Word] = []
    column = 0
    for part in text.split():
        column = text.index(part, column)
        words.append(Word(part, stretch(start, column, column + len(part))))
        column += len(part)
    return tuple(words)


def without_comment(text: str) -> str:
    """Return a line up to `#` or `//`."""
    return text.partition("#")[0].partition("//")[0]


def stretch(start: Span, first: int, end: int) -> Span:
    """Return characters `first` (from 0) to before `end` of the line that starts at a span."""
    return Span(start.file, start.line, start.column + first, start.line, start.column + end)


def parse_number(word: Word, what: str, low: int, high: int) -> int:
    """Return a decimal or 0x number of a word.

    Raises:
        MistakeError: when it is none, or out of range.
    """
    number = parse_integer(word.text) if _NUMBER.fullmatch(word.text) else None
    if number is None:
        raise MistakeError(UnexpectedWord(span=word.span, found=word.text, expected=what))
    if not low <= number <= high:
        raise MistakeError(OutOfRange(span=word.span, found=word.text, what=what, low=low, high=high))
    return number


def parse_port_range(word: Word) -> RangeValue:
    """Return the ports of `N` or `LOW..HIGH`.

    Raises:
        MistakeError: when it is neither, out of range, or empty.
    """
    expected = "a port or a range of ports"
    low_text, dots, high_text = word.text.partition("..")
    low = parse_number(Word(low_text, word.span) if dots else word, expected, 0, 0xFFFF)
    high = parse_number(Word(high_text, word.span), expected, 0, 0xFFFF) if dots else low
    return make_port_range(low, high, word.span)


def make_port_range(low: int, high: int, span: Span) -> RangeValue:
    """Return a range.

    Raises:
        MistakeError: when it is empty.
    """
    if low > high:
        raise MistakeError(EmptyRange(span=span, low=low, high=high))
    return RangeValue(low, high)


def parse_prefix(word: Word) -> PrefixValue:
    """Return the prefix of `ADDRESS/LENGTH`, or of an address alone (32 bits), or of `any`.

    Raises:
        MistakeError: when it is none of them, or has host bits.
    """
    if word.text == "any":
        return ANYWHERE
    address_text, slash, length_text = word.text.partition("/")
    address = parse_ipv4(address_text)
    if address is None:
        raise MistakeError(_not_a_prefix(word))
    length = 32
    if slash:
        start = len(address_text) + 1
        digits = Word(length_text, stretch(word.span, start, start + max(len(length_text), 1)))
        length = parse_number(digits, "a prefix length", 0, 32)
    if address & ~network_mask(length):
        raise MistakeError(_host_bits(word, address, length))
    return PrefixValue(address, length)


def _not_a_prefix(word: Word) -> Diagnostic:
    if word.text.count(":") >= 2:
        return Ipv6NotYet(span=word.span, found=word.text)
    return UnexpectedWord(
        span=word.span, found=word.text, expected="an IPv4 address or prefix, for example 10.0.0.0/8"
    )


def _host_bits(word: Word, address: int, length: int) -> Diagnostic:
    prefix = f"{print_ipv4(address & network_mask(length))}/{length}"
    return HostBitsSet(
        span=word.span, found=word.text, length=length, prefix=prefix, address=print_ipv4(address)
    )
