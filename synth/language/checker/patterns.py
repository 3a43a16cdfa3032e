"""Patterns on packets: the typed test, and the exact set of kinds that passes it."""

from typing import assert_never

from synth.diagnostics.reporter import Reporter
from synth.diagnostics.suggest import did_you_mean
from synth.language import syntax, typed
from synth.language.checker.words import backticks, spell_pattern
from synth.language.errors.names import UnknownMember
from synth.language.errors.packets import ImpossiblePattern
from synth.net.kinds import HEADERS, UNIVERSE, Kind, kinds_with

ANY_PACKET = typed.PatternAll(())


def check_pattern(pattern: syntax.Pattern, reporter: Reporter) -> tuple[typed.Pattern, frozenset[Kind]]:
    """Return a pattern's typed form and its kinds. Unknown words, and patterns of no packet, are reported.

    A pattern with unknown words stands for all packets, so that no further errors come of it.
    """
    if not _check_words(pattern, reporter):
        return ANY_PACKET, UNIVERSE
    result = _translate(pattern)
    kinds = kinds_of(result)
    if not kinds:
        reporter.report(ImpossiblePattern(span=pattern.span, pattern=spell_pattern(pattern)))
        return ANY_PACKET, UNIVERSE
    return result, kinds


def _check_words(pattern: syntax.Pattern, reporter: Reporter) -> bool:
    match pattern:
        case syntax.PatternName(name=name):
            if name not in HEADERS:
                reporter.report(
                    UnknownMember(
                        span=pattern.span, owner="a packet", what="kind", name=name,
                        expected=backticks(HEADERS), hint=_hint(name),
                    )
                )  # fmt: skip
            return name in HEADERS
        case syntax.PatternNot(inner=inner):
            return _check_words(inner, reporter)
        case syntax.PatternAll(parts=parts) | syntax.PatternAny(parts=parts):
            known = [_check_words(part, reporter) for part in parts]
            return all(known)
        case _:
            assert_never(pattern)


def _hint(name: str) -> str:
    return did_you_mean(_OTHER_NAMES.get(name, name), HEADERS)


_OTHER_NAMES = {"ip": "ipv4", "ip4": "ipv4", "ip6": "ipv6", "icmp6": "icmpv6"}


def _translate(pattern: syntax.Pattern) -> typed.Pattern:
    match pattern:
        case syntax.PatternName(name=name):
            return typed.PatternName(name)
        case syntax.PatternNot(inner=inner):
            return typed.PatternNot(_translate(inner))
        case syntax.PatternAll(parts=parts):
            return typed.PatternAll(tuple(_translate(part) for part in parts))
        case syntax.PatternAny(parts=parts):
            return typed.PatternAny(tuple(_translate(part) for part in parts))
        case _:
            assert_never(pattern)


def kinds_of(pattern: typed.Pattern) -> frozenset[Kind]:
    """Return the kinds of packet that pass a pattern."""
    match pattern:
        case typed.PatternName(header):
            return kinds_with(header)
        case typed.PatternNot(inner):
            return UNIVERSE - kinds_of(inner)
        case typed.PatternAll(parts):
            return UNIVERSE.intersection(*(kinds_of(part) for part in parts))
        case typed.PatternAny(parts):
            return frozenset[Kind]().union(*(kinds_of(part) for part in parts))
        case _:
            assert_never(pattern)
