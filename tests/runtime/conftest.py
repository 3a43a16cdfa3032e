"""Fixtures of the runtime's tests."""

from pathlib import Path

import pytest

from tests.runtime.compiling import COMPILERS, HERE, RUNTIME, compile_c, runtime_units


@pytest.fixture(scope="session", params=COMPILERS)
def compiler(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def echo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both hosts around a core written by hand, under ASan and UBSan."""
    target = tmp_path_factory.mktemp("echo") / "echo"
    return compile_c("gcc", [*runtime_units(), HERE / "echo_core.c"], target, with_dpdk=True)


@pytest.fixture(scope="session")
def table_asker(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that asks static tables."""
    target = tmp_path_factory.mktemp("tables") / "tables"
    units = ["eal", "host", "static_tables", "rules", "routes", "lists"]
    sources = [HERE / "tables.c", HERE / "echo_core.c", *(RUNTIME / f"{unit}.c" for unit in units)]
    return compile_c("gcc", sources, target, with_dpdk=True)
