"""The units of quantities, and what each is worth in the smallest unit of its type."""

from synth.language.types import Duration, Rate, Size, Type

UNITS: dict[str, tuple[Type, int]] = {
    "ns": (Duration(), 1), "us": (Duration(), 10**3), "ms": (Duration(), 10**6),
    "s": (Duration(), 10**9), "min": (Duration(), 60 * 10**9), "h": (Duration(), 3600 * 10**9),
    "bit/s": (Rate(), 1), "kbit/s": (Rate(), 10**3), "Mbit/s": (Rate(), 10**6),
    "Gbit/s": (Rate(), 10**9), "Tbit/s": (Rate(), 10**12),
    "B": (Size(), 1), "kB": (Size(), 10**3), "MB": (Size(), 10**6), "GB": (Size(), 10**9),
    "KiB": (Size(), 2**10), "MiB": (Size(), 2**20), "GiB": (Size(), 2**30),
}  # fmt: skip
"""Each unit's type, and how many nanoseconds, bits per second or bytes it is."""

MOST = 2**64
"""A quantity in the smallest unit is below this."""


def units_of(of: Type) -> dict[str, int]:
    """Return the units of one type, with what they are worth."""
    return {unit: worth for unit, (type_, worth) in UNITS.items() if type_ == of}


# What people write elsewhere: prefixes, then bits or bytes, then how a second is said.
_PREFIXES = {"": "", "k": "k", "m": "M", "g": "G", "t": "T"}


def guess_unit(word: str) -> str:
    """Return the unit that a word of other tools stands for (`Mbps`), or the empty string."""
    lowered = word.lower()
    for ending in ("bps", "bits", "bit", "b/s"):
        prefix = lowered.removesuffix(ending)
        if prefix != lowered and prefix in _PREFIXES:
            return f"{_PREFIXES[prefix]}bit/s"
    return {"sec": "s", "secs": "s", "m": "min", "minutes": "min", "msec": "ms", "usec": "us"}.get(word, "")


def advise_unit(word: str) -> str:
    """Return what to write in place of a prefix that stands alone (`1M`), or the empty string."""
    prefix = _PREFIXES.get(word.lower(), "")
    is_alone = prefix and word != "m"
    return f"write the number out, or a rate ({prefix}bit/s) or a size ({prefix}B)" if is_alone else ""
