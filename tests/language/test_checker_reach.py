"""Where packets can go: from side to side of an NF, and round through a chain."""

from pathlib import Path

from synth.language.checker import check_file, load_nfs
from synth.language.parser import parse_text
from synth.language.reach import emits, find_cycles, find_reach, find_round_trip
from synth.language.typed import Endpoint, TypedChain, TypedNf

ABC = ("a", "b", "c")


def nf(body: str, declarations: str = "sides a, b, c") -> TypedNf:
    (found,) = load_nfs(parse_text(f"nf example(way: side = b) {{ {declarations}\n{body}\n}}", "nf.chain"))
    return found


def test_a_named_side_is_reached_alone() -> None:
    assert emits(nf("from a (pkt) { emit c }"), ABC, "a") == ("c",)


def test_others_are_all_but_the_side_of_arrival() -> None:
    flood = nf("from any (pkt) { emit others }")
    assert emits(flood, ABC, "b") == ("a", "c")


def test_a_computed_side_may_be_any_even_that_of_arrival() -> None:
    assert emits(nf("from a (pkt) { emit way }"), ABC, "a") == ABC


def test_the_side_of_arrival_is_reached_alone() -> None:
    assert emits(nf("from any (pkt) { emit pkt.side }"), ABC, "b") == ("b",)


def test_handlers_of_other_sides_do_not_count() -> None:
    one_way = nf("from a (pkt) { emit b }\nfrom b (pkt) { drop no }")
    assert emits(one_way, ABC, "b") == ()


def test_emissions_in_branches_and_behind_or_count() -> None:
    found = nf(
        "table t { key k: mac; capacity 4 }\n"
        "from a (pkt) {\n"
        "    let e = t.find(k: pkt.eth.src) or { emit b }\n"
        "    if pkt is tcp { emit c } else { drop no }\n"
        "    remove e\n"
        "}"
    )
    assert emits(found, ABC, "a") == ("b", "c")


INTERFACES = "interface lan { mac 02:00:00:00:00:01 }\ninterface wan { mac 02:00:00:00:00:02 }\n"
TURN = "nf turn {\n from inside (pkt) { emit inside }\n from outside (pkt) { emit outside }\n}\n"


def chain(folder: Path, body: str) -> TypedChain:
    path = folder / "c.chain"
    path.write_text(f"use nf: forwarder\n{TURN}chain c {{\n{INTERFACES}{body}}}\n", encoding="utf-8")
    found = check_file(path).chain
    assert found is not None
    return found


def test_forwarders_in_a_row_have_no_cycle(tmp_path: Path) -> None:
    found = chain(tmp_path, "a = forwarder()\nb = forwarder()\nlan <-> a <-> b <-> wan\n")
    assert find_cycles(find_reach(found)) == ()


def test_two_that_send_back_to_each_other_are_a_cycle_of_two_sides(tmp_path: Path) -> None:
    found = chain(
        tmp_path, "a = turn()\nf = forwarder()\nb = turn()\nlan <-> a <-> f <-> b <-> wan\nbudget 2\n"
    )
    reach = find_reach(found)
    (group,) = find_cycles(reach)
    names = [("a", "outside"), ("f", "inside"), ("f", "outside"), ("b", "inside")]
    assert set(group) == {Endpoint(owner, side) for owner, side in names}
    way = find_round_trip(reach, group)
    assert len(way) == 4
    for here, there in zip(way, (*way[1:], way[0]), strict=True):
        assert there in reach.successors[here]
