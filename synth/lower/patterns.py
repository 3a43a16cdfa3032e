"""What a packet is: patterns as sets of kinds, and as tests of headers."""

from typing import assert_never

from synth.diagnostics.spans import Span
from synth.graph.nodes import Has
from synth.language.typed import Pattern, PatternAll, PatternAny, PatternName, PatternNot
from synth.lower.folding import binary, unary
from synth.lower.paths import Path
from synth.lower.scalars import BOOL, FALSE, TRUE, Scalar
from synth.net.kinds import UNIVERSE, Kind, kinds_with


def kinds_of(pattern: Pattern) -> frozenset[Kind]:
    """Return the kinds that a pattern admits."""
    match pattern:
        case PatternName(header):
            return kinds_with(header)
        case PatternNot(inner):
            return UNIVERSE - kinds_of(inner)
        case PatternAll(parts):
            return UNIVERSE.intersection(*(kinds_of(part) for part in parts))
        case PatternAny(parts):
            return frozenset().union(*(kinds_of(part) for part in parts))
        case _:
            assert_never(pattern)


def lower_pattern(path: Path, packet: Scalar, pattern: Pattern, span: Span) -> Scalar:
    """Return whether a packet is what a pattern says: a boolean combination of `has`, without branches."""
    match pattern:
        case PatternName(header):
            (value,) = path.append(Has, (BOOL,), span, f"is_{header}", packet=packet, header=header)
            return value
        case PatternNot(inner):
            return unary(path, "not", lower_pattern(path, packet, inner, span), span)
        case PatternAll(parts) | PatternAny(parts):
            is_all = isinstance(pattern, PatternAll)
            result: Scalar = TRUE if is_all else FALSE
            for part in parts:
                test = lower_pattern(path, packet, part, span)
                result = binary(path, "and" if is_all else "or", result, test, span)
            return result
        case _:
            assert_never(pattern)
