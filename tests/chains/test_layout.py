"""The library and the example chains as files: they check, and look as `synth fmt` prints them."""

import re
from pathlib import Path

import pytest

from synth.language.checker import check_file, check_library_nf
from synth.language.formatter import format_text
from tests.chains.bench import CHAINS

LIBRARY = sorted((CHAINS / "nf").glob("*.chain"))
EXAMPLES = sorted(set(CHAINS.glob("*/*.chain")) - set(LIBRARY))


def name_of(path: Path) -> str:
    return path.stem


@pytest.mark.parametrize("path", [*LIBRARY, *EXAMPLES], ids=name_of)
def test_each_file_has_the_canonical_layout(path: Path) -> None:
    text = path.read_text()
    assert format_text(text, str(path)) == text


@pytest.mark.parametrize("path", LIBRARY, ids=name_of)
def test_each_file_of_the_library_holds_the_nf_of_its_name_without_a_warning(path: Path) -> None:
    assert f"\nnf {path.stem}" in path.read_text()
    assert check_library_nf(path).warnings == ()


@pytest.mark.parametrize("path", LIBRARY, ids=name_of)
def test_each_drop_and_counter_of_a_library_nf_is_described_at_its_top(path: Path) -> None:
    head, _, body = path.read_text().partition("\nnf ")
    assert set(re.findall(r"\bdrop (\w+)", body)) == described(head, "Drops")
    assert set(re.findall(r"^    counter (\w+)", body, re.MULTILINE)) == described(head, "Counts")


@pytest.mark.parametrize("path", LIBRARY, ids=name_of)
def test_each_library_nf_states_its_policy_for_fragments(path: Path) -> None:
    assert "\n/// Fragments: " in path.read_text().partition("\nnf ")[0]


def described(head: str, section: str) -> set[str]:
    """Return the names that begin the lines of a section of an NF's description."""
    _, _, rest = head.partition(f"\n/// {section}:\n")
    lines = rest.partition("\n///\n")[0].split("\n")
    found = [re.match(r"///   (\w+(?:, \w+)*)   *\S", line) for line in lines]
    return {name for match in found if match is not None for name in match.group(1).split(", ")}


@pytest.mark.parametrize("path", EXAMPLES, ids=name_of)
def test_each_example_holds_one_chain_of_its_name(path: Path) -> None:
    chain = check_file(path).chain
    assert chain is not None
    assert chain.name == path.stem


def test_every_data_file_is_used_by_a_chain() -> None:
    folders = [path for path in CHAINS.iterdir() if path.is_dir()]
    texts = {folder: "".join(path.read_text() for path in folder.glob("*.chain")) for folder in folders}
    data = [path for path in CHAINS.glob("*/*") if path.suffix in (".rules", ".routes", ".yaml")]
    assert len(data) > 20
    assert [path for path in data if f'"{path.name}"' not in texts[path.parent]] == []


def test_the_rows_reach_from_one_to_ten() -> None:
    names = {path.stem for path in EXAMPLES}
    assert {f"{kind}_{count}" for kind in ("router", "napt") for count in range(1, 11)} <= names
