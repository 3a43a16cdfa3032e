"""The generated source tree: what `emit` returns and `build` compiles."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceTree:
    """Generated files by path relative to the source directory, with `/` between the parts.

    Attributes:
        chain: the chain's name as in the `.chain` file.
        files: every file's bytes; text is UTF-8 with a final newline. The runtime stands under
            `runtime/`, embedded table data under `tables/`, as the hosts read it: `tables/<table>.bin`,
            and what is built in instead of them under `built_in/`.
        units: the C and assembler files that depend on the chain, in the order of compilation.
        runtime_units: the C files of the runtime and the hosts, the same for every chain.
    """

    chain: str
    files: Mapping[str, bytes]
    units: tuple[str, ...]
    runtime_units: tuple[str, ...]
