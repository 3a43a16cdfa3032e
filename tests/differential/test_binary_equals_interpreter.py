"""The binary as written against the interpreter: frames, counters, accounting, choices."""

from collections.abc import Callable
from pathlib import Path

import pytest

from synth.captures import read_capture
from synth.diagnostics.diagnostic import UserError
from synth.graph.nodes import ChainGraph
from tests.conftest import REPOSITORY
from tests.differential.harness import (
    assert_binary_equals_interpreter,
    build_chain,
    in_replay_order,
    traffic_with_answers,
)
from tests.random_chains import random_chain
from tests.traffic import Arrival

EXAMPLES = sorted(
    path.relative_to(REPOSITORY).as_posix()
    for path in (REPOSITORY / "chains").glob("*/*.chain")
    if path.parent.name != "nf"
)
RANDOM_CHAINS = 12
RANDOM_CHAINS_FULL = 150
Built = tuple[ChainGraph, Path]


@pytest.fixture(scope="session")
def built_example(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Built]:
    built: dict[str, Built] = {}

    def get(example: str) -> Built:
        if example not in built:
            built[example] = build_chain(REPOSITORY / example, tmp_path_factory.mktemp("built"))
        return built[example]

    return get


@pytest.mark.parametrize("example", EXAMPLES)
def test_binary_and_interpreter_agree_on_random_traffic(
    example: str, built_example: Callable[[str], Built], tmp_path: Path, full: bool
) -> None:
    graph, binary = built_example(example)
    count = 1_000_000 if full else 100_000
    arrivals = traffic_with_answers(graph, binary, seed=7, count=count, folder=tmp_path)
    assert len(arrivals) >= count * 0.95
    assert_binary_equals_interpreter(graph, binary, arrivals, tmp_path)


@pytest.mark.parametrize("example", EXAMPLES)
def test_binary_and_interpreter_agree_on_all_public_captures(
    example: str, built_example: Callable[[str], Built], tmp_path: Path, shared_data: Path
) -> None:
    graph, binary = built_example(example)
    arrivals = in_replay_order(graph, captured_arrivals(graph, shared_data / "pcaps"))
    assert len(arrivals) > 8_000
    assert_binary_equals_interpreter(graph, binary, arrivals, tmp_path)


def captured_arrivals(graph: ChainGraph, folder: Path) -> list[Arrival]:
    """Return the frames of all Ethernet captures, in turn on each interface, one after another in time."""
    names = [interface.name for interface in graph.interfaces]
    arrivals: list[Arrival] = []
    for path in sorted(file for file in folder.rglob("*") if file.is_file()):
        try:
            packets = list(read_capture(path))
        except UserError:
            continue  # not Ethernet, or no capture: refused, as test_captures.py shows
        for packet in packets:
            number = len(arrivals)
            arrivals.append(Arrival(names[number % len(names)], 1_000_000 * number, packet.data))
    return arrivals


@pytest.mark.parametrize("seed", range(RANDOM_CHAINS))
def test_binary_and_interpreter_agree_on_a_random_chain_under_sanitizers(seed: int, tmp_path: Path) -> None:
    agree_on_random_chain(seed, tmp_path, count=3_000)


def test_binary_and_interpreter_agree_on_many_random_chains(tmp_path: Path, full: bool) -> None:
    last = RANDOM_CHAINS + (RANDOM_CHAINS_FULL if full else 2)
    for seed in range(RANDOM_CHAINS, last):
        agree_on_random_chain(seed, tmp_path / str(seed), count=20_000)


def agree_on_random_chain(seed: int, folder: Path, *, count: int) -> None:
    folder.mkdir(exist_ok=True)
    source = folder / "chain.chain"
    source.write_text(random_chain(seed).text, encoding="utf-8")
    graph, binary = build_chain(source, folder / "built", sanitize=True)
    arrivals = traffic_with_answers(graph, binary, seed=seed, count=count, folder=folder)
    assert_binary_equals_interpreter(graph, binary, arrivals, folder)
