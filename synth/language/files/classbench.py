"""Rules in ClassBench's format, as in its filter sets (Taylor and Turner, INFOCOM 2005).

    @SRC/LEN DST/LEN LOW : HIGH LOW : HIGH PROTOCOL/MASK FLAGS/MASK

Flags are the byte of TCP flags in the high half for TCP, and type << 8 | code for ICMP. Protocols
may be any number (the sets hold odd ones on purpose); older sets lack the flags.
"""

from synth.diagnostics.spans import Span
from synth.language.errors.files import UnexpectedWord
from synth.language.files.words import (
    MistakeError,
    Word,
    Words,
    make_port_range,
    parse_number,
    parse_prefix,
    stretch,
)
from synth.language.values import RangeValue, RuleValue


def parse_classbench_rule(text: str, start: Span, *, permits: bool) -> RuleValue:
    """Parse one line that starts with `@`.

    Raises:
        MistakeError: with the first thing that is wrong.
    """
    at = text.index("@") + 1
    words = Words(text[at:], stretch(start, at, at))
    src = parse_prefix(words.take("a source prefix"))
    dst = parse_prefix(words.take("a destination prefix"))
    sport, dport = _take_ports(words), _take_ports(words)
    protocol, protocol_mask = _take_masked(words, "a protocol number", 0xFF)
    flags, flags_mask = _take_masked(words, "flags", 0xFFFF) if words else (0, 0)
    rest = words.peek()
    if rest is not None:
        raise MistakeError(UnexpectedWord(span=rest.span, found=rest.text, expected="the end of the rule"))
    return RuleValue(
        permits=permits, src=src, dst=dst, protocol=protocol, protocol_mask=protocol_mask,
        sport=sport, dport=dport, flags=flags, flags_mask=flags_mask,
        span=stretch(start, at - 1, len(text)),
    )  # fmt: skip


def _take_ports(words: Words) -> RangeValue:
    low_word = words.take("the lowest port")
    low = parse_number(low_word, "a port", 0, 0xFFFF)
    colon = words.take("`:` between two ports")
    if colon.text != ":":
        raise MistakeError(
            UnexpectedWord(span=colon.span, found=colon.text, expected="`:` between two ports")
        )
    high_word = words.take("the highest port")
    high = parse_number(high_word, "a port", 0, 0xFFFF)
    return make_port_range(low, high, low_word.span.to(high_word.span))


def _take_masked(words: Words, what: str, whole: int) -> tuple[int, int]:
    word = words.take(f"{what}, VALUE/MASK")
    value_text, slash, mask_text = word.text.partition("/")
    if not slash:
        raise MistakeError(UnexpectedWord(span=word.span, found=word.text, expected=f"{what}, VALUE/MASK"))
    mask = parse_number(Word(mask_text, word.span), f"the mask of {what}", 0, whole)
    return parse_number(Word(value_text, word.span), what, 0, whole) & mask, mask
