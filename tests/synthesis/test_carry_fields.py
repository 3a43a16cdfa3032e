from synth.synthesis.carry_fields import carry_fields
from tests.synthesis.passes import check_becomes, check_unchanged


def test_a_field_is_written_once_where_the_packet_leaves():
    outcome = check_becomes(
        carry_fields,
        """
        block a.in(%0: packet):
          %1: u48 = constant 1
          %2: packet = write %0 eth.src %1
          jump next(%2)
        block next(%3: packet):
          %4: u48 = read %3 eth.src
          %5: u48 = add %4 %4
          %6: packet = write %3 eth.src %5
          deliver exit wan(%6)
        """,
        """
        block a.in(%0: packet):
          %1: u48 = constant 1
          jump next(%0, %1)

        block next(%3: packet, %src.7: u48):
          %5: u48 = add %src.7 %src.7
          %8: packet = write %3 eth.src %5
          deliver exit wan(%8)
        """,
    )
    assert [remark.text for remark in outcome.remarks] == [
        "`eth.src` is not read: the value written before is used"
    ]


def test_a_way_that_did_not_write_hands_on_what_it_received():
    check_becomes(
        carry_fields,
        """
        block a.in(%0: packet):
          %1: bool = has %0 vlan
          branch %1 -> set() | next(%0)
        block set():
          %2: u48 = constant 1
          %3: packet = write %0 eth.src %2
          jump next(%3)
        block next(%4: packet):
          deliver exit wan(%4)
        """,
        """
        block a.in(%0: packet):
          %1: bool = has %0 vlan
          branch %1 -> set() | a.in~1()

        block set():
          %2: u48 = constant 1
          jump next(%0, %2)

        block a.in~1():
          %src.5: u48 = read %0 eth.src
          jump next(%0, %src.5)

        block next(%4: packet, %src.6: u48):
          %7: packet = write %4 eth.src %src.6
          deliver exit wan(%7)
        """,
    )


def test_a_field_that_not_every_packet_has_is_written_behind_a_test():
    check_becomes(
        carry_fields,
        """
        block a.in(%0: packet):
          %1: bool = has %0 vlan
          branch %1 -> set() | next(%0)
        block set():
          %2: u12 = constant 1
          %3: packet = write %0 vlan.vid %2
          jump next(%3)
        block next(%4: packet):
          deliver exit wan(%4)
        """,
        """
        block a.in(%0: packet):
          %1: bool = has %0 vlan
          branch %1 -> set() | a.in~1()

        block set():
          %2: u12 = constant 1
          jump next(%0, %2)

        block a.in~1():
          %is_vlan.5: bool = has %0 vlan
          %7: u12 = constant 0
          branch %is_vlan.5 -> a.in~2() | a.in~3(%7)

        block a.in~2():
          %vid.6: u12 = read %0 vlan.vid
          jump a.in~3(%vid.6)

        block a.in~3(%vid.8: u12):
          jump next(%0, %vid.8)

        block next(%4: packet, %vid.9: u12):
          %is_vlan.10: bool = has %4 vlan
          branch %is_vlan.10 -> next~1() | next~2(%4)

        block next~1():
          %11: packet = write %4 vlan.vid %vid.9
          jump next~2(%11)

        block next~2(%12: packet):
          deliver exit wan(%12)
        """,
    )


def test_what_is_delivered_to_two_handlers_is_written_before():
    check_becomes(
        carry_fields,
        """
        block a.in(%0: packet):
          %1: u48 = constant 1
          %2: packet = write %0 eth.src %1
          deliver b.in(%2), exit lan(%0)
        block b.in(%3: packet):
          deliver exit wan(%3)
        """,
        """
        block a.in(%0: packet):
          %1: u48 = constant 1
          %4: packet = write %0 eth.src %1
          deliver b.in(%4), exit lan(%0)

        block b.in(%3: packet):
          deliver exit wan(%3)
        """,
        "handler b.in nf b side in",
    )


def test_a_graph_without_writes_stays():
    check_unchanged(
        carry_fields,
        """
        block a.in(%0: packet):
          deliver exit wan(%0)
        """,
    )
