"""Chain and synthesized chain, interpreted and as binaries: all four do the same.

Frames, counters, accounting and choices, over sequences of packets that create state and use it.
`test_exhaustion.py` has those that exhaust and expire it.
"""

from pathlib import Path

import pytest

from synth.captures import read_capture
from synth.diagnostics.diagnostic import UserError
from synth.driver import Source
from synth.graph.nodes import ChainGraph
from tests.conftest import REPOSITORY
from tests.differential.harness import (
    Pair,
    assert_all_agree,
    assert_interpreter_agrees,
    build_pair,
    in_replay_order,
    traffic_with_answers,
)
from tests.traffic import Arrival

EXAMPLES = sorted(
    path.relative_to(REPOSITORY).as_posix()
    for path in (REPOSITORY / "chains").glob("*/*.chain")
    if path.parent.name != "nf"
)


@pytest.fixture(scope="session", params=EXAMPLES)
def example(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Pair:
    """An example chain, built both ways; pytest runs all tests of one before the next is built."""
    source = Source(path=REPOSITORY / request.param)
    return build_pair(source, tmp_path_factory.mktemp("built"))


@pytest.fixture(scope="session")
def captured_frames(shared_data: Path) -> list[bytes]:
    """The frames of all public captures of Ethernet."""
    frames: list[bytes] = []
    for path in sorted(file for file in (shared_data / "pcaps").rglob("*") if file.is_file()):
        try:
            frames += [packet.data for packet in read_capture(path)]
        except UserError:
            continue  # not Ethernet, or no capture: refused, as test_captures.py shows
    return frames


def test_both_binaries_and_the_interpreter_agree_on_random_traffic(
    example: Pair, tmp_path: Path, full: bool
) -> None:
    count = 1_000_000 if full else 100_000
    arrivals = traffic_with_answers(
        example.written, example.written_binary, seed=7, count=count, folder=tmp_path
    )
    assert len(arrivals) >= count * 0.95
    run = assert_all_agree(example, arrivals, tmp_path)
    assert all(run.result.report.packets_out.values())


def test_both_binaries_and_both_interpreters_agree_on_all_public_captures(
    example: Pair, tmp_path: Path, captured_frames: list[bytes]
) -> None:
    arrivals = in_replay_order(example.written, in_turn(example.written, captured_frames))
    assert len(arrivals) > 8_000
    run = assert_all_agree(example, arrivals, tmp_path)
    assert_interpreter_agrees(example.synthesized, run, arrivals)


def in_turn(graph: ChainGraph, frames: list[bytes]) -> list[Arrival]:
    """Return the frames in turn on each interface, one after another in time."""
    names = [interface.name for interface in graph.interfaces]
    return [
        Arrival(names[number % len(names)], 1_000_000 * number, data) for number, data in enumerate(frames)
    ]
