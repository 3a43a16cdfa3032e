"""Routing tables: what they mean, and what is said about wrong ones."""

import time
from pathlib import Path

import pytest

from synth.diagnostics.diagnostic import Diagnostic
from synth.diagnostics.spans import Span
from synth.language.files.routes import NextHops, load_routes
from synth.language.files.source import FileReference
from synth.language.values import PrefixValue, RouteTableValue

HOPS: NextHops = {"core": (1,), "edge": (0,), "192.0.2.1": (2,), "nowhere": None}


def load(path: Path, text: str | None, hops: NextHops = HOPS) -> tuple[RouteTableValue, list[Diagnostic]]:
    if text is not None:
        path.write_text(text)
    found: list[Diagnostic] = []
    reference = FileReference(path=path, shown="isp.routes", span=Span("isp.chain", 9, 4, 9, 16))
    return load_routes(reference, hops, found.append), found


def test_routes_are_prefixes_with_the_scalars_of_their_next_hop(tmp_path: Path) -> None:
    table, found = load(
        tmp_path / "r",
        "# comment\n0.0.0.0/0 core\n10.0.0.0/8\t192.0.2.1 // by address\n\n"
        "10.1.0.0/16 discard\n10.2.0.9 nowhere\n",
    )
    assert found == []
    assert [(route.prefix, route.result, route.span.line) for route in table.routes] == [
        (PrefixValue(0, 0), (1,), 2),
        (PrefixValue(0x0A000000, 8), (2,), 3),
        (PrefixValue(0x0A010000, 16), None, 5),
        (PrefixValue(0x0A020009, 32), None, 6),
    ]


@pytest.mark.parametrize(
    ("line", "code", "column", "message", "label"),
    [
        ("10.0.0.0/8 cora", "E522", 12, "unknown next hop `cora`", "(did you mean `core`?)"),
        ("10.0.0.0/8 zzzz", "E522", 12, "unknown next hop `zzzz`", "discard, core, edge"),
        ("10.0.0.0/8", "E503", 11, "the line ends too early", "a next hop after the prefix"),
        ("10.0.0.0/8 core 3", "E502", 17, "unexpected `3`", "the end of the line"),
        ("10.0.0.1/8 core", "E504", 1, "has bits set behind its 8 bits", "a network address"),
        ("default core", "E502", 1, "unexpected `default`", "an IPv4 address or prefix"),
        ("2001:db8::/32 core", "E507", 1, "`2001:db8::/32` is IPv6", "expected IPv4"),
        ("10.0.0.0/40 core", "E505", 10, "40 is out of range", "from 0 to 32"),
    ],
)
def test_a_wrong_line_is_told_with_its_place(
    tmp_path: Path, line: str, code: str, column: int, message: str, label: str
) -> None:
    table, (found,) = load(tmp_path / "r", f"0.0.0.0/0 core\n{line}\n")
    assert len(table.routes) == 1
    assert (found.code, str(found.span)) == (code, f"isp.routes:2:{column}")
    assert message in found.message
    assert label in found.label_text


def test_a_prefix_with_two_next_hops_is_an_error_that_shows_both_lines(tmp_path: Path) -> None:
    _, (found,) = load(tmp_path / "r", "10.0.0.0/8 core\n0.0.0.0/0 core\n10.0.0.0/8 edge\n")
    assert (found.code, found.span.line, found.notes[0].span.line) == ("E520", 3, 1)
    assert found.label_text == "`edge` here, `core` in line 1"


def test_a_line_that_stands_twice_is_a_warning_and_counts_once(tmp_path: Path) -> None:
    table, (found,) = load(tmp_path / "r", "10.0.0.0/8 core\n10.0.0.0/8 core\n10.0.0.0/8 core\n")
    assert (found.code, found.severity, found.span.line) == ("W521", "warning", 2)
    assert found.help_text == "1 more line repeats a route"
    assert len(table.routes) == 1


def test_a_missing_table_is_reported_where_it_is_named(tmp_path: Path) -> None:
    table, (found,) = load(tmp_path / "none", None)
    assert (found.code, str(found.span), table.routes) == ("E500", "isp.chain:9:4", ())


def test_a_table_of_82377_prefixes_loads_within_two_seconds(shared_data: Path) -> None:
    hops = {f"nh{number}": (number,) for number in range(7)}
    started = time.process_time()
    table, found = load(shared_data / "routes" / "rrc00_20000111.txt", None, hops)
    assert time.process_time() - started < 2
    assert found == []
    assert len(table.routes) == 82377
