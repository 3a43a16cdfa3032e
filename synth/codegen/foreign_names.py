"""What generated C must not give other meanings: names of the runtime, of the C library and of DPDK."""

import re
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

_STANDARD = re.compile(
    r"(u?int\w*|size|ptrdiff|wchar|max_align|l*div)_t"
    r"|(U?INT\w*|SIZE|PTRDIFF|WCHAR|WINT|SIG_ATOMIC|RAND|TMP|FOPEN|FILENAME)_(MIN|MAX|WIDTH|C)"
    r"|EXIT_SUCCESS|EXIT_FAILURE|SEEK_(SET|CUR|END)|L_tmpnam|aligned_alloc|(at_)?quick_exit|static_assert"
)
"""Of the headers that generated code includes, the names that one of a chain could have: with `_`."""

FOREIGN_PREFIXES = ("packet_", "table_", "rte_", "pcap_", "pthread_")
"""What all names of field accessors, of embedded tables and of the foreign libraries begin with."""

_NO_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|\{#.*?#\}", re.DOTALL)


def is_standard(name: str) -> bool:
    """Tell whether the C standard gives a name a meaning."""
    return _STANDARD.fullmatch(name) is not None


@cache
def runtime_words() -> frozenset[str]:
    """Return all words in the code of the runtime and the templates."""
    return frozenset(word for text in _texts() for word in re.findall(r"\w+", text))


@cache
def runtime_functions() -> frozenset[str]:
    """Return what is called there like a function, macros included."""
    return frozenset(word for text in _texts() for word in re.findall(r"\b(\w+)\(", text))


@cache
def table_parts() -> tuple[str, ...]:
    """Return what `keyed_table.h` makes of a table's name: `find` of `nat_bindings_find`."""
    return tuple(sorted({part for text in _texts() for part in re.findall(r"\bKEYED\((\w+)\)", text)}))


def _texts() -> Iterator[str]:
    """Yield the texts without comments and string literals."""
    for folder in ("runtime", "templates"):
        for entry in (files("synth.codegen") / folder).iterdir():
            if entry.name.endswith((".c", ".h", ".j2")):
                yield _NO_CODE.sub(" ", entry.read_text(encoding="utf-8"))
