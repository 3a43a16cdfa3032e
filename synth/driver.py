"""The data flow as readable functions, one for each thing that a person can ask for.

Text is checked into a typed chain, lowered into a chain graph (which the interpreter runs: the oracle),
synthesized, proved, emitted as C and compiled into one binary. Data moves one way.
"""

import json
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from synth import codegen, native
from synth.codegen.build import BuiltBinary, write_sources
from synth.codegen.tree import SourceTree
from synth.codegen.trunk import Trunk
from synth.counterexample import Counterexample, find_counterexample
from synth.diagnostics.diagnostic import Diagnostic, UserError, complain
from synth.diagnostics.spans import whole_file
from synth.files import made_directory, replace_directory, replace_file
from synth.graph.draw import Image, to_dot, to_dot_beside, to_image
from synth.graph.nodes import ChainGraph
from synth.graph.text import print_graph
from synth.graph.verify import verify
from synth.interpreter import merge_captures, run_captures
from synth.language.checker import check_file
from synth.language.formatter import format_text
from synth.language.source_file import read_text
from synth.language.typed import TypedChain
from synth.lower import lower
from synth.offload.split import Split
from synth.parallel import Plan, load_nic, plan
from synth.pipeline.choose import Chosen, choose
from synth.pipeline.complaints import NoChain
from synth.pipeline.cores import StrategyWish, check_behind_switch, plan_build
from synth.pipeline.explain import Explanation, report_proof
from synth.pipeline.offload import choose_server, split_chain
from synth.pipeline.refusals import check_captures, check_inputs, check_place
from synth.pipeline.stages import Stage
from synth.pipeline.story import StoryTeller
from synth.proof.validate import prove
from synth.reports import BuildReport, ProofReport, RunReport, Stopwatch
from synth.synthesis import synthesize
from synth.synthesis.statistics import measure


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
    """What is built, for how many cores, and how the C is compiled.

    `march` is a machine as gcc names it; `switch` stands in front of the server, None: no switch does.
    """

    march: str = "native"
    cc: str = "gcc"
    sanitize: bool = False
    source_only: bool = False
    as_written: bool = False
    is_proof_wanted: bool = True
    switch: str | None = None
    cores: int = 1
    nic: str = "software"
    strategy: StrategyWish = "auto"


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


def split(source: Source, switch: str) -> Split:
    """Split a chain between a switch and the server.

    Raises:
        UserError: the chain or the switch's description is wrong, or they do not fit.
    """
    return split_chain(load(source).graph, switch)


def format_files(paths: Iterable[Path]) -> Mapping[Path, tuple[str, str]]:
    """Return each file's text and its canonical layout.

    Raises:
        UserError: files cannot be read or parsed; it tells of all of them.
    """
    found: dict[Path, tuple[str, str]] = {}
    wrong: list[Diagnostic] = []
    for path in paths:
        try:
            text = read_text(path)
            found[path] = text, format_text(text, str(path))
        except UserError as error:
            wrong += error.diagnostics
    if wrong:
        raise UserError(tuple(wrong))
    return found


def draw(
    source: Source, *, form: Literal["text", "dot"] | Image, abbreviate: bool, is_synthesized: bool = False
) -> bytes:
    """Return a chain's graph as text, in Graphviz's language, or as an image.

    A synthesized one is drawn beside the chain as written; as text it stands alone.
    """
    written = load(source).graph
    if form == "text":
        shown = synthesize(written).graph if is_synthesized else written
        return print_graph(shown, abbreviate=abbreviate).encode()
    dot = to_dot_beside(written, synthesize(written).graph) if is_synthesized else to_dot(written)
    return dot.encode() if form == "dot" else to_image(dot, form)


def explain(source: Source, captures: Mapping[str, Path]) -> Explanation:
    """Return what synthesis does to a chain, and the story of each packet of the captures, by interface.

    Raises:
        UserError: the chain or a capture is wrong, or an interface is not the chain's.
    """
    graph = load(source).graph
    check_inputs(captures, source=source.path, interfaces=[one.name for one in graph.interfaces])
    synthesized = synthesize(graph)
    teller = StoryTeller(graph, synthesized.graph)
    stories = tuple(teller.tell(*arrival) for arrival in merge_captures(graph, captures))
    on_cores = plan(synthesized.graph, load_nic("software"), cores=4)
    return Explanation(chain=graph, synthesized=synthesized, plan=on_cores, stories=stories)


def plan_cores(source: Source, *, nic: str, cores: int) -> Plan:
    """Return how the synthesized chain runs on several cores, with a NIC by name or by file.

    Raises:
        UserError: the chain or the NIC's file is wrong, or the NIC has not so many queues.
    """
    described = load_nic(nic)
    return plan(synthesize(load(source).graph).graph, described, cores=cores)


def prove_chain(source: Source, out_dir: Path, *, stage: Stage) -> tuple[ProofReport, Counterexample | None]:
    """Synthesize a chain and prove the result; look for packets that show what could not be proved.

    Only a counterexample writes to `out_dir`: its captures, and what either side does with them.
    """
    graph = load(source).graph
    with stage("synthesize"):
        result = synthesize(graph).graph
    return prove_result(graph, result, out_dir, stage=stage)


def prove_result(
    written: ChainGraph, result: ChainGraph, out_dir: Path, *, stage: Stage
) -> tuple[ProofReport, Counterexample | None]:
    """Prove any graph against the chain as written; otherwise as `prove_chain`."""
    with stage("prove"):
        proof = prove(written, result)
    with stage("look for a counterexample"):
        found = find_counterexample(written, result, proof)
    if found is not None:
        found.write(out_dir)
    return report_proof(proof), found


def build(source: Source, out_dir: Path, options: BuildOptions, *, stage: Stage) -> BuildReport:
    """Build a chain's binary, its sources and `report.json`; nothing is left behind on failure.

    Raises:
        UserError: the chain is wrong, or uses what C does not have yet.
        ToolchainError: the compiler or DPDK is missing or failed.
    """
    watch = Stopwatch()
    with stage("check"):
        loaded = load(source, watch)
        check_place(out_dir, loaded.graph.name)
        if options.switch is not None:
            check_behind_switch(options.cores, whole_file(source.path))
    chosen, trunk = _choose(loaded.graph, options, stage=stage, watch=watch)
    graph = chosen.graph
    with stage("plan cores"), watch.measure("plan"):
        found = plan_build(
            graph,
            cores=options.cores,
            nic=options.nic,
            strategy=options.strategy,
            span=whole_file(source.path),
        )
    with stage("emit C"), watch.measure("emit"):
        tree = codegen.emit(graph, is_synthesized=chosen.is_synthesized, trunk=trunk, plan=found)
    with made_directory(out_dir):
        with stage("compile"), watch.measure("compile"):
            built = _compile(tree, out_dir, graph.name, options)
        report = _build_report(loaded, chosen, out_dir, built, watch)
        replace_file(out_dir / "report.json", json.dumps(report.as_dict(), indent=2) + "\n")
    return report


def _choose(
    graph: ChainGraph, options: BuildOptions, *, stage: Stage, watch: Stopwatch
) -> tuple[Chosen, Trunk | None]:
    """Choose what is built: the whole chain, or what a switch leaves to the server."""
    wanted = options.as_written, options.is_proof_wanted
    if options.switch is None:
        chosen = choose(graph, as_written=wanted[0], is_proof_wanted=wanted[1], stage=stage, watch=watch)
        return chosen, None
    with stage("split"), watch.measure("split"):
        found = split_chain(graph, options.switch)
    chosen = choose_server(found, as_written=wanted[0], is_proof_wanted=wanted[1], stage=stage, watch=watch)
    return chosen, Trunk(version=found.version, tags=found.tags)


def _compile(tree: SourceTree, out_dir: Path, name: str, options: BuildOptions) -> BuiltBinary | None:
    if options.source_only:
        with tempfile.TemporaryDirectory(dir=out_dir, prefix=".source-") as folder:
            write_sources(tree, Path(folder) / "src")
            replace_directory(out_dir / "src", Path(folder) / "src")
        return None
    return codegen.build(
        tree, out_dir, name=name, march=options.march, cc=options.cc, sanitize=options.sanitize
    )


def _build_report(
    loaded: Loaded, chosen: Chosen, out_dir: Path, built: BuiltBinary | None, watch: Stopwatch
) -> BuildReport:
    graph, written = chosen.graph, loaded.graph
    return BuildReport(
        chain=graph.name,
        binary=None if built is None else str(built.path),
        sources=str(out_dir / "src"),
        form=chosen.form,
        network_functions=len(loaded.chain.instances),
        blocks_as_written=len(written.blocks),
        blocks=len(graph.blocks),
        operations=measure(graph).operations,
        states={state.name: type(state).__name__ for state in graph.states},
        seconds=watch.seconds,
        proof=None if chosen.proof is None else report_proof(chosen.proof),
        warnings=(*loaded.warnings, *(() if built is None else built.warnings)),
    )


def run(
    source: Source, captures: Mapping[str, Path], out_dir: Path, *, engine: str, stage: Stage
) -> RunReport:
    """Run a chain on captures with the `interpreter`, or with the `native` binary that `build` makes.

    Raises:
        UserError: the chain or a capture is wrong, or an interface is not the chain's.
        ToolchainError: the native engine could not be built.
    """
    graph = load(source).graph
    names = [interface.name for interface in graph.interfaces]
    check_captures(captures, out_dir, source=source.path, interfaces=names)
    with made_directory(out_dir):
        if engine == "interpreter":
            with stage("interpret"):
                return run_captures(graph, captures, out_dir)
        with tempfile.TemporaryDirectory(prefix="synth-") as folder:
            chosen = choose(graph, as_written=False, is_proof_wanted=True, stage=stage, watch=Stopwatch())
            with stage("build"):
                tree = codegen.emit(chosen.graph, is_synthesized=chosen.is_synthesized)
                built = codegen.build(tree, Path(folder), name=graph.name)
            with stage("replay"):
                return native.replay(built.path, captures, out_dir, timeout=None).report
