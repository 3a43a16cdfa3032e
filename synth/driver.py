"""The data flow as readable functions, one for each thing that a person can ask for.

text --check--> typed chain --lower--> chain graph --emit--> C --cc--> one binary
\\--evaluate--> frames (the oracle)
"""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from synth.diagnostics.diagnostic import Diagnostic, UserError
from synth.graph.draw import to_dot, to_svg
from synth.graph.nodes import ChainGraph
from synth.graph.text import print_graph
from synth.graph.verify import verify
from synth.language.checker import check_file
from synth.language.typed import TypedChain
from synth.lower import lower

Stage = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a command works on: a file, which of its chains, and parameters from outside.

    `overrides` are `instance.parameter=value` texts; they win over `config`, a YAML file.
    """

    path: Path
    chain: str | None = None
    config: Path | None = None
    overrides: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """Everything that was found in a file; `summary` is for a file without errors."""

    diagnostics: tuple[Diagnostic, ...]
    summary: str

    @property
    def has_errors(self) -> bool:
        """Whether the chain cannot be built."""
        return any(found.severity == "error" for found in self.diagnostics)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """How the C is compiled. `march` is a machine as gcc names it."""

    march: str = "native"
    cc: str = "gcc"
    sanitize: bool = False
    source_only: bool = False


def check(source: Source) -> Checked:
    """Check a file; never raises for what is wrong in it."""
    try:
        result = check_file(source.path, config=source.config, overrides=source.overrides, chain=source.chain)
    except UserError as error:
        return Checked(diagnostics=error.diagnostics, summary="")
    return Checked(diagnostics=result.warnings, summary=_summary(result.chain))


def _summary(chain: TypedChain | None) -> str:
    if chain is None:
        return "network functions, fine"
    return f"chain {chain.name}, {len(chain.interfaces)} interfaces, {len(chain.instances)} network functions, fine"


def load_graph(source: Source) -> tuple[ChainGraph, tuple[Diagnostic, ...]]:
    """Check and lower a chain; return its graph, verified, and the warnings.

    Raises:
        UserError: the file is wrong, or holds no chain.
    """
    result = check_file(source.path, config=source.config, overrides=source.overrides, chain=source.chain)
    if result.chain is None:
        raise UserError((NoChain(span=file_start(source.path)),))
    graph = lower(result.chain)
    verify(graph)
    return graph, result.warnings


def draw(source: Source, *, form: str, abbreviate: bool) -> str:
    """Return a chain's graph as `text`, `dot` or `svg`."""
    graph, _ = load_graph(source)
    match form:
        case "dot":
            return to_dot(graph)
        case "svg":
            return to_svg(graph)
        case _:
            return print_graph(graph, abbreviate=abbreviate)
