import shutil
from pathlib import Path

import pytest

from synth.library.starter import new_chain
from tests.conftest import REPOSITORY


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A directory with a chain, edge.chain, and captures of both of its interfaces."""
    new_chain("edge", tmp_path)
    for name in ("lan", "wan"):
        shutil.copy(REPOSITORY / "chains" / "isp" / f"{name}.pcap", tmp_path)
    return tmp_path
