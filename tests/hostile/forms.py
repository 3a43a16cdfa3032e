"""A chain's binaries in both forms, as written and synthesized, against interpreter and expectations."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from synth import codegen
from synth.driver import Source, load
from synth.graph.nodes import ChainGraph
from synth.interpreter import Interpreter
from synth.synthesis import synthesize
from tests.differential.harness import assert_interpreter_agrees, run_binary, write_inputs
from tests.traffic import Arrival

INTERFACES = """\
    interface lan { mac 02:00:00:00:00:01 }
    interface wan { mac 02:00:00:00:00:02 }
"""


@dataclass(frozen=True, slots=True)
class Forms:
    """A chain, lowered, and the binaries that are built of it; `folder` is for files of tests."""

    graph: ChainGraph
    binaries: tuple[Path, ...]
    folder: Path

    def oracle(self) -> Interpreter:
        """Return a fresh interpreter."""
        return Interpreter(self.graph)

    def assert_all_agree(self, arrivals: Sequence[Arrival]) -> None:
        """Fail where a binary differs from the interpreter. Arrivals are in the order of their handling."""
        inputs = write_inputs(self.graph, arrivals, self.folder / "in")
        for binary in self.binaries:
            native = run_binary(binary, inputs, self.folder / f"out_{binary.parent.name}")
            assert_interpreter_agrees(self.graph, native, arrivals)


def one_nf(nf: str, arguments: str = "") -> str:
    """Return a chain of the NF `n` between two interfaces."""
    return f"{nf}\nchain hostile {{\n{INTERFACES}    x = n({arguments})\n    lan <-> x <-> wan\n}}\n"


def load_text(text: str, folder: Path) -> ChainGraph:
    """Return the graph of a chain's text."""
    path = folder / "hostile.chain"
    path.write_text(text, encoding="utf-8")
    return load(Source(path=path)).graph


def build_forms(text: str, folder: Path, *, sanitize: bool = True) -> Forms:
    """Build a chain in both forms."""
    graph = load_text(text, folder)
    trees = {
        "written": codegen.emit(graph),
        "synthesized": codegen.emit(synthesize(graph).graph, is_synthesized=True),
    }
    binaries = tuple(
        codegen.build(tree, folder / form, name=graph.name, sanitize=sanitize).path
        for form, tree in trees.items()
    )
    return Forms(graph, binaries, folder)


def fates(graph: ChainGraph, arrivals: Sequence[Arrival]) -> list[str]:
    """Return what the interpreter does with each arrival: `out`, or the drop's name without its NF."""
    oracle, found, before = Interpreter(graph), [], {}
    for arrival in arrivals:
        left = oracle.receive(arrival.interface, arrival.data, arrival.time)
        drops = dict(oracle.report().drops)
        fresh = [name.split(".", 1)[1] for name, count in drops.items() if count != before.get(name, 0)]
        found.append("out" if left else fresh[0])
        before = drops
    return found
