"""Mutants of chains whose routers send ICMP errors: a wrong error is not proved."""

import pytest

from synth.driver import Source, load
from synth.graph.nodes import ChainGraph
from synth.proof.validate import prove
from synth.synthesis import synthesize
from tests.conftest import REPOSITORY
from tests.proof.mutants import mutators
from tests.proof.mutants.test_mutants import check_dies_or_is_equal, mutants
from tests.synthesis.passes import small_graph

CHAINS = {
    "isp/isp_chain": ("router.address=100.64.0.1",),
    "routers/router_2": ("router_1.address=172.16.0.2", "router_2.address=172.16.2.1"),
}
OF_ERRORS = (
    mutators.make_another_error,
    mutators.quote_before_the_last_write,
    mutators.exchange_errors,
    mutators.change_constant,
    mutators.lose_write,
)


def written(chain: str) -> ChainGraph:
    return load(Source(path=REPOSITORY / "chains" / f"{chain}.chain", overrides=CHAINS[chain])).graph


@pytest.mark.parametrize("chain", CHAINS)
def test_chains_that_send_errors_are_proved_and_their_mutants_are_not(chain: str, full: bool) -> None:
    graph = written(chain)
    result = synthesize(graph).graph
    assert prove(graph, result).is_proved
    dead = {
        mutator.__name__
        for mutator in (mutators.ALL if full else OF_ERRORS)
        for mutant in mutants(result, mutator, 1, 4)
        if check_dies_or_is_equal(graph, mutant, mutator.__name__)
    }
    assert dead >= {"make_another_error", "exchange_errors", "change_constant", "lose_write"}


QUOTING = """
block a.in(%0: packet):
  %1: bool = has %0 tcp
  %7: bool = has %0 ipv4
  %8: bool = and %1 %7
  branch %8 -> a.told() | a.no()
block a.no():
  deliver drop a.no
block a.told():
  %2: u32 = read %0 ipv4.dst
  %3: packet = write %0 ipv4.src %2
  %4: u16 = constant 1400
  %5: packet = icmp_error %3 fragmentation_needed %2 %4
  %6: packet = write %5 ipv4.src %2
  deliver exit wan(%6), exit lan(%3) drop a.told
"""


def test_every_part_of_an_error_is_compared() -> None:
    """What it quotes is the packet as it was written; source, MTU and fields are those of the error."""
    graph = small_graph(QUOTING)
    assert prove(graph, graph).is_proved
    for mutator in (*OF_ERRORS, mutators.swap_arguments, mutators.reorder_emissions):
        for mutant in mutants(graph, mutator, 1, 50):
            check_dies_or_is_equal(graph, mutant, mutator.__name__)
    for mutator in (
        mutators.quote_before_the_last_write,
        mutators.make_another_error,
        mutators.change_constant,
    ):
        assert all(not prove(graph, mutant).is_proved for mutant in mutants(graph, mutator, 1, 50))
