"""The effects table: complete, and true to what the operations do."""

from dataclasses import replace
from itertools import product
from typing import get_args

import pytest

from synth.graph.effects import EFFECTS, Effect, can_commute, effect, has_no_write, is_pure
from synth.graph.nodes import Insert, Op
from synth.graph.text_parser import parse_graph
from synth.graph.walk import operands
from tests.graph.test_verify import SOUND

KNOWN = next(block for block in parse_graph(SOUND).blocks if block.name == "nf.in.known")


def operation(word: str) -> Op:
    """Return the first operation of the sound graph that is written with a word."""
    line = next(line.strip() for line in SOUND.splitlines() if f" {word} " in f" {line.strip()} ")
    before = SOUND[: SOUND.index(line)]
    block = before.count("\nblock ") - 1
    place = len(before.rsplit("\nblock ", 1)[1].splitlines()) - 1
    return parse_graph(SOUND).blocks[block].operations[place - 1]


def test_every_operation_has_a_row() -> None:
    assert set(EFFECTS) == set(get_args(Op))


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("read", None),
        ("write", None),
        ("hash", None),
        ("find", Effect("nf.t", "read")),
        ("insert", Effect("nf.t", "write")),
        ("touch", Effect("nf.t", "write")),
        ("remove", Effect("nf.t", "write")),
        ("entry_read", Effect("nf.t", "read")),
        ("entry_write", Effect("nf.t", "write")),
        ("take", Effect("nf.b", "write")),
        ("entry_take", Effect("nf.t", "write")),
        ("count", Effect("nf.c", "add")),
        ("sketch_add", Effect("nf.s", "add")),
        ("estimate", Effect("nf.s", "read")),
        ("vector_read", Effect("nf.v", "read")),
        ("vector_write", Effect("nf.v", "write")),
        ("decide", Effect("nf.rules", "read")),
        ("lookup", Effect("nf.routes", "read")),
        ("row", Effect("nf.list", "read")),
        ("pick", Effect("nf.ring", "read")),
    ],
)
def test_an_operation_touches_its_object(word: str, expected: Effect | None) -> None:
    op = operation(word)
    assert effect(op) == expected
    assert is_pure(op) == (expected is None)
    assert has_no_write(op) == (expected is None or expected.access == "read")


def test_commuting_is_symmetric() -> None:
    ops = [op for block in parse_graph(SOUND).blocks for op in block.operations]
    for one, other in product(ops, ops):
        assert can_commute(one, other) == can_commute(other, one)


@pytest.mark.parametrize(
    ("first", "second", "may"),
    [
        ("find", "entry_read", True),
        ("touch", "find", False),
        ("touch", "touch", False),
        ("touch", "take", True),
        ("entry_take", "touch", False),
        ("count", "count", True),
        ("sketch_add", "sketch_add", True),
        ("sketch_add", "estimate", False),
        ("vector_read", "vector_write", False),
        ("decide", "lookup", True),
    ],
)
def test_two_operations_on_one_object_commute_only_if_both_read_or_both_add(
    first: str, second: str, *, may: bool
) -> None:
    assert can_commute(operation(first), operation(second)) is may


def test_nothing_passes_the_definition_of_what_it_uses() -> None:
    for index, op in enumerate(KNOWN.operations):
        for later in KNOWN.operations[index + 1 :]:
            if set(op.results) & set(operands(later)):
                assert not can_commute(op, later)


def test_two_choices_stay_in_order_since_they_are_logged() -> None:
    choosing = operation("insert")
    assert isinstance(choosing, Insert)
    elsewhere = replace(choosing, results=(), table="nf.other")
    assert not can_commute(choosing, elsewhere)
    assert can_commute(choosing, replace(elsewhere, choose=None))
