"""Synthesized, proved binaries, built once for all tests of a process."""

from collections.abc import Callable

import pytest

from tests.conftest import REPOSITORY
from tests.gate.machine import CHAINS, Machine, build_machine

GetMachine = Callable[[str], Machine]


@pytest.fixture(scope="session")
def machine(tmp_path_factory: pytest.TempPathFactory) -> GetMachine:
    """Return the machine of a chain: one of `tests/gate/chains` by its name, or a path in `chains/`."""
    built: dict[str, Machine] = {}

    def get(name: str) -> Machine:
        if name not in built:
            path = REPOSITORY / "chains" / name if "/" in name else CHAINS / f"{name}.chain"
            built[name] = build_machine(path, tmp_path_factory.mktemp("machine"))
        return built[name]

    return get
