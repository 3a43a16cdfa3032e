"""One golden for each diagnostic of the checker: `CODE.chain` and, beside it, what is printed."""

import inspect
import re
import shlex
from pathlib import Path

import pytest

from synth.diagnostics.diagnostic import Diagnostic, UserError
from synth.diagnostics.render import render
from synth.diagnostics.sources import load_sources
from synth.language.checker import check_file
from synth.language.errors import names, packets, states, types, values, wiring
from tests.conftest import Golden

FOLDER = Path(__file__).parent / "diagnostics"
_MODULES = (names, types, values, packets, states, wiring)
CODES = {
    found.code: found
    for module in _MODULES
    for _, found in inspect.getmembers(module, inspect.isclass)
    if issubclass(found, Diagnostic) and found is not Diagnostic
}
CASES = sorted(path for path in FOLDER.glob("*.chain") if path.stem.split("_")[0] in CODES)


def _options(text: str) -> dict[str, object]:
    """The options that the first line of an input gives: `// options: --set a.b=c --chain d`."""
    found = re.match(r"// options: (.*)", text)
    words = shlex.split(found[1]) if found else []
    pairs = list(zip(words[::2], words[1::2], strict=True))
    return {
        "overrides": [value for name, value in pairs if name == "--set"],
        "chain": next((value for name, value in pairs if name == "--chain"), None),
        "config": next((Path(value) for name, value in pairs if name == "--config"), None),
    }


def _check(name: str) -> tuple[Diagnostic, ...]:
    try:
        return check_file(name, **_options(Path(name).read_text(encoding="utf-8"))).warnings
    except UserError as error:
        return error.diagnostics


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.stem)
def test_each_diagnostic_is_printed_as_its_golden_says(
    case: Path, golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(FOLDER)
    found = _check(case.name)
    assert case.stem.split("_")[0] in {diagnostic.code for diagnostic in found}
    golden(case.with_suffix(".txt"), render(found, load_sources(found), colour=False))


def test_each_code_of_the_checker_has_an_input() -> None:
    assert sorted(CODES) == sorted({case.stem.split("_")[0] for case in CASES})
