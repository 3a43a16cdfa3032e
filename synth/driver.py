"""The data flow as readable functions, one for each thing that a person can ask for.

text --check--> typed chain --lower--> chain graph --emit--> C --cc--> one binary
\\--evaluate--> frames (the oracle)
"""

import json
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from synth import codegen, native
from synth.codegen.build import write_sources
from synth.complaints import NoChain, UnknownInterface, complain, whole_file
from synth.diagnostics.diagnostic import Diagnostic, UserError
from synth.diagnostics.suggest import did_you_mean
from synth.files import replace_directory, replace_file
from synth.graph.draw import to_dot, to_svg
from synth.graph.nodes import ChainGraph
from synth.graph.text import print_graph
from synth.graph.verify import verify
from synth.interpreter import run_captures
from synth.language.checker import check_file
from synth.language.formatter import format_text
from synth.language.source_file import read_text
from synth.language.typed import TypedChain
from synth.lower import lower
from synth.reports import BuildReport, RunReport, Stopwatch

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A chain, checked and lowered, with the warnings on the way."""

    chain: TypedChain
    graph: ChainGraph
    warnings: tuple[Diagnostic, ...]


def check(source: Source) -> Checked:
    """Check a file; never raises for what is wrong in it."""
    try:
        result = check_file(source.path, config=source.config, overrides=source.overrides, chain=source.chain)
    except UserError as error:
        return Checked(diagnostics=error.diagnostics, summary="")
    return Checked(diagnostics=result.warnings, summary=_summary(result.chain))


def _summary(chain: TypedChain | None) -> str:
    if chain is None:
        return "fine; no chain to build in this file"
    return (
        f"chain {chain.name} is fine: {len(chain.interfaces)} interfaces, "
        f"{len(chain.instances)} network functions"
    )


def load(source: Source, watch: Stopwatch | None = None) -> Loaded:
    """Check and lower a chain; its graph is verified.

    Raises:
        UserError: the file is wrong, or holds no chain.
    """
    watch = watch or Stopwatch()
    with watch.measure("check"):
        result = check_file(source.path, config=source.config, overrides=source.overrides, chain=source.chain)
    if result.chain is None:
        raise complain(NoChain(span=whole_file(source.path)))
    with watch.measure("lower"):
        graph = lower(result.chain)
        verify(graph)
    return Loaded(chain=result.chain, graph=graph, warnings=result.warnings)


def format_file(path: Path) -> tuple[str, str]:
    """Return a file's text and its canonical layout.

    Raises:
        UserError: the file cannot be read or parsed.
    """
    text = read_text(path)
    return text, format_text(text, str(path))


def draw(source: Source, *, form: str, abbreviate: bool) -> str:
    """Return a chain's graph as `text`, `dot` or `svg`."""
    graph = load(source).graph
    match form:
        case "dot":
            return to_dot(graph)
        case "svg":
            return to_svg(graph)
        case _:
            return print_graph(graph, abbreviate=abbreviate)


def build(source: Source, out_dir: Path, options: BuildOptions, *, stage: Stage) -> BuildReport:
    """Build a chain's binary, its sources and `report.json`; nothing is left behind on failure.

    Raises:
        UserError: the chain is wrong, or uses what C does not have yet.
        ToolchainError: the compiler or DPDK is missing or failed.
    """
    watch = Stopwatch()
    with stage("check"):
        loaded = load(source, watch)
    graph = loaded.graph
    with stage("emit C"), watch.measure("emit"):
        tree = codegen.emit(graph)
    binary = None
    with stage("compile"), watch.measure("compile"):
        if options.source_only:
            with tempfile.TemporaryDirectory(dir=_made(out_dir), prefix=".source-") as folder:
                write_sources(tree, Path(folder) / "src")
                replace_directory(out_dir / "src", Path(folder) / "src")
        else:
            binary = codegen.build(
                tree, out_dir, name=graph.name, march=options.march, cc=options.cc, sanitize=options.sanitize
            ).path
    report = _build_report(loaded, out_dir, binary, watch)
    replace_file(out_dir / "report.json", json.dumps(report.as_dict(), indent=2) + "\n")
    return report


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _build_report(loaded: Loaded, out_dir: Path, binary: Path | None, watch: Stopwatch) -> BuildReport:
    graph = loaded.graph
    return BuildReport(
        chain=graph.name,
        binary=None if binary is None else str(binary),
        sources=str(out_dir / "src"),
        network_functions=len(loaded.chain.instances),
        blocks=len(graph.blocks),
        operations=sum(len(block.operations) for block in graph.blocks),
        states={state.name: type(state).__name__ for state in graph.states},
        seconds=watch.seconds,
        warnings=tuple(loaded.warnings),
    )


def captures_by_interface(inputs: Iterable[tuple[str, Path]]) -> Mapping[str, Path]:
    """Return captures by interface; an interface that is named twice takes the last one."""
    return dict(inputs)


def run(
    source: Source, captures: Mapping[str, Path], out_dir: Path, *, engine: str, stage: Stage
) -> RunReport:
    """Run a chain on captures with the `interpreter` or the `native` engine.

    Raises:
        UserError: the chain or a capture is wrong, or an interface is not the chain's.
        ToolchainError: the native engine could not be built.
    """
    loaded = load(source)
    known = [interface.name for interface in loaded.graph.interfaces]
    for name in captures:
        if name not in known:
            hint = did_you_mean(name, known)
            raise complain(
                UnknownInterface(span=whole_file(source.path), name=name, hint=hint, known=", ".join(known))
            )
    if engine == "interpreter":
        with stage("interpret"):
            return run_captures(loaded.graph, captures, out_dir)
    with tempfile.TemporaryDirectory(prefix="synth-") as folder:
        with stage("build"):
            built = codegen.build(codegen.emit(loaded.graph), Path(folder), name=loaded.graph.name)
        with stage("replay"):
            return native.replay(built.path, captures, out_dir).report
