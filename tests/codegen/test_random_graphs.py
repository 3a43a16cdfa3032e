"""The C of random graphs does what the interpreter does."""

from pathlib import Path

import pytest

from synth.synthesis import synthesize
from tests.codegen.cores import assert_same_as_interpreter, compile_core
from tests.codegen.random_graphs import random_graph, tcp_arrivals


@pytest.mark.parametrize("is_synthesized", [False, True])
def test_both_forms_of_c_equal_the_interpreter_on_random_graphs(
    is_synthesized: bool, tmp_path: Path, full: bool
) -> None:
    for seed in range(400 if full else 8):
        graph = random_graph(seed)
        core = compile_core(graph, tmp_path / str(seed), is_synthesized=is_synthesized)
        assert_same_as_interpreter(graph, core, tcp_arrivals(seed, 60))


def test_the_c_of_synthesized_random_graphs_equals_the_interpreter_of_the_original(
    tmp_path: Path, full: bool
) -> None:
    for seed in range(400 if full else 8):
        graph = random_graph(seed)
        core = compile_core(synthesize(graph).graph, tmp_path / str(seed), is_synthesized=True)
        assert_same_as_interpreter(graph, core, tcp_arrivals(seed, 60))


@pytest.mark.parametrize("bits", [0, 2])
def test_flows_that_take_each_others_memos_change_nothing(bits: int, tmp_path: Path, full: bool) -> None:
    for seed in range(400 if full else 8):
        graph = random_graph(seed)
        flags = ("-O1", "-w", f"-DFLOW_CACHE_BITS={bits}")
        core = compile_core(graph, tmp_path / str(seed), flags=flags, is_synthesized=True)
        assert_same_as_interpreter(graph, core, tcp_arrivals(seed, 60))
