"""`synth plan` and `synth explain`: how a chain runs on several cores, for people and for scripts."""

import json
from pathlib import Path

from tests.cli.commands import synth

HARMLESS = "title: a NIC\nkey_bytes: 40\nreta: 128\nqueues: 4\nvlan_tags: 0\nhashes:\n    tcp: [[src, dst]]\n"


def test_a_plan_is_text_for_a_person_and_json_for_scripts(work: Path) -> None:
    told = synth("plan", "edge.chain", "--nic", "e810", "--cores", "2", at=work)
    assert told.code == 0
    assert "on 2 cores with Intel E810" in told.out
    found = json.loads(synth("plan", "edge.chain", "--json", at=work).out)
    assert {"strategy", "interfaces", "objects", "shares", "reason", "checked"} <= found.keys()
    assert {len(interface["table"]) for interface in found["interfaces"]} == {512}


def test_explain_says_how_the_chain_runs_on_several_cores(work: Path) -> None:
    assert "on several cores (`synth plan`): shared-nothing" in synth("explain", "edge.chain", at=work).out


def test_a_nic_is_a_file_too_and_what_is_wrong_in_it_is_told(work: Path) -> None:
    (work / "nic.yaml").write_text(HARMLESS)
    assert "with a NIC" in synth("plan", "edge.chain", "--nic", "nic.yaml", at=work).out
    (work / "nic.yaml").write_text(HARMLESS.replace("reta: 128", "reta: 100"))
    wrong = synth("plan", "edge.chain", "--nic", "nic.yaml", at=work)
    assert wrong.code == 1
    assert "a power of two" in wrong.err
    assert "nic.yaml:3" in wrong.err


def test_an_unknown_nic_is_refused(work: Path) -> None:
    assert "E719" in synth("plan", "edge.chain", "--nic", "e811", at=work).err
