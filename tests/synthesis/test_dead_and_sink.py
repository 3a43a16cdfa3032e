from synth.synthesis.dead import remove_dead
from synth.synthesis.sink import sink
from tests.synthesis.passes import blocks_of, check_becomes, check_equal, check_unchanged, small_graph

ALL_STATE = """
block a.in(%0: packet):
  %1: u64 = constant 1
  count seen %1
  %2: u32 = constant 5
  %3: bool, %4: entry t = find t key (%2)
  %5: u8 = constant 0
  %6: u8 = vector_read turn %5
  vector_write turn %5 (%6)
  %7: bool, %8: u8 = lookup r %2
  %9: u8 = add %6 %8
  branch %3 -> leave() | drop()
block leave():
  deliver exit wan(%0)
block drop():
  deliver drop a.drop
"""


def test_state_that_only_feeds_itself_and_unused_results_are_gone():
    outcome = check_becomes(
        remove_dead,
        ALL_STATE,
        """
        block a.in(%0: packet):
          %1: u64 = constant 1
          count seen %1
          %2: u32 = constant 5
          %3: bool, %4: entry t = find t key (%2)
          branch %3 -> leave() | drop()

        block leave():
          deliver exit wan(%0)

        block drop():
          deliver drop a.drop
        """,
    )
    assert [state.name for state in outcome.graph.states] == ["t", "seen"]
    assert "write to turn that nothing reads" in [remark.text for remark in outcome.remarks]


def test_counters_stay_without_a_count():
    graph = small_graph("block a.in(%0: packet):\n  deliver exit wan(%0)")
    assert [state.name for state in remove_dead(graph).graph.states] == ["seen"]


def test_an_insertion_whose_failure_shows_stays_with_its_table():
    text = """
    block a.in(%0: packet):
      %1: u32 = constant 5
      %2: u8 = constant 0
      %3: bool, %4: entry t = insert t (%1) () (%2)
      branch %3 -> leave() | full()
    block leave():
      touch t %4 idle
      deliver exit wan(%0)
    block full():
      deliver drop a.full
    """
    graph = small_graph(text)
    result = remove_dead(graph).graph
    assert blocks_of(result) == blocks_of(graph)
    check_equal(graph, result)


def test_what_only_one_way_needs_is_computed_there():
    check_becomes(
        sink,
        """
        block a.in(%0: packet):
          %1: u48 = read %0 eth.src
          %2: u48 = constant 3
          %3: u48 = add %1 %2
          %4: bool = has %0 ipv4
          branch %4 -> leave() | drop()
        block leave():
          %5: packet = write %0 eth.dst %3
          deliver exit wan(%5)
        block drop():
          deliver drop a.drop
        """,
        """
        block a.in(%0: packet):
          %4: bool = has %0 ipv4
          branch %4 -> leave() | drop()

        block leave():
          %1: u48 = read %0 eth.src
          %2: u48 = constant 3
          %3: u48 = add %1 %2
          %5: packet = write %0 eth.dst %3
          deliver exit wan(%5)

        block drop():
          deliver drop a.drop
        """,
    )


def test_reads_of_state_stay_where_they_are():
    check_unchanged(
        sink,
        """
        block a.in(%0: packet):
          %1: u8 = constant 0
          %2: u8 = vector_read turn %1
          %3: bool = has %0 ipv4
          vector_write turn %1 (%1)
          branch %3 -> leave() | drop()
        block leave():
          %4: u48 = resize %2
          %5: packet = write %0 eth.dst %4
          deliver exit wan(%5)
        block drop():
          deliver drop a.drop
        """,
    )
