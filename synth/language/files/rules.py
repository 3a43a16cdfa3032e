"""Rule sets: one rule a line, the first that matches decides.

    permit|deny [PROTOCOL] [src PREFIX] [sport PORTS] [dst PREFIX] [dport PORTS] [flags VALUE/MASK]

`PROTOCOL` is `tcp`, `udp`, `icmp`, `ip` or `any` (every protocol), or a number, with or without a mask
(`0x02/0xfe`). A prefix may be an address or `any`; `PORTS` is a number or `LOW..HIGH`. `flags` are the
byte of TCP flags. What is left out matches everything. A rule with ports, whatever its protocol,
matches only packets that have ports. Lines that start with `@` are in ClassBench's format
(`classbench.py`); `#` and `//` start comments.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from synth.diagnostics.spans import Span
from synth.diagnostics.suggest import did_you_mean
from synth.language.errors.files import NeedsProtocol, RepeatedPart, UnexpectedWord
from synth.language.files.classbench import parse_classbench_rule
from synth.language.files.shadow import report_shadowed
from synth.language.files.source import FileReference, Mistakes, Report, line_start, read_lines
from synth.language.files.words import (
    ALL_PORTS,
    ANYWHERE,
    MistakeError,
    Word,
    Words,
    parse_number,
    parse_port_range,
    parse_prefix,
    stretch,
    without_comment,
)
from synth.language.values import PrefixValue, RangeValue, RuleSetValue, RuleValue

PROTOCOLS = {"icmp": (1, 0xFF), "tcp": (6, 0xFF), "udp": (17, 0xFF), "ip": (0, 0), "any": (0, 0)}
"""Words for protocols: number and mask."""

_VERDICTS = {"permit": True, "deny": False}
_OTHER_WORDS = {"allow": "permit", "accept": "permit", "pass": "permit",
                "drop": "deny", "block": "deny", "reject": "deny"}  # fmt: skip
"""What other tools call the verdicts."""
_PARTS = ("src", "sport", "dst", "dport", "flags")
_PROTOCOL_EXPECTED = "tcp, udp, icmp, ip, any or a protocol number"
_PARTS_EXPECTED = "src, sport, dst, dport or flags"


def load_rules(reference: FileReference, report: Report, *, permits: bool = True) -> RuleSetValue:
    """Read a rule file; `permits` is the verdict of its ClassBench lines, which say none.

    Reports every wrong line, and the rules that earlier rules cover. Wrong lines are left out of the result.
    """
    mistakes = Mistakes(reference, report)
    numbered = enumerate(read_lines(reference, report), 1)
    lines = ((text, line_start(reference.shown, number)) for number, text in numbered)
    rules = _parse_lines(lines, mistakes.add, permits=permits)
    mistakes.close()
    return _finish(rules, report)


def parse_rules(lines: Sequence[tuple[str, Span]], report: Report) -> RuleSetValue:
    """Parse rules that stand in a chain file: each text, and the place of its first character."""
    return _finish(_parse_lines(lines, report, permits=True), report)


def _finish(rules: tuple[RuleValue, ...], report: Report) -> RuleSetValue:
    report_shadowed(rules, report)
    return RuleSetValue(rules)


def _parse_lines(
    lines: Iterable[tuple[str, Span]], report: Report, *, permits: bool
) -> tuple[RuleValue, ...]:
    rules: list[RuleValue] = []
    for text, start in lines:
        content = without_comment(text).rstrip()
        if not content.strip():
            continue
        try:
            rules.append(parse_rule(content, start, permits=permits))
        except MistakeError as mistake:
            report(mistake.diagnostic)
    return tuple(rules)


def parse_rule(text: str, start: Span, *, permits: bool) -> RuleValue:
    """Parse one rule, in either format.

    Raises:
        MistakeError: with the first thing that is wrong.
    """
    if text.lstrip().startswith("@"):
        return parse_classbench_rule(text, start, permits=permits)
    words = Words(text, start)
    verdict = words.take("permit or deny")
    if verdict.text not in _VERDICTS:
        raise MistakeError(_unexpected(verdict, "permit or deny", tuple(_VERDICTS)))
    protocol, mask = _take_protocol(words)
    parts = _take_parts(words, protocol, mask)
    return RuleValue(
        permits=_VERDICTS[verdict.text],
        src=parts.src, dst=parts.dst, protocol=protocol, protocol_mask=mask,
        sport=parts.sport, dport=parts.dport,
        flags=parts.flags[0] << 8, flags_mask=parts.flags[1] << 8,
        span=stretch(start, len(text) - len(text.lstrip()), len(text)),
    )  # fmt: skip


def _take_protocol(words: Words) -> tuple[int, int]:
    word = words.peek()
    if word is None or word.text in _PARTS:
        return PROTOCOLS["any"]
    words.take(_PROTOCOL_EXPECTED)
    if word.text in PROTOCOLS:
        return PROTOCOLS[word.text]
    if not word.text[0].isdigit():
        raise MistakeError(
            _unexpected(word, f"{_PROTOCOL_EXPECTED}, or {_PARTS_EXPECTED}", (*PROTOCOLS, *_PARTS))
        )
    return _parse_masked(word, "a protocol number", 0xFF)


def _parse_masked(word: Word, what: str, whole: int) -> tuple[int, int]:
    """Return value and mask of `VALUE` or `VALUE/MASK`; the value keeps only the bits of the mask."""
    value_text, slash, mask_text = word.text.partition("/")
    at = len(value_text)
    value = parse_number(Word(value_text, stretch(word.span, 0, at)), what, 0, whole)
    if not slash:
        return value, whole
    end = max(len(word.text), at + 2)
    mask = parse_number(Word(mask_text, stretch(word.span, at + 1, end)), f"{what}'s mask", 0, whole)
    return value & mask, mask


@dataclass(slots=True)
class _Parts:
    src: PrefixValue = ANYWHERE
    dst: PrefixValue = ANYWHERE
    sport: RangeValue = ALL_PORTS
    dport: RangeValue = ALL_PORTS
    flags: tuple[int, int] = (0, 0)
    seen: set[str] = field(default_factory=set)


def _take_parts(words: Words, protocol: int, mask: int) -> _Parts:
    parts = _Parts()
    while words:
        name = words.take(_PARTS_EXPECTED)
        if name.text not in _PARTS:
            raise MistakeError(_unexpected(name, _PARTS_EXPECTED, _PARTS))
        if name.text in parts.seen:
            raise MistakeError(RepeatedPart(span=name.span, part=name.text))
        parts.seen.add(name.text)
        _check_protocol(name, protocol, mask)
        _take_part(parts, name.text, words)
    return parts


def _take_part(parts: _Parts, name: str, words: Words) -> None:
    match name:
        case "src":
            parts.src = parse_prefix(words.take("an address or a prefix"))
        case "dst":
            parts.dst = parse_prefix(words.take("an address or a prefix"))
        case "sport":
            parts.sport = parse_port_range(words.take("a port or a range of ports"))
        case "dport":
            parts.dport = parse_port_range(words.take("a port or a range of ports"))
        case _:
            parts.flags = _parse_masked(words.take("TCP flags, VALUE/MASK"), "TCP flags", 0xFF)


def _check_protocol(part: Word, protocol: int, mask: int) -> None:
    """Refuse ports and flags beside a protocol that never has them: such a rule would match nothing.

    Ports stand with TCP, UDP or any protocol (then they demand a packet that has ports); flags with TCP only.
    """
    asks_ports = part.text in ("sport", "dport") and mask and (protocol, mask) not in ((6, 0xFF), (17, 0xFF))
    asks_flags = part.text == "flags" and (protocol, mask) != (6, 0xFF)
    if asks_ports or asks_flags:
        named = {value: name for name, value in PROTOCOLS.items()}.get((protocol, mask), str(protocol))
        raise MistakeError(
            NeedsProtocol(
                span=part.span,
                part=part.text,
                asks="ports" if asks_ports else "TCP flags",
                protocol=named,
                expected="tcp or udp" if asks_ports else "tcp",
            )
        )


def _unexpected(word: Word, expected: str, known: Sequence[str]) -> UnexpectedWord:
    other = _OTHER_WORDS.get(word.text, "")
    hint = f" (did you mean `{other}`?)" if other in known else did_you_mean(word.text, known)
    return UnexpectedWord(span=word.span, found=word.text, expected=expected, hint=hint)
