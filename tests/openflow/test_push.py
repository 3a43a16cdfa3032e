"""Pushes through Ryu to a real Open vSwitch: all or nothing, ours only, and told as it is."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.conftest import REPOSITORY


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("push")
    done = subprocess.run(
        ["unshare", "--net", sys.executable, "-m", "tests.openflow.live_push", folder],
        capture_output=True, text=True, check=False, timeout=120, cwd=REPOSITORY,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def ours(step: Any) -> list[str]:
    return [flow for flow in step["flows"] if "cookie=0x53594e54" in flow]


def foreign(step: Any) -> list[str]:
    return [flow for flow in step["flows"] if "cookie=0x53594e54" not in flow]


def test_a_push_makes_the_table_what_it_should_be_and_a_second_one_changes_nothing(steps: Any) -> None:
    assert steps["first"]["said"] == "20 entries added, 0 removed, 0 kept as they were"
    assert len(ours(steps["first"])) == 20
    assert steps["again"]["said"] == "0 entries added, 0 removed, 20 kept as they were"


def test_a_change_touches_only_the_difference(steps: Any) -> None:
    assert steps["change"]["said"] == "3 entries added, 3 removed, 17 kept as they were"
    assert len(ours(steps["change"])) == 20


def test_a_refused_entry_leaves_the_table_as_it_was(steps: Any) -> None:
    assert "refuses 1 of" in steps["refused"]["said"]
    assert "BAD_PREREQ" in steps["refused"]["said"]
    assert steps["refused"]["flows"] == steps["change"]["flows"]


def test_a_full_table_leaves_the_table_as_it_was(steps: Any) -> None:
    assert "entries added" not in steps["full"]["said"]
    assert ours(steps["full"]) == ours(steps["change"])


def test_without_a_common_version_nothing_happens_and_it_is_said(steps: Any) -> None:
    assert "OpenFlow" in steps["other_version"]["said"]
    assert steps["other_version"]["flows"] == steps["change"]["flows"]


def test_entries_of_others_are_never_touched(steps: Any) -> None:
    assert len(foreign(steps["change"])) == 1
    assert foreign(steps["change"]) == foreign(steps["first"]) == foreign(steps["withdrawn"])
    assert "entries of others stand where ours would" in steps["in_the_way"]["said"]
    assert ours(steps["in_the_way"]) == ours(steps["change"])


def test_a_switch_that_is_gone_is_said_and_one_that_is_back_is_filled_again(steps: Any) -> None:
    assert "does not answer" in steps["gone"]["said"]
    assert steps["restarted"]["said"] == "20 entries added, 0 removed, 0 kept as they were"


def test_a_withdrawal_leaves_nothing_of_ours(steps: Any) -> None:
    assert steps["withdrawn"]["said"] == "0 entries added, 20 removed, 0 kept as they were"
    assert ours(steps["withdrawn"]) == []
