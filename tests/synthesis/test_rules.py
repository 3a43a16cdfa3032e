"""Rule sets: tests of a match that the verdict answers, and rules that decide nothing."""

from synth.graph.nodes import ChainGraph, RuleTable
from synth.graph.text import print_graph
from synth.graph.text_parser import parse_graph
from synth.graph.verify import verify
from synth.synthesis import synthesize
from synth.synthesis.idle_rules import idle_rules
from synth.synthesis.verdicts import ask_verdicts
from tests.proof.chains import as_written
from tests.synthesis.passes import check_becomes, check_equal, check_unchanged, small_graph

RULES = """
rules s {
  permit 10.0.0.0/8 0.0.0.0/0 protocol 0/0 sport 0..65535 dport 0..65535 flags 0x0/0x0
  deny 10.1.0.0/16 0.0.0.0/0 protocol 6/255 sport 0..65535 dport 0..65535 flags 0x0/0x0
  deny 11.0.0.0/8 0.0.0.0/0 protocol 0/0 sport 0..65535 dport 0..65535 flags 0x0/0x0
  permit 12.1.0.0/16 0.0.0.0/0 protocol 17/255 sport 0..65535 dport 53..53 flags 0x0/0x0
  permit 12.0.0.0/8 0.0.0.0/0 protocol 0/0 sport 0..65535 dport 0..65535 flags 0x0/0x0
  deny 0.0.0.0/0 10.0.0.0/8 protocol 0/0 sport 0..65535 dport 0..65535 flags 0x0/0x0
  permit 13.0.0.0/8 0.0.0.0/0 protocol 0/0 sport 0..65535 dport 0..65535 flags 0x0/0x0
}
"""

BOTH = """
block a.in(%0: packet):
  %1: bool = has %0 ipv4
  branch %1 -> a.on() | a.no()

block a.no():
  deliver drop a.no

block a.on():
  %2: bool, %3: bool, %4: u32 = decide s %0
  branch %2 -> a.one() | a.no()

block a.one():
  branch %3 -> a.out() | {no}()

block a.out():
  deliver exit wan(%0)
"""

OTHER = (
    BOTH.format(no="a.other")
    + """
block a.other():
  deliver drop a.other
"""
)

VERDICT = """
block a.in(%0: packet):
  %1: bool = has %0 ipv4
  branch %1 -> a.on() | a.no()

block a.on():
  %2: bool, %3: bool, %4: u32 = decide s %0
  branch %3 -> a.out() | a.no()

block a.out():
  deliver exit wan(%0)

block a.no():
  deliver drop a.no
"""


def live(graph: ChainGraph) -> tuple[int, ...] | None:
    return next(state.live for state in graph.states if isinstance(state, RuleTable))


def test_a_match_is_not_asked_for_where_the_verdict_says_as_much():
    outcome = check_becomes(ask_verdicts, BOTH.format(no="a.no"), VERDICT, states=RULES)
    assert [remark.pass_name for remark in outcome.remarks] == ["verdicts"]


def test_a_match_is_asked_for_where_a_denial_has_another_reason():
    check_unchanged(ask_verdicts, OTHER, states=RULES)


def idle_of(blocks: str) -> tuple[ChainGraph, tuple[int, ...] | None]:
    graph = small_graph(blocks, states=RULES)
    outcome = idle_rules(graph)
    verify(outcome.graph, is_synthesized=True)
    check_equal(graph, outcome.graph)
    assert idle_rules(outcome.graph).graph is outcome.graph
    assert parse_graph(print_graph(outcome.graph)) == outcome.graph
    return outcome.graph, live(outcome.graph)


def test_a_rule_behind_one_that_takes_all_of_its_packets_is_idle():
    _, live_rules = idle_of(OTHER)
    assert live_rules == (0, 2, 3, 4, 5, 6)


def test_where_only_the_verdict_counts_equal_effects_give_way_to_each_other():
    """Rule 2 denies what no rule takes; 4 permits what 3 does. 5 denies what 6 would permit: it stays."""
    graph, live_rules = idle_of(VERDICT)
    assert live_rules == (0, 4, 5, 6)
    assert "  idle deny 11.0.0.0/8" in print_graph(graph)


def test_the_remark_on_an_idle_rule_names_the_rule_that_decides():
    remarks = [r for r in synthesize(as_written("isp/isp_chain")).remarks if r.pass_name == "idle_rules"]
    assert len(remarks) == 44
    shadowed = [one for one in remarks if one.text.startswith("rule of acl.rules never decides")]
    assert len(shadowed) == 43
    assert all(one.cause is not None and one.cause.line < one.place.line for one in shadowed)
