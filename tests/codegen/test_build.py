"""Building: one binary, whole or not at all; what does not depend on the chain is compiled once."""

import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from synth.codegen import SourceTree, ToolchainError, build, emit
from synth.graph.nodes import ChainGraph
from synth.interpreter import Interpreter
from synth.traffic.random_traffic import Traffic
from tests.codegen.graphs import GRAPHS, any_graph
from tests.differential.harness import assert_binary_equals_interpreter, in_replay_order


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of objects that the tests of this file share."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _own_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))


def steps_of(tree: SourceTree, out: Path) -> list[str]:
    """Build, and return what was reported as progress."""
    steps: list[str] = []
    build(tree, out, name="chain", progress=steps.append)
    return steps


@pytest.mark.parametrize("is_synthesized", [False, True])
@pytest.mark.parametrize("name", GRAPHS)
def test_both_forms_of_a_hand_made_graph_equal_the_interpreter(
    name: str, is_synthesized: bool, tmp_path: Path
) -> None:
    graph = any_graph(name)
    built = build(emit(graph, is_synthesized=is_synthesized), tmp_path, name=name)
    assert built.path == tmp_path / name
    arrivals = in_replay_order(graph, Traffic(graph, seed=3).random(1500))
    assert_binary_equals_interpreter(graph, built.path, arrivals, tmp_path / "run")


def test_a_second_build_compiles_only_what_the_chain_made(tmp_path: Path) -> None:
    tree = emit(any_graph("flood"))
    steps_of(tree, tmp_path / "first")
    again = steps_of(tree, tmp_path / "second")
    assert sorted(again) == [*sorted(f"compile {unit}" for unit in tree.units), "link chain"]


def test_builds_at_one_time_do_not_disturb_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    tree = emit(any_graph("flood"))
    with ThreadPoolExecutor(2) as workers:
        built = list(workers.map(lambda out: build(tree, tmp_path / out, name="chain"), ("a", "b")))
    assert all(one.path.stat().st_size for one in built)
    assert not list((tmp_path / "empty").rglob("*.part"))


def test_a_failed_build_leaves_the_old_one_and_nothing_else(tmp_path: Path) -> None:
    tree = emit(any_graph("flood"))
    build(tree, tmp_path, name="chain")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    broken = replace(tree, files={**tree.files, "hub.c": b"this is no C\n"})
    with pytest.raises(ToolchainError) as failed:
        build(broken, tmp_path, name="chain")
    assert failed.value.command[0] == "gcc"
    assert "hub.c:1" in failed.value.output
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_missing_compiler_is_a_toolchain_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(ToolchainError) as failed:
        build(emit(any_graph("flood")), tmp_path, name="chain", cc="no-such-cc")
    assert "`no-such-cc` is not installed" in failed.value.output
    assert list(tmp_path.iterdir()) == []


def test_the_generated_makefile_builds_the_chain_by_hand(tmp_path: Path) -> None:
    built = build(emit(any_graph("flood")), tmp_path, name="chain")
    subprocess.run(["make", "-s", "-f", "build.mk", "CFLAGS=-O0"], cwd=built.sources, check=True)
    assert (built.sources / "flood").exists()


def test_a_binary_for_another_machine_is_compiled_for_it(tmp_path: Path) -> None:
    steps: list[str] = []
    build(emit(any_graph("flood")), tmp_path, name="chain", march="x86-64-v2", progress=steps.append)
    assert any(step.startswith("compile runtime/") for step in steps)


def test_the_interpreter_and_the_core_name_the_same_drops() -> None:
    graph: ChainGraph = any_graph("lookups")
    oracle = Interpreter(graph)
    oracle.receive("b", bytes(60), 1)
    oracle.receive("a", bytes(5), 1)
    texts = emit(graph).files["core.c"].decode()
    for name in oracle.report().drops:
        assert f'"{name}"' in texts


@pytest.mark.parametrize(
    "variables", [{"XDG_CACHE_HOME": "/dev/null/cache"}, {"XDG_CACHE_HOME": "", "HOME": "nowhere"}]
)
def test_objects_that_cannot_be_kept_are_told_and_the_binary_is_built(
    variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    built = build(emit(any_graph("flood")), tmp_path, name="chain")
    assert subprocess.run((built.path, "--help"), check=False, capture_output=True).returncode == 0
    assert [warning.code for warning in built.warnings] == ["W610"]
    assert built.warnings[0].message.endswith(": Not a directory")
