"""The grammar and the library are found in a checkout and in a wheel."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

from synth.resources import chains_folder, grammar_folder
from tests.conftest import REPOSITORY


def test_a_checkout_has_them_beside_the_package() -> None:
    assert grammar_folder() == REPOSITORY / "grammar"
    assert chains_folder() == REPOSITORY / "chains"
    assert (grammar_folder() / "chain.lark").is_file()
    assert (chains_folder() / "nf").is_dir()


def test_an_installed_package_has_them_inside(tmp_path: Path) -> None:
    for folder in ("grammar", "chains"):
        (tmp_path / "synth" / "_data" / folder).mkdir(parents=True)
    (tmp_path / "synth" / "__init__.py").touch()
    source = (REPOSITORY / "synth" / "resources.py").read_text(encoding="utf-8")
    (tmp_path / "synth" / "resources.py").write_text(source, encoding="utf-8")
    code = "from synth.resources import *; print(grammar_folder(), chains_folder(), sep='\\n')"
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout.split()
    assert found == [str(tmp_path / "synth" / "_data" / name) for name in ("grammar", "chains")]


def test_a_wheel_carries_them(tmp_path: Path, full: bool) -> None:
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    included = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["force-include"]
    assert included["grammar"] == "synth/_data/grammar"
    assert included["chains"] == "synth/_data/chains"
    if not full:
        return
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", str(tmp_path), str(REPOSITORY)]
    subprocess.run(command, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "synth/_data/grammar/chain.lark" in names
    assert "synth/_data/chains/nf/acl.chain" in names
