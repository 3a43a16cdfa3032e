"""The C of random graphs does what the interpreter does."""

from pathlib import Path

from tests.codegen.cores import assert_same_as_interpreter, compile_core
from tests.codegen.random_graphs import random_graph, tcp_arrivals


def test_generated_c_equals_the_interpreter_on_random_graphs(tmp_path: Path, full: bool) -> None:
    for seed in range(400 if full else 8):
        graph = random_graph(seed)
        core = compile_core(graph, tmp_path / str(seed))
        assert_same_as_interpreter(graph, core, tcp_arrivals(seed, 60))
