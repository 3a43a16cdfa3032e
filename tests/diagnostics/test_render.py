"""How diagnostics look on a terminal and as JSON."""

import json
import re
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from hypothesis import given
from hypothesis import strategies as st

from synth.diagnostics.diagnostic import Diagnostic, Note, Severity
from synth.diagnostics.excerpt import MAX_WIDTH, cut_excerpt
from synth.diagnostics.render import render, to_json
from synth.diagnostics.sources import load_sources
from synth.diagnostics.spans import NOWHERE, Span


@dataclass(frozen=True, kw_only=True)
class Sample(Diagnostic):
    code: ClassVar[str] = "E999"
    title: ClassVar[str] = "`{word}` is wrong"
    label: ClassVar[str] = "expected {expected}"
    help: ClassVar[str] = "{hint}"

    word: str = "x"
    expected: str = "y"
    hint: str = ""


@dataclass(frozen=True, kw_only=True)
class Caution(Diagnostic):
    code: ClassVar[str] = "W999"
    severity: ClassVar[Severity] = "warning"
    title: ClassVar[str] = "look at this"


def at(line: int, column: int, end_column: int, file: str = "a.chain", end_line: int = 0) -> Span:
    return Span(file, line, column, end_line or line, end_column)


def shown(text: str, span: Span, **facts: str) -> str:
    return render([Sample(span=span, **facts)], {span.file: text}, colour=False)


def test_an_error_shows_its_line_with_carets_its_label_and_its_help() -> None:
    assert (
        shown("one\n    drop why\n", at(2, 10, 13), word="why", hint="try again")
        == """\
error[E999]: `why` is wrong
 --> a.chain:2:10
  |
2 |     drop why
  |          ^^^ expected y
  = help: try again
"""
    )


def test_notes_show_their_own_places_with_one_margin_for_all() -> None:
    found = Sample(span=at(12, 1, 3), notes=(Note(at(3, 2, 3), "seen here"), Note(NOWHERE, "think")))
    text = "\n" * 2 + "abc\n" + "\n" * 8 + "xyz\n"
    assert (
        render([found], {"a.chain": text}, colour=False)
        == """\
error[E999]: `x` is wrong
  --> a.chain:12:1
   |
12 | xyz
   | ^^ expected y
   = note: seen here
  --> a.chain:3:2
   |
 3 | abc
   |  -
   = note: think
"""
    )


def test_warnings_and_errors_stand_in_the_given_order_with_a_line_between() -> None:
    result = render([Caution(span=at(1, 1, 2)), Sample(span=at(1, 1, 2))], {"a.chain": "x"}, colour=False)
    assert re.findall(r"^(?:\w+\[.*|)$", result, re.MULTILINE)[:3] == [
        "warning[W999]: look at this", "", "error[E999]: `x` is wrong",
    ]  # fmt: skip


def test_nothing_is_shown_as_nothing() -> None:
    assert render([], {}, colour=True) == ""


def test_without_the_source_the_place_and_the_label_remain() -> None:
    for sources in ({}, {"a.chain": "one line"}):
        result = render([Sample(span=at(7, 3, 4))], sources, colour=False)
        assert result == "error[E999]: `x` is wrong\n --> a.chain:7:3\n  = expected y\n"


def test_colours_change_nothing_but_the_colours() -> None:
    found = [Sample(span=at(1, 1, 2), notes=(Note(at(1, 2, 3), "n"),), hint="h"), Caution(span=at(1, 1, 2))]
    plain, coloured = (render(found, {"a.chain": "xyz"}, colour=shown) for shown in (False, True))
    assert coloured != plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_tabs_are_shown_as_blanks_up_to_the_next_stop() -> None:
    excerpt = cut_excerpt("\ta\tbc", at(1, 4, 6))
    assert excerpt is not None
    assert (excerpt.line, excerpt.indent, excerpt.width) == ("    a   bc", 8, 2)


def test_wide_and_combining_characters_take_the_columns_that_a_terminal_gives_them() -> None:
    wide = cut_excerpt("漢字 x", at(1, 4, 5))
    assert wide is not None
    assert (wide.indent, wide.width) == (5, 1)
    combining = cut_excerpt("e\u0301 x", at(1, 4, 5))
    assert combining is not None
    assert (combining.indent, combining.width) == (2, 1)


def test_a_span_over_lines_is_marked_to_the_end_of_the_first() -> None:
    excerpt = cut_excerpt("nf a {\n}\n", at(1, 4, 2, end_line=2))
    assert excerpt is not None
    assert (excerpt.indent, excerpt.width) == (3, 3)


def test_a_place_behind_the_end_of_a_line_is_marked_there() -> None:
    excerpt = cut_excerpt("abc\n", at(1, 4, 5))
    assert excerpt is not None
    assert (excerpt.line, excerpt.indent, excerpt.width) == ("abc", 3, 1)
    assert cut_excerpt("abc\n", at(2, 1, 1)) is not None
    assert cut_excerpt("abc\n", at(3, 1, 1)) is None


def test_of_a_long_line_the_part_around_the_mark_is_shown() -> None:
    text = "a" * 500 + "MARK" + "b" * 500
    excerpt = cut_excerpt(text, at(1, 501, 505))
    assert excerpt is not None
    assert excerpt.line[excerpt.indent : excerpt.indent + excerpt.width] == "MARK"
    assert excerpt.line.startswith("...")
    assert excerpt.line.endswith("...")
    assert len(excerpt.line) <= MAX_WIDTH + 6


def test_a_line_ends_at_a_line_feed_only() -> None:
    excerpt = cut_excerpt("a\x0cb\u2028c\rd\r\nsecond", at(2, 1, 3))
    assert excerpt is not None
    assert excerpt.line == "second"


@given(st.text(max_size=400), st.integers(1, 400), st.integers(1, 400))
def test_an_excerpt_never_sends_control_characters_and_marks_something(
    line: str, column: int, end_column: int
) -> None:
    excerpt = cut_excerpt(line.replace("\n", " "), at(1, column, end_column))
    assert excerpt is not None
    assert not any(unicodedata.category(character) in ("Cc", "Cf", "Cs") for character in excerpt.line)
    assert excerpt.width >= 1
    assert excerpt.indent + excerpt.width <= MAX_WIDTH + 8


def test_messages_cannot_steer_the_terminal() -> None:
    result = shown("x", at(1, 1, 2), word="\x1b[2J", expected="\u202e")
    assert "\x1b" not in result
    assert "\u202e" not in result


def test_json_has_every_part_of_a_diagnostic() -> None:
    found = Sample(span=at(1, 2, 3), notes=(Note(at(4, 5, 6, "b.chain"), "there"),), hint="do")
    (row,) = json.loads(json.dumps(to_json([found])))
    assert row == {
        "code": "E999", "severity": "error", "file": "a.chain", "line": 1, "column": 2, "end_line": 1,
        "end_column": 3, "message": "`x` is wrong", "label": "expected y", "help": "do",
        "notes": [
            {"file": "b.chain", "line": 4, "column": 5, "end_line": 4, "end_column": 6, "text": "there"}
        ],
    }  # fmt: skip


def test_the_sources_of_all_places_are_loaded_and_missing_ones_left_out(tmp_path: Path) -> None:
    first, second = tmp_path / "a.chain", tmp_path / "b.chain"
    first.write_bytes(b"\xef\xbb\xbfone")
    second.write_bytes(b"two\xff")
    notes = (Note(at(1, 1, 2, str(second)), ""), Note(at(1, 1, 2, str(tmp_path)), ""), Note(NOWHERE, ""))
    sources = load_sources([Sample(span=at(1, 1, 2, str(first)), notes=notes)])
    assert sources == {str(first): "one", str(second): "two\ufffd"}
