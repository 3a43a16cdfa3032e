"""Pairs of graphs that differ, each in one thing that a faulty pass could do: none of them may be proved."""

from dataclasses import replace

from synth.graph.nodes import ChainGraph
from synth.proof.validate import Proof, prove
from tests.synthesis.passes import small_graph

B = "handler b.in nf b side in"


def check_refused(written: str, result: str, *says: str, handlers: str = "") -> None:
    """Check that each graph equals itself, and that they are told apart, and why."""
    first, second = small_graph(written, handlers), small_graph(result, handlers)
    drops = tuple(dict.fromkeys((*first.drops, *second.drops)))
    first, second = replace(first, drops=drops), replace(second, drops=drops)
    assert prove(first, first).is_proved
    assert prove(second, second).is_proved
    assert not prove(second, first).is_proved
    proof = prove(first, second)
    assert not proof.is_proved
    assert all(any(word in failure for failure in proof.failures) for word in says), proof.failures


TWO_HOPS = """
block a.in(%0: packet):
  %1: bool = has %0 ipv4
  branch %1 -> a.hop() | a.no()
block a.no():
  deliver drop a.no
block a.hop():
  %2: u8 = read %0 ipv4.ttl
  %3: u8 = constant {limit}
  %4: bool = le %2 %3
  branch %4 -> a.dead() | a.on()
block a.dead():
  deliver drop a.dead
block a.on():
  %5: u8 = constant {less}
  %6: u8 = sub %2 %5
  %7: packet = write %0 ipv4.ttl %6
  %8: u8 = read {tested} ipv4.ttl
  %9: u8 = constant 1
  %10: bool = le %8 %9
  branch %10 -> b.dead() | b.on()
block b.dead():
  deliver drop b.dead
block b.on():
  %11: u8 = sub %8 %9
  %12: packet = write %7 ipv4.ttl %11
  deliver exit wan({sent})
"""


def two_hops(*, limit: int = 1, less: int = 1, tested: str = "%7", sent: str = "%12") -> str:
    return TWO_HOPS.format(limit=limit, less=less, tested=tested, sent=sent)


def test_two_decrements_are_not_one():
    check_refused(two_hops(), two_hops(sent="%7"), "ipv4.ttl of a frame that leaves on wan")
    check_refused(two_hops(), two_hops(less=0), "ipv4.ttl of a frame that leaves on wan")


def test_the_second_hop_does_not_test_the_old_ttl():
    check_refused(two_hops(), two_hops(tested="%0"))


def test_a_packet_dies_at_its_hop():
    check_refused(two_hops(), two_hops(limit=2), "b.dead 1 as written, a.dead 1 in the result")


def test_a_condition_on_a_written_port_is_not_one_on_the_received_port():
    text = """
    block a.in(%0: packet):
      %1: bool = has %0 l4
      branch %1 -> a.on() | a.no()
    block a.no():
      deliver drop a.no
    block a.on():
      %2: u16 = read %0 l4.dport
      %3: packet = write %0 l4.sport %2
      %4: u16 = read {tested} l4.sport
      %5: u16 = constant 80
      %6: bool = eq %4 %5
      branch %6 -> a.web() | a.other()
    block a.web():
      deliver exit wan(%3)
    block a.other():
      deliver exit lan(%3)
    """
    check_refused(text.format(tested="%3"), text.format(tested="%0"), "frames leave on")


def test_state_operations_keep_their_order():
    one = """
    block a.in(%0: packet):
      %1: u8 = constant 1
      %2: u8 = constant 2
      vector_write turn %1 (%1)
      vector_write turn %1 (%2)
      deliver drop a.no
    """
    other = one.replace("(%1)\n", "(%9)\n", 1).replace("(%2)\n", "(%1)\n", 1).replace("(%9)\n", "(%2)\n", 1)
    check_refused(one, other, "state of turn")


def test_a_read_does_not_pass_a_write():
    text = """
    block a.in(%0: packet):
      %1: u8 = constant 1
      {first}
      {second}
      %3: u48 = resize %2
      %4: packet = write %0 eth.dst %3
      deliver exit wan(%4)
    """
    read, write = "%2: u8 = vector_read turn %1", "vector_write turn %1 (%1)"
    check_refused(text.format(first=read, second=write), text.format(first=write, second=read), "eth.dst")


def test_a_lookup_is_not_repeated_behind_an_insertion():
    head = """
    block a.in(%0: packet):
      %1: u32 = constant 7
      %2: u8 = constant 0
      %3: bool, %4: entry t = find t key (%1)
      %5: bool, %6: entry t = insert t (%1) () (%2)
    """
    again = "      %7: bool, %8: entry t = find t key (%1)\n"
    tail = """
      branch {found} -> a.yes() | a.no()
    block a.yes():
      deliver exit wan(%0)
    block a.no():
      deliver drop a.no
    """
    check_refused(head + again + tail.format(found="%7"), head + again + tail.format(found="%3"))


def test_a_refresh_is_not_lost():
    text = """
    block a.in(%0: packet):
      %1: u32 = constant 7
      %2: bool, %3: entry t = find t key (%1)
      branch %2 -> a.yes() | a.no()
    block a.yes():
      {touch}
      deliver exit wan(%0)
    block a.no():
      deliver drop a.no
    """
    check_refused(text.format(touch="touch t %3 idle"), text.format(touch=""), "state of t.timers")


def test_frames_leave_in_their_order():
    text = """
    block a.in(%0: packet):
      %1: u48 = constant 7
      %2: packet = write %0 eth.dst %1
      deliver exit wan({first}), exit wan({second})
    """
    check_refused(text.format(first="%0", second="%2"), text.format(first="%2", second="%0"), "eth.dst")
    other = """
    block a.in(%0: packet):
      deliver {first}, {second}
    """
    check_refused(
        other.format(first="exit wan(%0)", second="exit lan(%0)"),
        other.format(first="exit lan(%0)", second="exit wan(%0)"),
        "frames leave on",
    )


def test_a_delivery_runs_to_its_end_before_the_next():
    text = """
    block a.in(%0: packet):
      deliver {first}, {second}
    block b.in(%1: packet):
      deliver exit lan(%1)
    """
    one, other = "b.in(%0)", "exit wan(%0)"
    check_refused(text.format(first=one, second=other), text.format(first=other, second=one), handlers=B)


def test_counters_add_up():
    text = """
    block a.in(%0: packet):
      %1: u64 = constant {first}
      %2: u64 = constant 2
      count seen %1
      count seen %2
      deliver drop a.no
    """
    check_refused(text.format(first=1), text.format(first=2), "state of seen")
    in_order = text.format(first=1)
    swapped = in_order.replace("seen %1\n      count seen %2", "seen %2\n      count seen %1")
    assert swapped != in_order
    assert prove(small_graph(in_order), small_graph(swapped)).is_proved


LOOP = """
block a.in(%0: packet):
  %1: bool = has %0 ipv4
  branch %1 -> b.in(%0) | a.no()
block a.no():
  deliver drop a.no
block b.in(%2: packet):
  %3: u8 = read %2 ipv4.ttl
  %4: u8 = constant 1
  %5: bool = le %3 %4
  branch %5 -> b.dead() | b.on()
block b.dead():
  deliver drop b.dead
block b.on():
  %6: u8 = sub %3 %4
  %7: packet = write %2 ipv4.ttl %6
  {on}
"""


def test_what_happens_behind_a_loop_is_compared():
    handlers = "handler b.in nf b side in budget 3"
    round_again = LOOP.format(on="deliver b.in(%7)")
    check_refused(round_again, LOOP.format(on="deliver b.in(%2)"), handlers=handlers)
    check_refused(round_again, LOOP.format(on="deliver exit wan(%7)"), handlers=handlers)
    check_refused(
        LOOP.format(on="deliver b.in(%7), exit wan(%7)"),
        LOOP.format(on="deliver b.in(%7), exit wan(%2)"),
        "ipv4.ttl",
        handlers=handlers,
    )


def test_a_value_from_before_a_loop_is_not_what_it_is_later():
    """The first time round, the field is what was received; the second time it is not."""
    handlers = "handler b.in nf b side in budget 3"
    text = LOOP.format(on="deliver b.in(%7)")
    stale = text.replace("read %2 ipv4.ttl", "read %0 ipv4.ttl").replace("deliver b.in(%7)", "jump b.in(%7)")
    check_refused(text, stale, handlers=handlers)


def test_budgets_are_counted_as_they_were():
    text = LOOP.format(on="deliver b.in(%7)")
    three, two = (small_graph(text, f"handler b.in nf b side in budget {budget}") for budget in (3, 2))
    assert not prove(three, two).is_proved
    assert not prove(two, three).is_proved


def declared(**changes: object) -> Proof:
    graph = small_graph("block a.in(%0: packet):\n  deliver exit wan(%0)\n")
    table = next(state for state in graph.states if state.name == "t")
    changed: ChainGraph = replace(graph, states=(replace(table, **changes), *graph.states[1:]))
    return prove(graph, changed)


def test_declarations_are_compared():
    assert declared().is_proved
    assert not declared(timers=(("idle", 1_000_000_001),)).is_proved
    assert not declared(capacity=5).is_proved


def test_a_counter_may_not_go_and_a_table_that_nobody_sees_may():
    graph = small_graph("block a.in(%0: packet):\n  deliver exit wan(%0)\n")
    kept = tuple(state for state in graph.states if state.name == "seen")
    assert prove(graph, replace(graph, states=kept)).is_proved
    assert not prove(graph, replace(graph, states=())).is_proved


def test_a_table_that_decides_may_not_go():
    written = """
    block a.in(%0: packet):
      %1: u32 = constant 7
      %2: bool, %3: entry t = find t key (%1)
      branch %2 -> a.yes() | a.no()
    block a.yes():
      deliver exit wan(%0)
    block a.no():
      deliver drop a.no
    """
    first = small_graph(written)
    second = small_graph("block a.in(%0: packet):\n  deliver exit wan(%0)\n")
    states = tuple(state for state in second.states if state.name != "t")
    assert not prove(first, replace(second, states=states, drops=first.drops)).is_proved


def test_no_table_is_looked_into_so_that_it_may_be_loaded_anew():
    """`r` sends all but 10/8 to side 1 today."""
    text = """
    block a.in(%0: packet):
      %1: u32 = constant 1
      %2: bool, %3: u8 = lookup r %1
      %4: u8 = constant 1
      %5: bool = eq {side} %4
      branch %5 -> a.yes() | a.no()
    block a.yes():
      deliver exit wan(%0)
    block a.no():
      deliver drop a.no
    """
    check_refused(text.format(side="%3"), text.format(side="%4"))


def test_a_malformed_result_is_refused_before_anything_else():
    graph = small_graph("block a.in(%0: packet):\n  deliver exit wan(%0)\n")
    lost = replace(graph, interfaces=(replace(graph.interfaces[0], entry="nowhere"), graph.interfaces[1]))
    proof = prove(graph, lost)
    assert not proof.is_proved
    assert [one.name for one in proof.obligations] == ["graphs"]


def test_an_interface_that_is_not_wired_stays_so():
    graph = small_graph("block a.in(%0: packet):\n  deliver exit wan(%0)\n")
    lan, wan = graph.interfaces
    assert not prove(graph, replace(graph, interfaces=(lan, replace(wan, entry="a.in")))).is_proved
