"""Collecting diagnostics, and guessing what was meant."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from synth.diagnostics.diagnostic import Diagnostic, Severity, UserError
from synth.diagnostics.reporter import Reporter
from synth.diagnostics.spans import Span
from synth.diagnostics.suggest import closest, did_you_mean


@dataclass(frozen=True, kw_only=True)
class Wrong(Diagnostic):
    code: ClassVar[str] = "E999"
    title: ClassVar[str] = "wrong {what}"

    what: str = ""


@dataclass(frozen=True, kw_only=True)
class Odd(Diagnostic):
    code: ClassVar[str] = "W999"
    severity: ClassVar[Severity] = "warning"
    title: ClassVar[str] = "odd"


def at(line: int, file: str = "a") -> Span:
    return Span(file, line, 1, line, 2)


def test_diagnostics_come_out_in_source_order_and_once() -> None:
    reporter = Reporter()
    for line in (9, 10, 1, 9):
        reporter.report(Wrong(span=at(line)))
    reporter.report(Wrong(span=at(9), what="twice"))
    reporter.report(Odd(span=at(9)))
    reporter.report(Odd(span=at(1, "b")))
    found = [(each.span.file, each.span.line, each.message) for each in reporter.diagnostics]
    assert found == [
        ("a", 1, "wrong "), ("a", 9, "wrong "), ("a", 9, "wrong twice"), ("a", 9, "odd"),
        ("a", 10, "wrong "), ("b", 1, "odd"),
    ]  # fmt: skip


def test_warnings_alone_raise_nothing() -> None:
    reporter = Reporter()
    reporter.raise_if_errors()
    reporter.report(Odd(span=at(1)))
    assert not reporter.has_errors
    reporter.raise_if_errors()


def test_an_error_raises_everything_that_was_found() -> None:
    reporter = Reporter()
    reporter.report(Wrong(span=at(2)))
    reporter.report(Odd(span=at(1)))
    assert reporter.has_errors
    with pytest.raises(UserError, match="a:1:1: odd; a:2:1: wrong") as raised:
        reporter.raise_if_errors()
    assert raised.value.diagnostics == reporter.diagnostics


def test_the_word_that_looks_most_alike_is_suggested() -> None:
    assert did_you_mean("tabel", ["vector", "table", "tables"]) == " (did you mean `table`?)"
    assert did_you_mean("TABLE", ["table"]) == " (did you mean `table`?)"
    assert did_you_mean("mbit/s", ["Mbit/s", "kbit/s"]) == " (did you mean `Mbit/s`?)"


def test_nothing_is_suggested_when_nothing_is_alike() -> None:
    assert did_you_mean("xyz", ["table", "vector"]) == ""
    assert did_you_mean("table", ["table"]) == ""
    assert did_you_mean("", []) == ""


def test_suggestions_do_not_depend_on_the_order_of_the_candidates() -> None:
    words = ["abcd", "abce", "abcf"]
    assert closest("abcx", words) == closest("abcx", reversed(words)) == closest("abcx", set(words))
