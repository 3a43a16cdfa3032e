"""Guess what a misspelled word was meant to be."""

from collections.abc import Iterable
from difflib import get_close_matches


def closest(word: str, candidates: Iterable[str]) -> str:
    """Return the candidate that looks most like the word, or the empty string."""
    others = sorted(candidate for candidate in set(candidates) if candidate != word)
    lowered = {candidate.lower(): candidate for candidate in reversed(others)}
    found = get_close_matches(word.lower(), sorted(lowered), n=1, cutoff=0.6)
    return lowered[found[0]] if found else ""


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """Return ` (did you mean `x`?)`, to be put behind a sentence, or the empty string."""
    found = closest(word, candidates)
    return f" (did you mean `{found}`?)" if found else ""
