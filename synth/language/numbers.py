"""Integers as text, in chain files and in data files."""


def parse_integer(text: str) -> int:
    """Return the value of decimal digits, or of `0x` or `0b` and digits of that base."""
    lowered = text.lower()
    base = 16 if lowered.startswith("0x") else 2 if lowered.startswith("0b") else 10
    digits = lowered[2:] if base != 10 else lowered
    # Python limits the length of decimal text that it converts; no width needs half of this.
    return int(digits, base) if len(digits) < 1000 else 10**1000


def shorten(text: str) -> str:
    """Return a word for a message: very long ones are cut."""
    return text if len(text) <= 40 else f"{text[:37]}..."
