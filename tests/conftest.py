"""Options and fixtures that all tests share."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

REPOSITORY = Path(__file__).resolve().parent.parent

# A busy machine fails no test: nothing here is timed.
settings.register_profile("untimed", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("untimed")

Golden = Callable[[Path, str], None]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the long tests at full length")
    parser.addoption("--update-goldens", action="store_true", help="rewrite the golden files")


@pytest.fixture(scope="session")
def full(request: pytest.FixtureRequest) -> bool:
    """Whether the long runs were asked for."""
    return bool(request.config.getoption("--full"))


@pytest.fixture(scope="session")
def golden(request: pytest.FixtureRequest) -> Golden:
    """Compare a text with a golden file, or rewrite the file under `--update-goldens`."""
    is_update = bool(request.config.getoption("--update-goldens"))

    def check(path: Path, text: str) -> None:
        if is_update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        assert path.exists(), f"no golden file {path}: run pytest with --update-goldens"
        assert text == path.read_text(encoding="utf-8")

    return check


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of public captures, rules and routes; tests that need it skip without it."""
    folder = Path(os.environ.get("SYNTH_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no test data at {folder}: set SYNTH_SHARED_DATA to its folder")
    return folder
