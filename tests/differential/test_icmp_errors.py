"""All four agree where routers send ICMP errors, in chains with cycles and behind a NAT."""

from pathlib import Path

import pytest

from synth.driver import Source
from tests.conftest import REPOSITORY
from tests.differential.harness import (
    assert_all_agree,
    assert_interpreter_agrees,
    build_pair,
    traffic_with_answers,
)

CHAINS = {
    "isp/isp_chain": ("router.address=100.64.0.1", "router.error_senders=8", "nat.ports=1024..1039"),
    "routers/router_2": ("router_1.address=172.16.0.2", "router_2.address=172.16.2.1"),
}


@pytest.mark.parametrize("chain", CHAINS)
def test_all_four_send_the_same_errors(chain: str, tmp_path: Path, full: bool) -> None:
    source = Source(path=REPOSITORY / "chains" / f"{chain}.chain", overrides=CHAINS[chain])
    pair = build_pair(source, tmp_path / "built", sanitize=True)
    count = 60_000 if full else 3_000
    arrivals = traffic_with_answers(pair.written, pair.written_binary, seed=8, count=count, folder=tmp_path)
    run = assert_all_agree(pair, arrivals, tmp_path)
    assert_interpreter_agrees(pair.synthesized, run, arrivals)
    assert run.result.report.generated > 10
