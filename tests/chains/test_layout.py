"""The library and the example chains as files: they check, and look as `synth fmt` prints them."""

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
def test_each_drop_of_a_library_nf_is_described_at_its_top(path: Path) -> None:
    text = path.read_text()
    head, _, body = text.partition("\nnf ")
    dropped = {words.split()[0] for words in body.split("drop ")[1:]}
    described = {
        line.split()[1] for line in head.split("Drops:")[-1].split("\n") if line.startswith("///   ")
    }
    described = {name for name in described if f"///   {name} " in head}
    assert dropped == described


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
