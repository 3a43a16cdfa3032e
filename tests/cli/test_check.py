"""`synth check`: what is wrong, for people and for scripts."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.commands import below, environment, synth
from tests.conftest import REPOSITORY

WRONG = """\
use nf: acl

chain c {
    interface lan { mac 02:00:00:00:00:01 }
    nf = acll()
    lan <-> nf
}
"""


def test_a_chain_without_a_fault_is_exit_0_and_one_line(work: Path) -> None:
    checked = synth("check", "edge.chain", at=work)
    assert checked.code == 0
    assert checked.out == "edge.chain: chain edge is fine: 2 interfaces, 2 network functions\n"
    assert checked.err == ""


def test_json_is_a_list_of_objects_with_the_fields_that_scripts_rely_on(work: Path) -> None:
    assert synth("check", "edge.chain", "--json", at=work).out == "[]\n"
    (work / "wrong.chain").write_text(WRONG)
    checked = synth("check", "wrong.chain", "--json", at=work)
    assert checked.code == 1
    assert checked.err == ""
    found = json.loads(checked.out)
    places = {(one["code"], one["file"], one["line"], one["column"], one["message"]) for one in found}
    assert ("E100", "wrong.chain", 5, 10, "unknown NF `acll` (did you mean `acl`?)") in places
    assert {one["severity"] for one in found} == {"error"}


def test_warnings_are_told_and_are_no_failure(work: Path) -> None:
    isp = REPOSITORY / "chains" / "isp" / "isp_chain.chain"
    checked = synth("check", isp, "--json", at=work)
    assert checked.code == 0
    (warning,) = json.loads(checked.out)
    assert (warning["code"], warning["severity"]) == ("W512", "warning")
    assert warning["file"].endswith("isp_251.rules")


@pytest.mark.parametrize(
    ("words", "place"),
    [
        (("nothing.chain",), "cannot read nothing.chain"),
        ((".",), "cannot read ."),
        (("edge.chain", "--chain", "edgy"), "edge.chain:1:1"),
        (("edge.chain", "--config", "nothing.yaml"), "cannot read nothing.yaml"),
        (("edge.chain", "--set", "nat.public"), "--set:1:1"),
        (("edge.chain", "--set", "nat.public=1.2.3"), "--set:1:12"),
        (("edge.chain", "--set", "nat.publik=1.2.3.4"), "did you mean `public`?"),
        (("edge.chain", "--set", "nap.public=1.2.3.4"), "did you mean `nat`?"),
    ],
)
def test_what_a_command_line_gets_wrong_is_told_with_its_place(
    work: Path, words: tuple[str, ...], place: str
) -> None:
    checked = synth("check", *words, at=work)
    assert (checked.code, checked.out) == (1, "")
    assert place in checked.err


def test_parameters_come_from_a_file_and_single_ones_win_over_it(work: Path) -> None:
    (work / "edge.yaml").write_text("nat: {public: 198.51.100.7, ports: 2000..2009}\n")
    settings = ("--config", "edge.yaml", "--set", "nat.ports=3000..3009")
    shown = synth("graph", "edge.chain", *settings, at=work)
    assert (shown.code, shown.err) == (0, "")
    assert "constant 3325256711" in shown.out  # 198.51.100.7
    assert "3000..3009" in shown.out
    assert "2000..2009" not in shown.out
    (work / "edge.yaml").write_text("nat: {public: 198.51.100.777}\n")
    wrong = synth("check", "edge.chain", "--config", "edge.yaml", at=work)
    assert wrong.code == 1
    assert "edge.yaml:1:15" in wrong.err


def test_rule_files_are_found_beside_the_chain_from_wherever_it_is_checked(work: Path) -> None:
    folder = work / "the isp’s folder"
    shutil.copytree(REPOSITORY / "chains" / "isp", folder)
    elsewhere = work / "else where"
    elsewhere.mkdir()
    checked = synth("check", "../the isp’s folder/isp_chain.chain", at=elsewhere)
    assert checked.code == 0
    assert "../the isp’s folder/isp_251.rules:" in checked.err
    (folder / "isp_251.rules").unlink()
    checked = synth("check", "../the isp’s folder/isp_chain.chain", at=elsewhere)
    assert checked.code == 1
    assert "isp_chain.chain:" in checked.err
    assert "isp_251.rules" in checked.err
    assert below(elsewhere) == set()


def test_text_that_the_terminal_cannot_show_is_no_failure(work: Path) -> None:
    (work / "ü.chain").write_text("chain ü { }\n")
    plain = environment(LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    checked = synth("check", "ü.chain", at=work, environ=plain)
    assert checked.code == 1
    assert "E004" in checked.err
