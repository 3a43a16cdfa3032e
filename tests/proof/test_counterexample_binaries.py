"""What a counterexample says of both graphs is what their binaries do with its captures."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from synth.captures import read_capture
from synth.counterexample import Counterexample
from synth.counterexample.report import Behaviour
from synth.driver import prove_result
from synth.graph.nodes import ChainGraph
from synth.reports import RunReport
from tests.differential.harness import build_graph, run_binary
from tests.proof.mutants import mutators
from tests.proof.mutants.mutators import Mutator
from tests.proof.test_counterexample import first_refused

CASES = (
    ("napts/napt_1", mutators.change_lifetime),
    ("routers/router_2", mutators.swap_branch_targets),
    ("motivating/napt_firewall_lb", mutators.lose_write),
)

Observed = tuple[dict[str, list[tuple[int, bytes]]], RunReport]


def replayed(graph: ChainGraph, found: Path, folder: Path, *, is_synthesized: bool) -> Observed:
    binary = build_graph(graph, folder, is_synthesized=is_synthesized)
    inputs = {path.stem: path for path in sorted(found.glob("*.pcap"))}
    run = run_binary(binary, inputs, folder / "out")
    left = {
        interface.name: [
            (packet.time, packet.data) for packet in read_capture(folder / "out" / f"{interface.name}.pcap")
        ]
        for interface in graph.interfaces
    }
    return left, run.result.report


def told(graph: ChainGraph, found: Counterexample, behaviour: Behaviour) -> Observed:
    left: dict[str, list[tuple[int, bytes]]] = {interface.name: [] for interface in graph.interfaces}
    for arrival, frames in zip(found.arrivals, behaviour.left, strict=True):
        assert frames is not None
        for interface, data in frames:
            left[interface].append((arrival.time, data))
    assert behaviour.report is not None
    return left, behaviour.report


@pytest.mark.parametrize(("chain", "mutator"), CASES)
def test_both_binaries_do_with_the_captures_what_the_counterexample_tells(
    chain: str, mutator: Mutator, tmp_path: Path
):
    written, result = first_refused(chain, mutator)
    report, found = prove_result(written, result, tmp_path / "found", stage=lambda _: nullcontext())
    assert not report.is_proved
    assert found is not None
    observed = replayed(written, tmp_path / "found", tmp_path / "written", is_synthesized=False)
    other = replayed(result, tmp_path / "found", tmp_path / "result", is_synthesized=True)
    assert observed == told(written, found, found.written)
    assert other == told(result, found, found.result)
    assert observed != other


def test_another_allowed_choice_is_no_counterexample(tmp_path: Path):
    """Which port a NAT takes is free: a result that takes others of the same range does nothing wrong."""
    written, result = first_refused("napts/napt_1", mutators.choose_from_another_range)
    report, found = prove_result(written, result, tmp_path / "found", stage=lambda _: nullcontext())
    assert (
        not report.is_proved
    )  # the range is smaller: the pool runs out earlier, which no short sequence shows
    assert found is None
    assert not (tmp_path / "found").exists()
