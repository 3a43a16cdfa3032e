"""Random chains, as written and synthesized, under ASan and UBSan; most of them are proved."""

from pathlib import Path

import pytest

from synth.driver import Source, load
from synth.proof.validate import prove
from synth.synthesis import synthesize
from tests.differential.harness import (
    assert_all_agree,
    assert_interpreter_agrees,
    build_pair,
    traffic_with_answers,
)
from tests.random_chains import random_chain

CHAINS = 6
CHAINS_FULL = 150
PROVED_ONLY = range(200, 240)
LEAST_PROVED = 0.6
"""A random chain uses every construct with every other; what is not proved is built as written."""


@pytest.mark.parametrize("seed", range(CHAINS))
def test_all_four_agree_on_a_random_chain_under_sanitizers(seed: int, tmp_path: Path) -> None:
    all_agree(seed, tmp_path, count=3_000)


def test_all_four_agree_on_many_random_chains(tmp_path: Path, full: bool) -> None:
    for seed in range(CHAINS, CHAINS + (CHAINS_FULL if full else 1)):
        all_agree(seed, tmp_path / str(seed), count=20_000)


def test_most_random_chains_are_proved(tmp_path: Path, full: bool) -> None:
    """Those that are not are compared all the same: the tests above build them, proved or not."""
    seeds = range(CHAINS_FULL) if full else PROVED_ONLY
    proved = 0
    for seed in seeds:
        written = load(source_of(seed, tmp_path)).graph
        proved += prove(written, synthesize(written).graph).is_proved
    assert proved >= LEAST_PROVED * len(seeds)


def source_of(seed: int, folder: Path) -> Source:
    folder.mkdir(exist_ok=True)
    path = folder / "chain.chain"
    path.write_text(random_chain(seed).text, encoding="utf-8")
    return Source(path=path)


def all_agree(seed: int, folder: Path, *, count: int) -> None:
    pair = build_pair(source_of(seed, folder), folder / "built", sanitize=True)
    arrivals = traffic_with_answers(pair.written, pair.written_binary, seed=seed, count=count, folder=folder)
    run = assert_all_agree(pair, arrivals, folder)
    assert_interpreter_agrees(pair.synthesized, run, arrivals)
