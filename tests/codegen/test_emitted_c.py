"""The text of generated C: goldens, determinism, what a person who reads it can rely on."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from synth.codegen.build import write_sources
from synth.codegen.emit import emit
from synth.codegen.tree import SourceTree
from synth.graph.nodes import ChainGraph
from synth.synthesis import synthesize
from tests.codegen.cores import WARNINGS
from tests.codegen.graphs import EXAMPLES, GRAPHS, any_graph, chain_graph
from tests.conftest import Golden

GOLDENS = Path(__file__).parent / "goldens"
NAMES = (*GRAPHS, *EXAMPLES)
SYNTHESIZED = tuple(f"{name}_synthesized" for name in NAMES)


def emitted(name: str) -> SourceTree:
    """Return the source tree of a graph as written, or of the synthesized graph."""
    graph = any_graph(name.removesuffix("_synthesized"))
    if name in SYNTHESIZED:
        return emit(synthesize(graph).graph, is_synthesized=True)
    return emit(graph)


def generated(name: str) -> dict[str, str]:
    """Return the generated texts of a graph: all but the runtime and table data."""
    return {path: content.decode() for path, content in emitted(name).files.items() if "/" not in path}


@pytest.mark.parametrize("name", [*NAMES, "isp_chain_synthesized", "router_2_synthesized"])
def test_generated_c_is_as_reviewed(name: str, golden: Golden) -> None:
    texts = generated(name)
    for path, text in texts.items():
        if path != "build.mk":
            golden(GOLDENS / name / path, text)
    assert {file.name for file in (GOLDENS / name).iterdir()} == texts.keys() - {"build.mk"}


@pytest.mark.parametrize("name", [*NAMES, *SYNTHESIZED])
@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_generated_c_compiles_without_a_warning(name: str, compiler: str, tmp_path: Path) -> None:
    tree = emitted(name)
    write_sources(tree, tmp_path / "src")
    for unit in tree.units:
        done = subprocess.run(
            [compiler, "-std=c11", "-O2", "-march=native", *WARNINGS, "-I.", "-c", unit, "-o", "/dev/null"],
            cwd=tmp_path / "src", capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""


def test_the_same_graph_gives_the_same_bytes() -> None:
    script = (
        "import hashlib\nfrom synth.codegen.emit import emit\nfrom tests.codegen.graphs import any_graph\n"
        f"for name in {NAMES!r}:\n"
        "    print(hashlib.sha256(repr(sorted(emit(any_graph(name)).files.items())).encode()).hexdigest())"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script], cwd=Path(__file__).resolve().parents[2],
            env={"PYTHONHASHSEED": seed, "PATH": os.environ["PATH"]}, stdout=subprocess.PIPE, text=True,
        )
        for seed in ("1", "2")
    ]  # fmt: skip
    one, other = (process.communicate()[0].split() for process in processes)
    assert len(one) == len(NAMES)
    assert one == other


@pytest.mark.parametrize("name", NAMES)
def test_every_handler_parses_its_packet_itself(name: str) -> None:
    bodies = re.findall(
        r"^void \w+\(struct burst \*burst, struct packet \*packet\)\n\{(.*?)^\}",
        all_c(name),
        re.MULTILINE | re.DOTALL,
    )
    assert len(bodies) == len({handler.block for handler in any_graph(name).handlers})
    assert all("packet_parse(packet);" in body for body in bodies)


@pytest.mark.parametrize("name", [*NAMES, *SYNTHESIZED])
def test_nothing_is_generated_that_is_not_used(name: str) -> None:
    texts = generated(name)
    c_text = all_c(name)
    accessors = re.findall(r"^static inline \S+ (packet_\w+)\(", texts["fields.h"], re.MULTILINE)
    assert [one for one in accessors if f"{one}(" not in c_text] == []
    for path, text in texts.items():
        for header in re.findall(r'#include "(\w+\.h)"', text):
            assert header in texts, f"{path} includes {header}"
    labels = re.findall(r"^(\w+):;$", c_text, re.MULTILINE)
    assert [label for label in labels if f"goto {label};" not in c_text] == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_each_statement_names_its_source_line(name: str) -> None:
    for path, text in generated(name).items():
        if path.endswith(".c") and path != "core.c":
            first = text.index("packet_parse(packet);")
            assert re.match(r"packet_parse\(packet\);\n\n +/\* \w+\.chain:\d+ \*/", text[first:]), path


@pytest.mark.parametrize("name", SYNTHESIZED)
def test_a_synthesized_chain_parses_once_and_never_writes_to_a_received_frame(name: str) -> None:
    c_text = all_c(name)
    assert "packet_parse(" not in c_text
    assert c_text.count("packet_admit(") == 1
    assert re.findall(r"packet_set_\w+\(packet,", c_text) == []


@pytest.mark.parametrize("name", [*EXAMPLES, *(f"{name}_synthesized" for name in EXAMPLES)])
def test_lines_are_at_most_100_columns_wide(name: str) -> None:
    for path, text in generated(name).items():
        if path.endswith((".c", ".h")):
            assert [line for line in text.splitlines() if len(line) > 100 and not line.startswith("/*")] == []


def test_no_source_holds_a_path_of_this_machine() -> None:
    for path, text in generated("isp_chain").items():
        assert not re.search(r"/(home|work|root|tmp)/", text), path


def test_a_chain_of_ten_nfs_stays_linear_in_size() -> None:
    one, ten = (size_of_nfs(chain_graph(f"napts/napt_{length}.chain")) for length in (1, 10))
    assert ten < 11 * one


def size_of_nfs(graph: ChainGraph) -> int:
    files = emit(graph).files
    return sum(len(text) for path, text in files.items() if path.endswith(".c") and "/" not in path)


def all_c(name: str) -> str:
    return "\n".join(text for path, text in generated(name).items() if path.endswith(".c"))
