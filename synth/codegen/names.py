"""C identifiers for what the chain names."""

import re
from collections.abc import Container, Iterable

from synth.codegen.foreign_names import FOREIGN_PREFIXES, is_standard

KEYWORDS = frozenset({
    "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
    "enum", "extern", "false", "float", "for", "goto", "if", "inline", "int", "long", "main", "NULL",
    "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "true",
    "typedef", "union", "unsigned", "void", "volatile", "while", "asm", "linux", "typeof", "unix",
})  # fmt: skip
"""Words that no identifier may be: C11's, GNU C's, and those of the headers that generated code includes."""


def identifier(name: str) -> str:
    """Return a name of the chain as a C identifier: dots and other marks become underscores."""
    text = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_") or "unnamed"
    return f"n{text}" if text[0].isdigit() else text


class Namespace:
    """Hands out identifiers, each once; a taken one gets a number behind it."""

    def __init__(self, reserved: Container[str] = ()) -> None:
        self._reserved = reserved
        self._taken: set[str] = set()

    def fresh(self, wanted: str, parts: Iterable[str] = ()) -> str:
        """Return the identifier for a wanted name, and keep it from being given again.

        What it makes with `_` and each of the parts is free, too, and kept.
        """
        base = identifier(wanted)
        if base.startswith(FOREIGN_PREFIXES):
            base = f"the_{base}"
        ends = ("", *(f"_{part}" for part in parts))
        name, number = base, 2
        while any(self._is_taken(f"{name}{end}") for end in ends):
            name = f"{base}_{number}" if not base[-1].isdigit() else f"{base}__{number}"
            number += 1
        self._taken.update(f"{name}{end}" for end in ends)
        return name

    def _is_taken(self, name: str) -> bool:
        return name in self._taken or name in self._reserved or name in KEYWORDS or is_standard(name)
