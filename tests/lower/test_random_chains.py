"""Random chains check, are lowered to sound graphs, and these mean what their trees mean."""

from pathlib import Path

import pytest

from synth.graph.text import print_graph
from synth.graph.text_parser import parse_graph
from synth.graph.verify import verify
from synth.interpreter import Interpreter
from synth.language.checker.check import check_file
from synth.language.typed import TypedChain
from synth.lower import lower
from synth.traffic.random_traffic import Traffic
from tests.lower.tree_walker import TreeWalker
from tests.random_chains import random_chain


def typed_chain(seed: int, folder: Path) -> TypedChain:
    path = folder / f"random_{seed}.chain"
    path.write_text(random_chain(seed).text, encoding="utf-8")
    chain = check_file(path).chain
    assert chain is not None
    return chain


def seeds(full: bool, few: int, many: int) -> range:
    return range(many if full else few)


def test_the_same_seed_gives_the_same_chain() -> None:
    assert random_chain(5) == random_chain(5)
    assert random_chain(5) != random_chain(6)


def test_random_chains_check_and_are_lowered_to_sound_graphs(tmp_path: Path, full: bool) -> None:
    for seed in seeds(full, 25, 1000):
        graph = lower(typed_chain(seed, tmp_path))
        verify(graph)
        text = print_graph(graph)
        assert print_graph(parse_graph(text)) == text, f"seed {seed}"


def test_a_graph_means_what_its_tree_means(tmp_path: Path, full: bool) -> None:
    for seed in seeds(full, 40, 1000):
        chain = typed_chain(seed, tmp_path)
        graph = lower(chain)
        walker, interpreter = TreeWalker(chain, graph), Interpreter(graph)
        for arrival in Traffic(graph, seed).random(60):
            expected = walker.receive(arrival.interface, arrival.data, arrival.time)
            found = interpreter.receive(arrival.interface, arrival.data, arrival.time)
            if found != expected:
                pytest.fail(f"seed {seed}, {arrival.interface}, {arrival.data.hex()}")
        report = interpreter.report()
        assert report.drops == walker.drops, f"seed {seed}"
        assert report.generated == walker.generated, f"seed {seed}"
        assert report.counters == {name: one.value for name, one in walker.state.counters.items()}
