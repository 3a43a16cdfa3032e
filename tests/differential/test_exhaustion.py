"""All four agree where state runs out and where it expires: small pools and tables, short lives."""

from collections import Counter
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

COUNT = 12_000
SMALL = {
    "chains/isp/isp_chain.chain": (
        ("nat.ports=1024..1039",),
        {"nat.no_port", "nat.no_binding"},
    ),
    "chains/napts/napt_3.chain": (
        ("nat_1.ports=1024..1055", "nat_2.ports=1024..1039", "nat_3.ports=1024..1031"),
        {"nat_1.no_port", "nat_2.no_port", "nat_3.no_port"},
    ),
    "chains/motivating/napt_firewall_lb.chain": (
        ("nat.ports=1024..1151", "firewall.capacity=6", "balancer.capacity=3"),
        {"nat.no_port", "firewall.table_full", "balancer.table_full"},
    ),
    "tests/differential/chains/per_flow.chain": (
        ("balancer.capacity=12", "firewall.capacity=8", "nat.ports=1024..1025"),
        {"firewall.table_full", "balancer.table_full", "nat.no_port"},
    ),
}


@pytest.mark.parametrize("name", SMALL)
def test_all_four_agree_where_state_runs_out_and_expires(name: str, tmp_path: Path, full: bool) -> None:
    overrides, expected = SMALL[name]
    pair = build_pair(Source(path=REPOSITORY / name, overrides=overrides), tmp_path / "built", sanitize=True)
    count = COUNT * (20 if full else 1)
    arrivals = traffic_with_answers(pair.written, pair.written_binary, seed=3, count=count, folder=tmp_path)
    run = assert_all_agree(pair, arrivals, tmp_path)
    assert_interpreter_agrees(pair.synthesized, run, arrivals)
    report = run.result.report
    print(report.text(), Counter(run.result.choices).most_common(3))
    assert expected <= set(report.drops)
    assert all(report.packets_out.values())
    # Nothing removes an entry here: a port that is handed out again had expired.
    assert max(Counter(run.result.choices).values()) > 1
