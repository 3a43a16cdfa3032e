from synth.synthesis.hand_over import hand_over
from tests.synthesis.passes import check_becomes, check_unchanged

B = "handler b.in nf b side in"


def test_a_delivery_of_one_packet_becomes_a_jump():
    outcome = check_becomes(
        hand_over,
        """
        block a.in(%0: packet):
          deliver b.in(%0)
        block b.in(%1: packet):
          deliver exit wan(%1)
        """,
        """
        block a.in(%0: packet):
          jump b.in(%0)

        block b.in(%1: packet):
          deliver exit wan(%1)
        """,
        B,
    )
    assert [handler.block for handler in outcome.graph.handlers] == ["a.in"]
    assert [remark.text for remark in outcome.remarks] == ["hand-over from a to b removed"]


def test_a_handler_with_a_budget_keeps_it():
    outcome = check_becomes(
        hand_over,
        """
        block a.in(%0: packet):
          deliver b.in(%0)
        block b.in(%1: packet):
          deliver b.in(%1)
        """,
        """
        block a.in(%0: packet):
          jump b.in(%0)

        block b.in(%1: packet):
          jump b.in(%1)
        """,
        "handler b.in nf b side in budget 2",
    )
    assert [(handler.block, handler.budget) for handler in outcome.graph.handlers] == [
        ("a.in", None),
        ("b.in", 2),
    ]


def test_two_emissions_stay_in_their_order():
    check_unchanged(
        hand_over,
        """
        block a.in(%0: packet):
          deliver b.in(%0), exit wan(%0)
        block b.in(%1: packet):
          deliver exit lan(%1)
        """,
        B,
    )


def test_an_emission_of_a_dropped_handler_stays():
    check_unchanged(
        hand_over,
        """
        block a.in(%0: packet):
          deliver b.in(%0) drop a.copied
        block b.in(%1: packet):
          deliver exit lan(%1)
        """,
        B,
    )
