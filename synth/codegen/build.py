"""Build a generated source tree into one binary."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from synth.codegen.tree import SourceTree

Progress = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltBinary:
    """A binary and the sources that it was made of."""

    path: Path
    sources: Path


def build(
    tree: SourceTree,
    out_dir: Path,
    *,
    name: str,
    march: str = "native",
    cc: str = "cc",
    sanitize: bool = False,
    progress: Progress = lambda _: None,
) -> BuiltBinary:
    """Write `out_dir/src/`, compile it, link `out_dir/<name>`.

    Both appear at the end, whole, or not at all. `progress` gets a line for each longer step.

    Raises:
        ToolchainError: a compiler, linker or pkg-config failed or is missing.
    """
    raise NotImplementedError
