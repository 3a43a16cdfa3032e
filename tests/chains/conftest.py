import pytest

from tests.chains.machines import Engine


@pytest.fixture
def engine() -> Engine:
    """What runs a bench; `on_both_engines` takes its place."""
    return "interpreter"
