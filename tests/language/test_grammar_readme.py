"""The reference of the language: its examples are programs, and it leaves nothing out."""

import re
from pathlib import Path

import pytest

from synth.language.checker import check_file
from synth.language.formatter import format_text
from synth.language.parser import parse_text
from synth.net.fields import FIELDS
from synth.net.kinds import HEADERS
from synth.resources import grammar_folder

TEXT = (grammar_folder() / "README.md").read_text(encoding="utf-8")
GRAMMAR = (grammar_folder() / "chain.lark").read_text(encoding="utf-8")

# How each kind of example becomes a file: what is put around it.
AROUND = {
    "chain": "%s",
    "chain items": "chain example {\n%s}\n",
    "chain nf": "nf example {\n%s}\n",
    "chain statements": "nf example {\n    from inside (pkt) {\n%s    }\n}\n",
}
INDENT = {"chain": "", "chain items": " " * 4, "chain nf": " " * 4, "chain statements": " " * 8}
EXAMPLES = [
    (TEXT.count("\n", 0, found.start()) + 1, found[1], found[2])
    for found in re.finditer(r"^```(chain[ \w]*)\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
]


def as_file(kind: str, example: str) -> str:
    indented = "".join(f"{INDENT[kind]}{line}".rstrip() + "\n" for line in example.splitlines())
    return AROUND[kind] % indented


@pytest.mark.parametrize(("line", "kind", "example"), EXAMPLES)
def test_each_example_parses_and_has_the_canonical_layout(line: int, kind: str, example: str) -> None:
    text = as_file(kind, example)
    path = f"README.md:{line}"
    parse_text(text, path)
    assert re.sub(r" +//.*", "", format_text(text, path)) == re.sub(r" +//.*", "", text)


@pytest.mark.parametrize(("line", "kind", "example"), [each for each in EXAMPLES if each[1] == "chain"])
def test_each_whole_file_is_correct(line: int, kind: str, example: str, tmp_path: Path) -> None:
    path = tmp_path / f"line_{line}.chain"
    path.write_text(example, encoding="utf-8")
    assert check_file(path).warnings == ()


def test_there_are_examples_of_each_kind() -> None:
    assert {kind for _, kind, _ in EXAMPLES} == set(AROUND)


def test_every_header_and_every_field_is_listed() -> None:
    assert [header for header in HEADERS if f"`{header}`" not in TEXT] == []
    for field in FIELDS.values():
        rows = [row for row in TEXT.splitlines() if row.startswith("|") and f"`{field.header}`" in row]
        shown = f"`{field.name}`" if field.is_writable else f"*`{field.name}`*"
        assert any(shown in row for row in rows), field.path


def test_every_keyword_occurs_in_an_example() -> None:
    rules = GRAMMAR.split("// ---------------------------------------------------------------- tokens")[0]
    rules = re.sub(r"//.*", "", rules)
    keywords = {*re.findall(r'"([a-z]+)"', rules), "any", "others", "true", "false"}
    words = set(re.findall(r"[a-z]+", " ".join(example for _, _, example in EXAMPLES)))
    assert sorted(keywords - words) == []


def test_every_unit_is_listed() -> None:
    quantity = next(row for row in GRAMMAR.splitlines() if row.startswith("QUANTITY"))
    inner = re.search(r"\)\?\((.*)\)\(\?!", quantity)
    assert inner is not None
    units = inner[1].replace("\\/", "/").replace("[kMGT]bit/s", "kbit/s|Mbit/s|Gbit/s|Tbit/s").split("|")
    assert [unit for unit in units if not re.search(rf"`(?:[\d.]+)?{unit}`", TEXT)] == []
