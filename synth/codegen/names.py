"""C identifiers for what the chain names."""

import re
from collections.abc import Iterable

KEYWORDS = frozenset({
    "auto", "bool", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
    "enum", "extern", "false", "float", "for", "goto", "if", "inline", "int", "long", "main", "NULL",
    "register", "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "true",
    "typedef", "union", "unsigned", "void", "volatile", "while",
})  # fmt: skip
"""Words that no identifier may be: C11's, and those of the headers that generated code includes."""


def identifier(name: str) -> str:
    """Return a name of the chain as a C identifier: dots and other marks become underscores."""
    text = re.sub(r"[^A-Za-z0-9_]+", "_", name).strip("_") or "unnamed"
    return f"n{text}" if text[0].isdigit() else text


class Namespace:
    """Hands out identifiers, each once; a taken one gets a number behind it."""

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._taken = set(KEYWORDS) | set(reserved)

    def fresh(self, wanted: str) -> str:
        """Return the identifier for a wanted name, and keep it from being given again."""
        base = identifier(wanted)
        name, number = base, 2
        while name in self._taken:
            name = f"{base}_{number}" if not base[-1].isdigit() else f"{base}__{number}"
            number += 1
        self._taken.add(name)
        return name
