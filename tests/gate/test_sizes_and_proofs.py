"""The gate's chains: synthesis does not blow them up, and the result is proved equal.

How long it takes is not tested but measured: docs/gate.md.
"""

import json

import pytest
from click.testing import CliRunner

from synth.cli.commands import cli
from tests.conftest import REPOSITORY

GATE = (
    "motivating/napt_firewall_lb.chain",
    "napts/napt_10.chain",
    "routers/router_10.chain",
    "isp/isp_chain.chain",
    "isp/isp_chain_8550.chain",
)
MOST_BLOCKS = 4
"""Blocks after synthesis, times the sum of the parts: the blocks of all instances as written."""


def synth(command: str, chain: str) -> dict[str, object]:
    """Run a command of the command line with `--json`, and return what it printed."""
    done = CliRunner().invoke(cli, [command, "--json", str(REPOSITORY / "chains" / chain)])
    assert done.exit_code == 0, done.output
    printed = json.loads(done.stdout)
    assert isinstance(printed, dict)
    return printed


@pytest.mark.parametrize("chain", GATE)
def test_a_synthesized_chain_is_at_most_four_times_its_parts(chain: str) -> None:
    explained = synth("explain", chain)
    before, after = explained["before"], explained["after"]
    assert isinstance(before, dict)
    assert isinstance(after, dict)
    assert 0 < after["blocks"] <= MOST_BLOCKS * before["blocks"]
    assert explained["eliminated"]


@pytest.mark.parametrize("chain", GATE)
def test_a_synthesized_chain_is_proved_with_nothing_left_open(chain: str) -> None:
    verdict = synth("prove", chain)
    assert verdict["proved"] is True
    assert verdict["unknown"] == 0
    assert verdict["failures"] == []
