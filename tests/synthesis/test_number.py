from synth.synthesis.number import number
from tests.synthesis.passes import check_becomes, check_unchanged


def test_a_test_that_a_dominating_one_has_decided_is_gone():
    outcome = check_becomes(
        number,
        """
        block a.in(%0: packet):
          %1: bool = has %0 tcp
          branch %1 -> tcp() | other()
        block tcp():
          %2: bool = has %0 l4
          branch %2 -> yes() | other()
        block yes():
          deliver exit wan(%0)
        block other():
          deliver drop a.other
        """,
        """
        block a.in(%0: packet):
          %1: bool = has %0 tcp
          branch %1 -> tcp() | other()

        block tcp():
          %3: bool = constant 1
          jump yes()

        block yes():
          deliver exit wan(%0)

        block other():
          deliver drop a.other
        """,
    )
    assert "test `is l4`: always true here, decided before" in [remark.text for remark in outcome.remarks]


def test_decrements_become_one_and_the_test_asks_for_the_sum():
    check_becomes(
        number,
        """
        block a.in(%0: packet):
          %1: bool = has %0 ipv4
          branch %1 -> first() | dead()
        block first():
          %2: u8 = read %0 ipv4.ttl
          %3: u8 = constant 1
          %4: bool = le %2 %3
          branch %4 -> dead() | second()
        block second():
          %5: u8 = sub %2 %3
          %6: bool = le %5 %3
          branch %6 -> dead() | third()
        block third():
          %7: bool = sub_overflows %5 %3
          branch %7 -> dead() | leave()
        block leave():
          %8: u8 = sub %5 %3
          %9: packet = write %0 ipv4.ttl %8
          deliver exit wan(%9)
        block dead():
          deliver drop a.dead
        """,
        """
        block a.in(%0: packet):
          %1: bool = has %0 ipv4
          branch %1 -> first() | dead()

        block first():
          %2: u8 = read %0 ipv4.ttl
          %3: u8 = constant 1
          %4: bool = le %2 %3
          branch %4 -> dead() | second()

        block second():
          %5: u8 = sub %2 %3
          %10: u8 = constant 2
          %11: bool = le %2 %10
          branch %11 -> dead() | third()

        block third():
          %12: bool = constant 0
          jump leave()

        block leave():
          %13: u8 = sub %2 %10
          %9: packet = write %0 ipv4.ttl %13
          deliver exit wan(%9)

        block dead():
          deliver drop a.dead
        """,
    )


def test_a_lookup_with_the_same_key_is_made_once():
    outcome = check_becomes(
        number,
        """
        block a.in(%0: packet):
          %1: u32 = constant 167772161
          %2: bool, %3: u8 = lookup r %1
          branch %2 -> again() | lost()
        block again():
          %4: bool, %5: u8 = lookup r %1
          branch %4 -> leave() | lost()
        block leave():
          deliver exit wan(%0)
        block lost():
          deliver drop a.lost
        """,
        """
        block a.in(%0: packet):
          %1: u32 = constant 167772161
          %2: bool, %3: u8 = lookup r %1
          branch %2 -> again() | lost()

        block again():
          jump leave()

        block leave():
          deliver exit wan(%0)

        block lost():
          deliver drop a.lost
        """,
    )
    assert "lookup in `r` repeated" in [remark.text for remark in outcome.remarks]


def test_what_the_field_is_already_is_not_written():
    check_becomes(
        number,
        """
        block a.in(%0: packet):
          %1: u48 = read %0 eth.src
          %2: u48 = constant 1
          %3: packet = write %0 eth.dst %2
          %4: packet = write %3 eth.src %1
          deliver exit wan(%4)
        """,
        """
        block a.in(%0: packet):
          %1: u48 = read %0 eth.src
          %2: u48 = constant 1
          %3: packet = write %0 eth.dst %2
          deliver exit wan(%3)
        """,
    )


def test_a_column_is_not_read_twice_without_a_write_between():
    check_becomes(
        number,
        """
        block a.in(%0: packet):
          %1: u32 = constant 7
          %2: bool, %3: entry t = find t key (%1)
          branch %2 -> known(%3) | new()
        block new():
          %4: u8 = constant 0
          %5: bool, %6: entry t = insert t (%1) () (%4)
          branch %5 -> known(%6) | full()
        block known(%7: entry t):
          %8: u8 = entry_read t %7 seen
          %9: u8 = add %8 %8
          entry_write t %7 seen %9
          touch t %7 idle
          %10: u8 = entry_read t %7 seen
          %11: u8 = entry_read t %7 seen
          %12: bool = eq %10 %11
          branch %12 -> leave() | full()
        block leave():
          deliver exit wan(%0)
        block full():
          deliver drop a.full
        """,
        """
        block a.in(%0: packet):
          %1: u32 = constant 7
          %2: bool, %3: entry t = find t key (%1)
          branch %2 -> known(%3) | new()

        block new():
          %4: u8 = constant 0
          %5: bool, %6: entry t = insert t (%1) () (%4)
          branch %5 -> known(%6) | full()

        block known(%7: entry t):
          %8: u8 = entry_read t %7 seen
          %9: u8 = add %8 %8
          entry_write t %7 seen %9
          touch t %7 idle
          %10: u8 = entry_read t %7 seen
          %13: bool = constant 1
          jump leave()

        block leave():
          deliver exit wan(%0)

        block full():
          deliver drop a.full
        """,
    )


def test_a_vector_is_read_again_behind_a_write():
    check_unchanged(
        number,
        """
        block a.in(%0: packet):
          %1: u8 = constant 0
          %2: u8 = vector_read turn %1
          %3: u8 = constant 1
          %4: u8 = add %2 %3
          vector_write turn %1 (%4)
          %5: u8 = vector_read turn %1
          %6: bool = le %5 %2
          branch %6 -> leave() | drop()
        block leave():
          deliver exit wan(%0)
        block drop():
          deliver drop a.drop
        """,
    )


def test_a_difference_that_may_wrap_is_not_compared_by_its_sum():
    check_unchanged(
        number,
        """
        block a.in(%0: packet):
          %1: u48 = read %0 eth.src
          %2: u48 = constant 3
          %3: u48 = sub %1 %2
          %4: u48 = constant 10
          %5: bool = le %3 %4
          branch %5 -> leave() | drop()
        block leave():
          deliver exit wan(%0)
        block drop():
          deliver drop a.drop
        """,
    )
