"""All four agree where state runs out and where it expires: small pools and tables, short lives."""

from collections import Counter
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Small:
    """A chain with little room, and the drops that must occur for want of it."""

    chain: str
    overrides: tuple[str, ...]
    drops: frozenset[str]
    count: int = 12_000


SMALL = (
    Small(
        "chains/isp/isp_chain.chain",
        ("nat.ports=1024..1039",),
        frozenset({"nat.no_port", "nat.no_binding"}),
    ),
    Small(
        "chains/napts/napt_3.chain",
        ("nat_1.ports=1024..1055", "nat_2.ports=1024..1039", "nat_3.ports=1024..1031"),
        frozenset({"nat_1.no_port", "nat_2.no_port", "nat_3.no_port"}),
    ),
    Small(
        "chains/motivating/napt_firewall_lb.chain",
        ("nat.ports=1024..1279", "firewall.capacity=12", "balancer.capacity=2"),
        frozenset({"nat.no_port", "firewall.table_full", "balancer.table_full"}),
        count=24_000,
    ),
    Small(
        "tests/differential/chains/per_flow.chain",
        ("balancer.capacity=12", "firewall.capacity=6", "nat.ports=1024..1025"),
        frozenset({"balancer.table_full", "firewall.table_full", "nat.no_port"}),
    ),
    Small(
        "tests/differential/chains/watched.chain",
        (
            "scans.ports=1..2",
            "scans.hosts=1..2",
            "scans.capacity=80",
            "limiter.most=1..6",
            "limiter.capacity=100",
            "sketched.most=2",
            "sketched.capacity=20",
            "ports.most=2",
            "ports.capacity=8",
            "hitters.capacity=4",
        ),
        frozenset(
            {
                "scans.horizontal_scan",
                "scans.table_full",
                "limiter.too_many",
                "limiter.table_full",
                "sketched.too_many",
                "sketched.table_full",
                "ports.scanning",
                "ports.table_full",
                "mirror.from_monitor",
            }
        ),
    ),
    Small(
        "tests/differential/chains/translated.chain",
        (
            "first.ports=1024..1063",
            "second.pairs=512..515",
            "firewall.capacity=60",
            "down.capacity=4",
            "up.capacity=30",
        ),
        frozenset(
            {
                "first.no_port",
                "second.no_port",
                "firewall.table_full",
                "down.table_full",
                "up.too_fast",
            }
        ),
    ),
)


@pytest.mark.parametrize("small", SMALL, ids=[small.chain for small in SMALL])
def test_all_four_agree_where_state_runs_out_and_expires(small: Small, tmp_path: Path, full: bool) -> None:
    source = Source(path=REPOSITORY / small.chain, overrides=small.overrides)
    pair = build_pair(source, tmp_path / "built", sanitize=full)
    count = small.count * (20 if full else 1)
    arrivals = traffic_with_answers(pair.written, pair.written_binary, seed=3, count=count, folder=tmp_path)
    run = assert_all_agree(pair, arrivals, tmp_path)
    assert_interpreter_agrees(pair.synthesized, run, arrivals)
    assert small.drops <= set(run.result.report.drops)
    assert all(run.result.report.packets_out.values())
    # Nothing removes an entry here: a port that is handed out again had expired.
    assert max(Counter(run.result.choices).values()) > 1
