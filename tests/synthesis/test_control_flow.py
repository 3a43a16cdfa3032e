"""Passes that change where control goes: decide, thread, join, part, remove_arguments."""

from functools import partial

from synth.synthesis.arguments import remove_arguments
from synth.synthesis.decide import decide
from synth.synthesis.join import join, join_equal
from synth.synthesis.part import part
from synth.synthesis.thread import thread
from tests.synthesis.passes import check_becomes, check_unchanged

MERGED = """
block a.in(%0: packet):
  %1: bool = has %0 ipv4
  branch %1 -> left() | right()
block left():
  %2: bool = constant 1
  jump c(%2)
block right():
  %3: u48 = read %0 eth.src
  %4: u48 = constant 7
  %5: bool = eq %3 %4
  jump c(%5)
block c(%6: bool):
  %7: u48 = read %0 eth.dst
  branch %6 -> yes() | no()
block yes():
  %8: packet = write %0 eth.src %7
  deliver exit wan(%8)
block no():
  deliver drop a.no
"""


def test_a_branch_that_ranges_decide_becomes_a_jump():
    check_becomes(
        decide,
        """
        block a.in(%0: packet):
          %1: u48 = read %0 eth.src
          %2: u48 = constant 5
          %3: bool = lt %1 %2
          branch %3 -> small() | large()
        block small():
          %4: u48 = constant 9
          %5: bool = le %1 %4
          branch %5 -> leave() | large()
        block leave():
          deliver exit wan(%0)
        block large():
          deliver drop a.large
        """,
        """
        block a.in(%0: packet):
          %1: u48 = read %0 eth.src
          %2: u48 = constant 5
          %3: bool = lt %1 %2
          branch %3 -> small() | large()

        block small():
          %4: u48 = constant 9
          %5: bool = le %1 %4
          jump leave()

        block leave():
          deliver exit wan(%0)

        block large():
          deliver drop a.large
        """,
    )


def test_a_branch_behind_a_join_is_not_decided_by_one_way():
    check_unchanged(decide, MERGED)


def test_a_way_with_a_constant_goes_past_the_test():
    check_becomes(
        partial(thread, limit=20),
        MERGED,
        """
        block a.in(%0: packet):
          %1: bool = has %0 ipv4
          branch %1 -> left() | right()

        block left():
          %2: bool = constant 1
          jump c~1(%2)

        block c~1(%10: bool):
          %11: u48 = read %0 eth.dst
          jump yes(%11)

        block right():
          %3: u48 = read %0 eth.src
          %4: u48 = constant 7
          %5: bool = eq %3 %4
          jump c(%5)

        block c(%6: bool):
          %7: u48 = read %0 eth.dst
          branch %6 -> yes(%7) | no()

        block yes(%9: u48):
          %8: packet = write %0 eth.src %9
          deliver exit wan(%8)

        block no():
          deliver drop a.no
        """,
    )


def test_nothing_is_cloned_beyond_the_budget():
    check_unchanged(partial(thread, limit=6), MERGED)


def test_a_block_with_a_visit_budget_is_not_cloned():
    check_unchanged(
        partial(thread, limit=20),
        """
        block a.in(%0: packet):
          deliver b.in(%0)
        block b.in(%1: packet):
          %2: bool = has %1 ipv4
          branch %2 -> again() | leave()
        block again():
          deliver b.in(%1)
        block leave():
          deliver exit wan(%1)
        """,
        "handler b.in nf b side in budget 2",
    )


def test_an_argument_that_is_always_the_same_is_gone():
    check_becomes(
        remove_arguments,
        """
        block a.in(%0: packet):
          %1: bool = has %0 ipv4
          branch %1 -> left() | right()
        block left():
          %2: u48 = constant 3
          jump c(%0, %2, %2)
        block right():
          %3: u48 = constant 3
          %4: u48 = constant 4
          jump c(%0, %3, %4)
        block c(%5: packet, %6: u48, %7: u48):
          %8: packet = write %5 eth.src %6
          %9: packet = write %8 eth.dst %7
          deliver exit wan(%9)
        """,
        """
        block a.in(%0: packet):
          %1: bool = has %0 ipv4
          branch %1 -> left() | right()

        block left():
          %2: u48 = constant 3
          jump c(%2)

        block right():
          %3: u48 = constant 3
          %4: u48 = constant 4
          jump c(%4)

        block c(%7: u48):
          %10: u48 = constant 3
          %8: packet = write %0 eth.src %10
          %9: packet = write %8 eth.dst %7
          deliver exit wan(%9)
        """,
    )


def test_jumps_to_one_block_are_joined_and_empty_blocks_skipped():
    check_becomes(
        join,
        """
        block a.in(%0: packet):
          jump b()
        block b():
          %1: bool = has %0 ipv4
          branch %1 -> empty() | no()
        block empty():
          jump leave()
        block leave():
          deliver exit wan(%0)
        block no():
          deliver drop a.no
        """,
        """
        block a.in(%0: packet):
          %1: bool = has %0 ipv4
          branch %1 -> leave() | no()

        block leave():
          deliver exit wan(%0)

        block no():
          deliver drop a.no
        """,
    )


def test_blocks_that_do_the_same_are_one():
    check_becomes(
        join_equal,
        """
        block a.in(%0: packet):
          %1: bool = has %0 ipv4
          branch %1 -> left() | right()
        block left():
          %2: u48 = constant 3
          %3: packet = write %0 eth.src %2
          jump leave(%3)
        block right():
          %4: u48 = constant 3
          %5: packet = write %0 eth.src %4
          jump leave2(%5)
        block leave(%6: packet):
          deliver exit wan(%6)
        block leave2(%7: packet):
          deliver exit wan(%7)
        """,
        """
        block a.in(%0: packet):
          %1: bool = has %0 ipv4
          branch %1 -> left() | left()

        block left():
          %2: u48 = constant 3
          %3: packet = write %0 eth.src %2
          jump leave(%3)

        block leave(%6: packet):
          deliver exit wan(%6)
        """,
    )


def test_blocks_that_differ_in_a_drop_stay_two():
    check_unchanged(
        join_equal,
        """
        block a.in(%0: packet):
          %1: bool = has %0 ipv4
          branch %1 -> left() | right()
        block left():
          deliver drop a.left
        block right():
          deliver drop a.right
        """,
    )


TWO_WAYS = """
block a.in(%0: packet):
  %1: bool = has %0 ipv4
  branch %1 -> both() | no()
block both():
  %2: u48 = read %0 eth.src
  %3: packet = write %0 eth.dst %2
  deliver b.in(%3), exit wan(%3)
block no():
  deliver drop a.no
block b.in(%4: packet):
  jump shared(%4)
block shared(%5: packet):
  deliver exit wan(%5)
"""


def test_each_way_in_gets_blocks_of_its_own():
    both = TWO_WAYS.replace("deliver drop a.no", "jump shared(%0)")
    check_becomes(
        partial(part, limit=20),
        both,
        """
        block a.in(%0: packet):
          %1: bool = has %0 ipv4
          branch %1 -> both() | no()

        block both():
          %2: u48 = read %0 eth.src
          %3: packet = write %0 eth.dst %2
          deliver b.in(%3), exit wan(%3)

        block b.in(%4: packet):
          jump shared~1(%4)

        block shared~1(%6: packet):
          deliver exit wan(%6)

        block no():
          jump shared(%0)

        block shared(%5: packet):
          deliver exit wan(%5)
        """,
        "handler b.in nf b side in",
    )
    check_unchanged(partial(part, limit=5), both, "handler b.in nf b side in")


def test_ways_that_share_nothing_stay():
    check_unchanged(partial(part, limit=20), TWO_WAYS, "handler b.in nf b side in")
