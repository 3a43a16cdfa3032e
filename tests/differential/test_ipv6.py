"""IPv6: chain and synthesized chain, interpreted and as binaries under sanitizers, do the same."""

from pathlib import Path

import pytest

from synth.captures import read_capture
from synth.diagnostics.diagnostic import UserError
from synth.driver import Source
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


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    source = Source(path=REPOSITORY / "tests/differential/chains/ipv6.chain")
    return build_pair(source, tmp_path_factory.mktemp("built"), sanitize=True)


REACHED = (
    "filter.not_of_the_site", "filter.full", "filter.unsolicited", "filter.icmpv6_error",
    "filter.later_fragment", "filter.first_fragment", "filter.unknown_transport", "filter.not_ipv6",
    "filter.marked", "alias.hop_limit", "lan.ipv6_length", "lan.ipv6_version",
)  # fmt: skip


def test_all_four_agree_on_random_ipv6_traffic(pair: Pair, tmp_path: Path, full: bool) -> None:
    count = 500_000 if full else 6_000
    arrivals = traffic_with_answers(pair.written, pair.written_binary, seed=6, count=count, folder=tmp_path)
    run = assert_all_agree(pair, arrivals, tmp_path)
    assert_interpreter_agrees(pair.synthesized, run, arrivals)
    assert all(run.result.report.packets_out.values())
    counted = run.result.report.drops | run.result.report.counters
    assert [name for name in REACHED if not counted.get(name)] == []


def test_all_four_agree_on_the_public_ipv6_captures(pair: Pair, shared_data: Path, tmp_path: Path) -> None:
    frames: list[bytes] = []
    for path in sorted(file for file in (shared_data / "pcaps").rglob("*") if file.is_file()):
        try:
            frames += [packet.data for packet in read_capture(path) if b"\x86\xdd" in packet.data[12:24]]
        except UserError:
            continue  # not Ethernet, or no capture
    assert len(frames) > 500
    names = ("lan", "wan")
    arrivals = [Arrival(names[at % 2], 1_000_000 * at, data) for at, data in enumerate(frames)]
    run = assert_all_agree(pair, in_replay_order(pair.written, arrivals), tmp_path)
    assert run.result.report.drops["filter.unknown_transport"] > 0
