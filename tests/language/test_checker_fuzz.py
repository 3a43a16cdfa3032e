"""Whatever stands in a file, the checker answers with a chain or with diagnostics."""

import random
import re
import shutil
from pathlib import Path

import pytest

from synth.diagnostics.diagnostic import UserError
from synth.diagnostics.render import render
from synth.language.checker import check_file
from synth.resources import chains_folder, grammar_folder

_TOKEN = re.compile(r'"[^"\n]*"|//[^\n]*|[A-Za-z_]\w*|\d[\w.:/]*|\s+|<->|->|&&|\|\||==|!=|<=|>=|.', re.DOTALL)
_KEYWORDS = frozenset(
    re.findall(r'"([a-z]+)"', (grammar_folder() / "chain.lark").read_text(encoding="utf-8"))
)
_OPERATORS = ("==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "&", "|", "&&", "||")
_WRAPPED = {
    "acl": 'rules: ["permit tcp"]',
    "firewall": "",
    "load_balancer": "service: 10.0.0.1, backends: [10.0.0.2, 10.0.0.3]",
    "napt": "public: 192.0.2.1",
    "napt_per_flow": "public: 192.0.2.1",
}


def _sources() -> list[str]:
    """Well-formed files: the library, in a chain where that is easy, and every diagnostic's input."""
    found = []
    for path in sorted((chains_folder() / "nf").glob("*.chain")):
        text = path.read_text(encoding="utf-8")
        found.append(text)
        if path.stem in _WRAPPED:
            found.append(
                f"{text}\nchain c {{\n    interface lan {{ mac 02:00:00:00:00:01 }}\n"
                f"    interface wan {{ mac 02:00:00:00:00:02 }}\n"
                f"    x = {path.stem}({_WRAPPED[path.stem]})\n    lan <-> x <-> wan\n    budget 2\n}}\n"
            )
    folder = Path(__file__).parent / "diagnostics"
    inputs = [path for path in sorted(folder.glob("[EW]*.chain")) if path.stem[:2] != "E0"]
    return [*found, *(path.read_text(encoding="utf-8") for path in inputs)]


def _sort(token: str) -> str:
    if token in _KEYWORDS or token.isspace() or token.startswith(("//", '"')):
        return ""
    if token[0].isalpha() or token[0] == "_":
        return "name"
    if token[0].isdigit():
        return "number"
    return "operator" if token in _OPERATORS else ""


def _mutate(text: str, others: list[str], rng: random.Random) -> str:
    """Exchange a token for another of its sort, or delete, repeat, move or borrow a line."""
    if rng.random() < 0.6:
        tokens = _TOKEN.findall(text)
        places = [place for place, token in enumerate(tokens) if _sort(token)]
        if places:
            place = rng.choice(places)
            pool = tokens if rng.random() < 0.6 else _TOKEN.findall(rng.choice(others))
            alike = [token for token in pool if _sort(token) == _sort(tokens[place])]
            tokens[place] = rng.choice(alike or [tokens[place]])
        return "".join(tokens)
    lines = text.split("\n")
    place, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[place]
        case 1:
            lines.insert(other, lines[place])
        case 2:
            lines[place], lines[other] = lines[other], lines[place]
        case _:
            lines.insert(place, rng.choice(rng.choice(others).split("\n")))
    return "\n".join(lines)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the data files that the sources name."""
    made = tmp_path_factory.mktemp("fuzz")
    for path in (Path(__file__).parent / "diagnostics").iterdir():
        if path.suffix in (".rules", ".chain"):
            shutil.copy(path, made)
    return made


@pytest.mark.parametrize("seed", range(8))
def test_a_mutated_file_is_checked_or_refused_but_never_breaks_the_checker(
    seed: int, folder: Path, full: bool
) -> None:
    rng = random.Random(seed)
    sources = _sources()
    path = folder / "mutated.chain"
    checked = 0
    for _ in range(5000 if full else 60):
        text = rng.choice(sources)
        for _ in range(rng.randint(1, 3)):
            text = _mutate(text, sources, rng)
        path.write_text(text, encoding="utf-8")
        try:
            found = check_file(path).warnings
        except UserError as error:
            found = error.diagnostics
        checked += all(diagnostic.code >= "E100" for diagnostic in found)
        render(found, {str(path): text}, colour=False)
    assert checked > 10, "the mutations hardly get through the parser"
