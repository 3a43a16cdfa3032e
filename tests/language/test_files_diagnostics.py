"""One golden for each diagnostic of data files: `CODE.chain` with its data, and what is printed."""

import inspect
import re
import shlex
from pathlib import Path

import pytest

from synth.diagnostics.diagnostic import Diagnostic, UserError
from synth.diagnostics.render import render
from synth.diagnostics.sources import load_sources
from synth.language.checker import check_file
from synth.language.errors import files
from tests.conftest import Golden

FOLDER = Path(__file__).parent / "file_diagnostics"
CASES = sorted(FOLDER.glob("*.chain"))
CODES = sorted(
    found.code
    for _, found in inspect.getmembers(files, inspect.isclass)
    if issubclass(found, Diagnostic) and found.__module__ == files.__name__
)


def code_of(case: Path) -> str:
    return case.stem.split("_")[0]


def check(case: Path) -> tuple[Diagnostic, ...]:
    """Check a file with the options of its first line, `// options: --set a.b=c --config FILE`."""
    options = re.match(r"// options: (.*)", case.read_text())
    words = shlex.split(options[1]) if options else []
    given = dict(zip(words[::2], words[1::2], strict=True))
    config = Path(given["--config"]) if "--config" in given else None
    overrides = [given["--set"]] if "--set" in given else []
    try:
        return check_file(case.name, config=config, overrides=overrides).warnings
    except UserError as error:
        return error.diagnostics


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.stem)
def test_each_diagnostic_is_printed_as_its_golden_says(
    case: Path, golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FOLDER)
    found = check(case)
    assert code_of(case) in {diagnostic.code for diagnostic in found}
    golden(case.with_suffix(".txt"), render(found, load_sources(found), colour=False))


def test_each_code_of_data_files_has_an_input_and_belongs_to_one_diagnostic() -> None:
    assert sorted({code_of(case) for case in CASES}) == CODES
