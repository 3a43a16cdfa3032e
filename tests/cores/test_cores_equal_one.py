"""A binary on N cores does what the chain does on one: frames, times, counters, for both strategies.

The oracle is the interpreter of the chain as written, which replays the cores' choices and checks that each
was allowed.
"""

from dataclasses import dataclass
from pathlib import Path

import pytest

from synth.driver import Source, load
from synth.graph.nodes import ChainGraph
from synth.pipeline.cores import StrategyWish
from synth.traffic.random_traffic import Arrival
from tests.conftest import REPOSITORY
from tests.cores.binaries import build_cores, graph_of, plan_of, with_wrong_key
from tests.differential.harness import (
    assert_binary_equals_interpreter,
    assert_interpreter_agrees,
    run_binary,
    traffic_with_answers,
    write_inputs,
)


@dataclass(frozen=True)
class Case:
    chain: str
    strategy: StrategyWish
    some: tuple[int, ...] = (3,)
    alike: tuple[str, ...] = ()
    """Drops that the plan says may be counted as one another."""


WRONG_SERVER = ("nat.no_binding", "nat.wrong_server")
CASES = (
    Case("tests/cores/chains/firewall.chain", "shared-nothing", (2, 5)),
    Case("tests/cores/chains/firewall.chain", "locks"),
    Case("tests/cores/chains/napt_per_flow.chain", "shared-nothing", (4,), WRONG_SERVER),
    Case("tests/cores/chains/napt.chain", "shared-nothing", (3,)),
    Case("chains/isp/isp_chain.chain", "auto", (8,)),
    Case("chains/motivating/napt_firewall_lb.chain", "auto"),
)
MANY = (1, 2, 3, 4, 5, 8)


def traffic(graph: ChainGraph, folder: Path, count: int) -> list[Arrival]:
    one = build_cores(graph, None, folder / "one")
    return traffic_with_answers(graph, one, seed=11, count=count, folder=folder)


@pytest.mark.parametrize("case", CASES, ids=[f"{one.strategy}-{Path(one.chain).stem}" for one in CASES])
def test_several_cores_do_what_one_does(case: Case, tmp_path: Path, full: bool) -> None:
    graph, written = graph_of(REPOSITORY / case.chain), load(Source(path=REPOSITORY / case.chain)).graph
    arrivals = traffic(graph, tmp_path, 30_000 if full else 3_000)
    for cores in MANY if full else case.some:
        plan = plan_of(graph, cores, case.strategy) if cores > 1 else None
        binary = build_cores(graph, plan, tmp_path / f"{cores}")
        assert_binary_equals_interpreter(
            written, binary, arrivals, tmp_path / f"run{cores}", alike=case.alike
        )


def test_a_wrong_key_is_caught(tmp_path: Path) -> None:
    graph = graph_of(REPOSITORY / "tests/cores/chains/firewall.chain")
    arrivals = traffic(graph, tmp_path, 3_000)
    plan = with_wrong_key(plan_of(graph, 3, "shared-nothing"))
    run = run_binary(
        build_cores(graph, plan, tmp_path / "wrong"),
        write_inputs(graph, arrivals, tmp_path / "in"),
        tmp_path / "out",
    )
    with pytest.raises(AssertionError):
        assert_interpreter_agrees(graph, run, arrivals)
