"""What is said about text that is no program: goldens, places, and that it never breaks."""

import inspect
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.diagnostics.diagnostic import Diagnostic, UserError
from synth.diagnostics.render import render, to_json
from synth.diagnostics.sources import load_sources
from synth.diagnostics.spans import Span
from synth.language.errors import syntax as errors
from synth.language.formatter import format_text
from synth.language.parser import parse_file, parse_text
from synth.resources import chains_folder
from tests.conftest import Golden
from tests.language.programs import random_program

FOLDER = Path(__file__).parent / "diagnostics"
CODES = sorted(
    found.code
    for _, found in inspect.getmembers(errors, inspect.isclass)
    if issubclass(found, Diagnostic) and found is not Diagnostic
)
CASES = sorted(path for path in FOLDER.glob("E0*.chain"))
LIBRARY = [path.read_text(encoding="utf-8") for path in sorted(chains_folder().rglob("*.chain"))]

FRAGMENTS = (
    "{", "}", "(", ")", "[", "]", '"', ";", ":", "::", ",", ".", "..", "=", "<", "->", "\n", " ", "\t",
    "nf ", "\nnf x {\n", "\nchain y {\n", "let ", "or ", "if ", "emit", "drop", "table", "0x", "1.5", "//",
    "///", "\x00", "é", "\u202e", "\ud800", "漢",
)  # fmt: skip


def errors_of(text: str) -> tuple[Diagnostic, ...]:
    with pytest.raises(UserError) as raised:
        parse_text(text, "test.chain")
    return raised.value.diagnostics


def in_handler(*lines: str) -> str:
    return "\n".join(("nf a {", "from inside (pkt) {", *lines, "}", "}"))


def places(found: tuple[Diagnostic, ...]) -> list[tuple[str, int, int]]:
    return [(each.code, each.span.line, each.span.column) for each in found]


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_each_diagnostic_is_printed_as_its_golden_says(
    case: Path, golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FOLDER)
    with pytest.raises(UserError) as raised:
        parse_file(case.name)
    found = raised.value.diagnostics
    assert case.stem.split("_")[0] in {each.code for each in found}
    golden(case.with_suffix(".txt"), render(found, load_sources(found), colour=False))


def test_each_syntax_code_has_an_input() -> None:
    # A file that cannot be read has no text that could stand here: see the next tests.
    assert sorted({case.stem.split("_")[0] for case in CASES} | {"E012"}) == CODES


def test_a_missing_file_is_a_diagnostic_with_the_name_of_the_file() -> None:
    with pytest.raises(UserError) as raised:
        parse_file("missing.chain")
    (found,) = raised.value.diagnostics
    assert found.code == "E012"
    assert found.message == "cannot read missing.chain: there is no such file"
    assert str(found.span) == "missing.chain:1:1"


def test_a_missing_file_is_reported_where_it_is_named() -> None:
    place = Span("edge.chain", 3, 5, 3, 20)
    with pytest.raises(UserError) as raised:
        parse_file(Path("missing.chain"), place)
    assert raised.value.diagnostics[0].span == place


def test_a_folder_is_not_read_as_a_file(tmp_path: Path) -> None:
    with pytest.raises(UserError) as raised:
        parse_file(tmp_path)
    (found,) = raised.value.diagnostics
    assert (found.code, found.message) == ("E012", f"cannot read {tmp_path}: it is a folder")


def test_a_name_that_no_file_can_have_is_a_diagnostic() -> None:
    with pytest.raises(UserError) as raised:
        parse_file("a\0b.chain")
    assert raised.value.diagnostics[0].code == "E012"


def test_the_byte_that_is_not_utf8_is_shown_by_its_place(tmp_path: Path) -> None:
    path = tmp_path / "latin.chain"
    path.write_bytes("nf a {}\n// é ".encode() + b"\xff\n")
    with pytest.raises(UserError) as raised:
        parse_file(path)
    assert places(raised.value.diagnostics) == [("E013", 2, 6)]


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "marked.chain"
    path.write_bytes(b"\xef\xbb\xbfnf a {}\n")
    assert parse_file(path).items[0].span.column == 1


@pytest.mark.parametrize("text", ["", "\n", "// nothing", "use nf: a\n"])
def test_a_file_that_declares_nothing_is_refused(text: str) -> None:
    assert [each.code for each in errors_of(text)] == ["E005"]


def test_errors_in_several_statements_are_all_reported_in_order() -> None:
    text = in_handler("let x = ", "drop y", "emmit outside", "let z = 5mss", "emit outside")
    assert places(errors_of(text)) == [("E001", 4, 1), ("E008", 5, 1), ("E009", 6, 9)]


def test_a_broken_item_does_not_hide_errors_of_the_next() -> None:
    text = "nf a { from (pkt) { drop x } }\nnf b { tabel t { capacity 3 } }\nchian c { }\n"
    assert places(errors_of(text)) == [("E001", 1, 13), ("E008", 2, 8), ("E008", 3, 1)]


def test_an_open_parenthesis_costs_one_statement_only() -> None:
    text = in_handler("let x = f(a, b", "let y = 3", "let z = ", "drop w")
    found = errors_of(text)
    assert places(found) == [("E001", 4, 1), ("E001", 6, 1)]
    assert [note.text for note in found[0].notes] == ["this `(` is open"]


def test_a_brace_left_open_is_found_by_the_layout() -> None:
    text = "nf a {\n    from x (p) {\n        if q {\n            drop r\n    }\n}\n\nnf b {}\n"
    (found,) = errors_of(text)
    assert places((found,)) == [("E010", 3, 14)]
    assert [note.text for note in found.notes] == ["`nf` begins here"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("let x = a +", "expected an expression, found `}`"),
        ("let x 3", "expected `=`, found `3`"),
        ("drop", "expected the reason of the drop, found `}`"),
        ("emit", "expected a name or `others`, found `}`"),
        ("foo", "expected `.`, `=`, `(` or `[`, found `}`"),
        ("touch", "expected a timer of an entry, found `}`"),
        ("match 3 {}", "expected the name of the packet, found `3`"),
    ],
)
def test_what_was_expected_is_told_in_words(line: str, message: str) -> None:
    assert [each.message for each in errors_of(in_handler(line))] == [message]


def test_a_type_a_pattern_and_a_value_are_called_so() -> None:
    assert errors_of("record r { a: = }")[0].message == "expected a type, found `=`"
    assert errors_of("nf a { from b (p: ) {} }")[0].message == "expected a pattern, found `)`"
    assert errors_of("chain c { a = b(x: ) }")[0].message == "expected a value, found `)`"
    assert errors_of("3")[0].message == "expected `use`, `record`, `fn`, `nf` or `chain`, found `3`"


@pytest.mark.parametrize(
    ("line", "help_text"),
    [
        ("if a = b { drop c }", "`==` compares; `=` assigns"),
        ("a == b", "`=` assigns; `==` compares"),
        ("if a < b < c { drop d }", "comparisons do not chain: join two of them with `&&`"),
        ("while a { drop b }", "the language has no loops"),
        ("/* note */", "comments begin with `//` and end with the line"),
        ("let a = -1", "numbers have no sign: write `0 -% x` to wrap around"),
        ("let a = 'x'", 'strings stand in double quotes: `"`'),
        ("let a = 3 # note", "comments begin with `//`"),
    ],
)
def test_habits_of_other_languages_get_a_hint(line: str, help_text: str) -> None:
    assert errors_of(in_handler(line))[0].help_text == help_text


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("let x = 1\nlte y = 2", "let"),
        ("tuch entry.idle", "touch"),
        ("if a and b { drop c }", "&&"),
        ("if a or b { drop c }", "||"),
        ("discard all", "drop"),
    ],
)
def test_misspelled_and_foreign_words_are_recognized(line: str, meant: str) -> None:
    assert errors_of(in_handler(line))[0].label_text == f"did you mean `{meant}`?"


def test_deep_nesting_is_refused_and_does_not_break_the_parser() -> None:
    for opening, closing in (("(", ")"), ("!", ""), ("f(", ")"), ("x[", "]"), ("if a then b else ", "")):
        text = in_handler(f"let x = {opening * 20_000}1{closing * 20_000}")
        assert [each.code for each in errors_of(text)] == ["E007"]
    for row in ("1 + " * 5_000 + "1", "a" + ".b" * 5_000, "a" + "()" * 5_000):
        assert [each.code for each in errors_of(in_handler(f"let x = {row}"))] == ["E007"]
    blocks = in_handler("if a {" * 5_000 + "}" * 5_000)
    assert [each.code for each in errors_of(blocks)] == ["E007"]


def test_long_lists_are_not_deep() -> None:
    items = ", ".join(str(number) for number in range(5_000))
    assert len(parse_text(f"chain c {{ a = b(x: [{items}]) }}", "c").items) == 1


def test_two_statements_on_a_line_need_a_semicolon() -> None:
    assert places(errors_of(in_handler("let x = 1 let y = 2"))) == [("E006", 3, 11)]
    parse_text(in_handler("let x = 1; let y = 2;"), "c")


def test_the_parts_of_an_interface_delimit_themselves() -> None:
    parse_text("chain c { interface lan { mac 02:00:00:00:00:01  address 10.0.0.1/8 } }", "c")


def survives(text: str) -> None:
    """The text parses and formats, or is refused with diagnostics that can be shown."""
    started = time.monotonic()
    found: tuple[Diagnostic, ...] | None = None
    try:
        format_text(text, "fuzz.chain")
    except UserError as error:
        found = error.diagnostics
    if found is not None:
        assert 1 <= len(found) <= 21
        for is_coloured in (True, False):
            assert render(found, {"fuzz.chain": text}, colour=is_coloured)
        assert to_json(found)
    assert time.monotonic() - started < 20


def mutated(seed: int) -> str:
    draw = random.Random(seed)
    text = draw.choice(LIBRARY) if draw.random() < 0.7 else random_program(seed)
    for _ in range(draw.randint(1, 6)):
        start = draw.randrange(len(text) + 1)
        end = min(len(text), start + draw.choice((1, 1, 2, 5, 20, 100)))
        middle = draw.choice(("", draw.choice(FRAGMENTS), text[start:end] * 2))
        text = text[:start] + middle + text[end:]
    return text[: draw.randrange(len(text) + 1)] if draw.random() < 0.1 else text


def test_mutated_library_files_are_parsed_or_refused(full: bool) -> None:
    for seed in range(5_000 if full else 300):
        survives(mutated(seed))


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.text(max_size=300), st.lists(st.sampled_from(FRAGMENTS), max_size=60).map("".join)))
def test_random_text_is_parsed_or_refused(text: str) -> None:
    survives(text)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=300))
def test_random_bytes_in_a_file_are_parsed_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "fuzz.chain"
    path.write_bytes(content)
    with pytest.raises(UserError) as raised:
        parse_file(path)
    assert render(raised.value.diagnostics, load_sources(raised.value.diagnostics), colour=False)


def test_a_large_file_of_errors_is_refused_quickly() -> None:
    started = time.monotonic()
    for text in ("}" * 100_000, "nf x {\n" * 20_000, "let x = \n" * 20_000, "((((" * 50_000, '"\n' * 50_000):
        assert len(errors_of(text)) <= 21
    assert time.monotonic() - started < 60
