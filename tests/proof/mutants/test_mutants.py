"""The mutation suite: what a faulty pass could do to a graph must not be proved.

Each mutant differs from the synthesized chain, or from the chain as written, in one small thing. One that is
proved all the same may only be one that changes nothing, at a place that no packet reaches or in a value that
nobody uses: then traffic does not tell it apart either.
"""

import random
from collections.abc import Iterator

import pytest

from synth.graph.nodes import ChainGraph
from synth.graph.text import print_graph
from synth.graph.text_parser import parse_graph
from synth.proof.validate import prove
from tests.proof.chains import as_written, synthesized
from tests.proof.mutants import mutators
from tests.proof.mutants.mutators import Mutator, is_well_formed
from tests.synthesis.passes import check_equal, small_graph

CHAINS = ("napts/napt_1", "routers/router_2", "motivating/napt_firewall_lb")
LEAST_DEAD = 25  # of each chain; a chain of routers has no tables to break

FORKS = """
block a.in(%0: packet):
  %1: u8 = constant 1
  %2: u8 = vector_read turn %1
  vector_write turn %1 (%1)
  %3: u48 = resize %2
  %4: packet = write %0 eth.dst %3
  %5: u64 = constant 1
  count seen %5
  deliver exit lan(%0), b.in(%4), exit wan(%0)
block b.in(%6: packet):
  %7: u48 = read %6 eth.src
  %8: u48 = constant 281474976710655
  %9: bool = eq %7 %8
  %10: bool = not %9
  branch %10 -> b.on() | b.no()
block b.on():
  %11: packet = write %6 eth.src %8
  deliver exit wan(%11), exit lan(%6)
block b.no():
  deliver drop b.no
"""


def mutants(graph: ChainGraph, mutator: Mutator, seed: int, most: int) -> Iterator[ChainGraph]:
    found = list(mutator(graph))
    random.Random(seed).shuffle(found)
    some = (mutant for mutant in found if is_well_formed(mutant))
    for _, mutant in zip(range(most), some, strict=False):
        yield mutant


def check_dies_or_is_equal(written: ChainGraph, result: ChainGraph, name: str) -> bool:
    """Tell whether a pair is refused; check that traffic finds nothing in one that is not."""
    if not prove(written, result).is_proved:
        return True
    try:
        check_equal(written, result, rounds=12)
    except Exception as error:
        raise AssertionError(f"a mutant is proved, and differs: {name}") from error
    return False


@pytest.mark.parametrize("chain", CHAINS)
def test_no_mutant_of_a_synthesized_chain_is_proved(chain: str, full: bool):
    written, result = as_written(chain), synthesized(chain)
    assert prove(written, result).is_proved
    dead = survived = 0
    for number, mutator in enumerate(mutators.ALL):
        for mutant in mutants(result, mutator, number, 12 if full else 2):
            is_dead = check_dies_or_is_equal(written, mutant, mutator.__name__)
            dead, survived = dead + is_dead, survived + (not is_dead)
    assert dead >= LEAST_DEAD
    assert survived <= dead // 4


@pytest.mark.parametrize("chain", CHAINS[:2])
def test_a_chain_is_not_proved_against_the_result_of_another(chain: str, full: bool):
    written, result = as_written(chain), synthesized(chain)
    dead = 0
    for number, mutator in enumerate(mutators.ALL):
        for mutant in mutants(written, mutator, number, 12 if full else 2):
            dead += check_dies_or_is_equal(mutant, result, mutator.__name__)
    assert dead >= LEAST_DEAD


def test_no_mutant_of_a_graph_that_forks_is_proved():
    graph = small_graph(FORKS, "handler b.in nf b side in")
    assert prove(graph, graph).is_proved
    dead = {
        mutator.__name__
        for mutator in mutators.ALL
        for mutant in mutants(graph, mutator, 1, 50)
        if check_dies_or_is_equal(graph, mutant, mutator.__name__)
    }
    assert dead >= {"reorder_emissions", "send_twice", "repeat_state_operation", "lose_negation"}


NAMED = {
    "rules that changed places": ("motivating/napt_firewall_lb", mutators.swap_rules),
    "a rule that is needed, left out": ("motivating/napt_firewall_lb", mutators.look_at_a_rule_less),
    "a match taken for the verdict": ("motivating/napt_firewall_lb", mutators.ask_for_a_match),
    "a lost negation": ("napts/napt_1", mutators.lose_negation),
    "the old TTL, or another field as it was": ("routers/router_1", mutators.write_what_was_there),
    "a lost write, whose checksum is stale": ("routers/router_1", mutators.lose_write),
    "a lost refresh": ("motivating/napt_firewall_lb", mutators.lose_state_operation),
    "a lifetime that is a nanosecond longer": ("napts/napt_2", mutators.change_lifetime),
    "a port range of another NAT": ("napts/napt_2", mutators.choose_from_another_range),
    "a budget that is not counted": ("routers/router_2", mutators.skip_budget),
    "another budget": ("routers/router_2", mutators.change_budget),
    "a table that is one entry smaller": ("napts/napt_1", mutators.change_capacity),
    "another way out": ("routers/router_2", mutators.leave_on_another_interface),
    "another reason to drop": ("routers/router_2", mutators.drop_for_another_reason),
    "a route less": ("routers/router_2", mutators.lose_route),
    "another MAC address": ("routers/router_1", mutators.change_mac),
}


@pytest.mark.parametrize("what", NAMED)
def test_a_named_mutant_dies(what: str):
    chain, mutator = NAMED[what]
    written = as_written(chain)
    assert any(
        check_dies_or_is_equal(written, mutant, what) for mutant in mutants(synthesized(chain), mutator, 3, 3)
    )


def test_k_decrements_are_not_one():
    """Two routers in a row without a loop: their result subtracts 2, and one that subtracts 1 is refused."""
    text = """
    block a.in(%0: packet):
      %1: bool = has %0 ipv4
      branch %1 -> a.on() | a.no()
    block a.no():
      deliver drop a.no
    block a.on():
      %2: u8 = read %0 ipv4.ttl
      {less}
      deliver exit wan({packet})
    """
    two = """%3: u8 = constant 1
      %4: u8 = sub %2 %3
      %5: packet = write %0 ipv4.ttl %4
      %6: u8 = read %5 ipv4.ttl
      %7: u8 = sub %6 %3
      %8: packet = write %5 ipv4.ttl %7"""
    written = small_graph(text.format(less=two, packet="%8"))
    for less, is_right in ((1, False), (2, True), (3, False)):
        once = f"""%3: u8 = constant {less}
      %4: u8 = sub %2 %3
      %8: packet = write %0 ipv4.ttl %4"""
        result = small_graph(text.format(less=once, packet="%8"))
        assert prove(written, result).is_proved is is_right


def test_a_mutant_stays_a_graph_of_its_own():
    graph = as_written("napts/napt_1")
    before = print_graph(graph)
    for mutator in mutators.ALL:
        assert all(mutant != graph for mutant in mutator(graph)), mutator.__name__
    assert print_graph(graph) == before
    assert parse_graph(before) == graph
