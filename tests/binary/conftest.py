"""Binaries that `synth build` makes, built once."""

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY

SYNTH = Path(sys.executable).with_name("synth")


@dataclass(frozen=True, slots=True)
class BuiltChain:
    """What `synth build` left: the binary and report.json."""

    binary: Path
    report: dict[str, Any]


def build(source: Path, folder: Path, *options: str) -> BuiltChain:
    """Build a chain with the command that a person uses."""
    done = subprocess.run(
        [str(SYNTH), "build", str(source), "-o", str(folder), *options],
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    report = json.loads((folder / "report.json").read_text())
    return BuiltChain(folder / report["chain"], report)


@pytest.fixture(scope="session")
def isp(tmp_path_factory: pytest.TempPathFactory) -> BuiltChain:
    """The ISP chain of 251 rules."""
    return build(REPOSITORY / "chains" / "isp" / "isp_chain.chain", tmp_path_factory.mktemp("isp"))
