"""The text form of graphs: closed, exact, and read back."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings

from synth.diagnostics.diagnostic import UserError
from synth.diagnostics.spans import Span
from synth.graph.nodes import ChainGraph, RuleTable
from synth.graph.text import print_graph
from synth.graph.text_parser import parse_graph
from synth.graph.verify import verify
from synth.language.values import PrefixValue, RangeValue, RuleSetValue, RuleValue
from synth.lower import lower
from tests.conftest import REPOSITORY
from tests.graph.random_graphs import forms_cover_all_operations, graphs
from tests.lower.hand_made import napt

SMALL = """chain small

interface lan mac 02:00:00:00:00:01 address 10.0.0.1/8 entry nf.in

handler nf.in nf nf side in

drop nf.no

block nf.in(%pkt.0: packet):
  %is_ipv4.1: bool = has %pkt.0 ipv4
  branch %is_ipv4.1 -> nf.in.out() | nf.in.no()

block nf.in.out():
  deliver exit lan(%pkt.0)

block nf.in.no():
  deliver drop nf.no
"""


def test_every_field_of_every_operation_is_written() -> None:
    assert forms_cover_all_operations()


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(graph=graphs())
def test_what_is_printed_parses_back_to_the_same_graph_and_text(graph: ChainGraph) -> None:
    text = print_graph(graph)
    parsed = parse_graph(text)
    assert parsed == graph
    assert print_graph(parsed) == text


def test_a_lowered_graph_keeps_its_names_through_the_text() -> None:
    text = print_graph(lower(napt()))
    assert print_graph(parse_graph(text)) == text
    assert "%b.13: entry nat.bindings" in text


def test_text_by_hand_is_its_own_print() -> None:
    assert print_graph(parse_graph(SMALL)) == SMALL


def test_the_example_of_the_readme_is_a_sound_graph() -> None:
    readme = (REPOSITORY / "synth" / "graph" / "README.md").read_text(encoding="utf-8")
    lines = readme[readme.index("    chain small") : readme.index("Values are `%hint.id`")].splitlines()
    text = "\n".join(line.removeprefix("    ") for line in lines).rstrip() + "\n"
    graph = parse_graph(text)
    verify(graph)
    assert print_graph(graph) == text


def test_comments_and_layout_do_not_matter() -> None:
    loose = SMALL.replace("\n  ", "   // said in passing\n\n      ")
    assert parse_graph(loose) == parse_graph(SMALL)


@pytest.mark.parametrize(
    ("was", "wrong", "line", "column", "expected"),
    [
        ("chain small", "chian small", 1, 1, "`chain`"),
        ("mac 02:00", "mac 2:00", 3, 19, "a MAC address"),
        ("address 10.0.0.1/8", "address 10.0.0.1", 3, 45, "a prefix"),
        ("has %pkt.0 ipv4", "has pkt ipv4", 10, 26, "a value"),
        ("has %pkt.0 ipv4", "has %pkt.7 ipv4", 10, 26, "a value that is defined"),
        ("= has", "= hase", 10, 22, "an operation"),
        ("%pkt.0: packet", "%pkt.0: parcel", 9, 21, "a type"),
        ("nf.in.out() |", "nf.in.out(),", 11, 35, "`|`"),
        ("  deliver exit lan(%pkt.0)", "  drop nf.no", 14, 3, "an operation, `jump`, `branch` or `deliver`"),
        ("  deliver drop nf.no\n", "", 17, 1, "an operation, `jump`, `branch` or `deliver`"),
    ],
)
def test_an_error_in_the_text_is_located(was: str, wrong: str, line: int, column: int, expected: str) -> None:
    assert was in SMALL
    with pytest.raises(UserError) as raised:
        parse_graph(SMALL.replace(was, wrong, 1), "small.graph")
    (found,) = raised.value.diagnostics
    assert (found.span.file, found.span.line, found.span.column) == ("small.graph", line, column)
    assert found.label_text == f"expected {expected}"


def test_the_abbreviated_text_shows_a_few_rows_and_where_blocks_come_from() -> None:
    graph = lower(napt())
    rule = RuleValue(
        True, PrefixValue(0, 0), PrefixValue(0, 0), 6, 255, RangeValue(0, 65535), RangeValue(80, 80), 0, 0
    )
    table = RuleTable(name="nat.rules", rules=RuleSetValue((rule,) * 100))
    with_rules = replace(graph, states=(*graph.states, table))
    short = print_graph(with_rules, abbreviate=True)
    assert short.count("permit 0.0.0.0/0 0.0.0.0/0 protocol 6/255 sport 0..65535 dport 80..80") == 8
    assert "  ... 92 more\n" in short
    assert "block nat.inside(%pkt.0: packet):  // hand.chain:3\n" in short
    assert "//" not in print_graph(with_rules)


def test_spans_are_no_part_of_the_text() -> None:
    graph = parse_graph(SMALL)
    placed = replace(
        graph, blocks=tuple(replace(block, span=Span("a", 1, 1, 1, 2)) for block in graph.blocks)
    )
    assert print_graph(placed) == SMALL
