"""Help, versions, usage and completion."""

import os
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from synth.cli.commands import cli
from tests.cli.commands import SYNTH, environment, synth

COMMANDS = sorted(cli.commands)


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_each_command_says_what_it_does_with_an_example(command: str) -> None:
    shown = CliRunner().invoke(cli, [command, "--help"], prog_name="synth")
    assert (shown.exit_code, shown.stderr) == (0, "")
    assert f"Usage: synth {command}" in shown.stdout
    assert f"synth {command}" in shown.stdout.partition("Example")[2]


def test_the_commands_that_scripts_rely_on_are_there(tmp_path: Path) -> None:
    shown = synth("--help", at=tmp_path)
    assert shown.code == 0
    assert {"build", "check", "completion", "fmt", "graph", "new", "nfs", "run"} <= set(COMMANDS)
    for command in COMMANDS:
        assert f"\n  {command} " in shown.out
    assert "Exit codes: 0 fine, 1 the input is wrong, 2 wrong usage" in shown.out


def test_wrong_usage_is_exit_2_and_says_what_is_missing(tmp_path: Path) -> None:
    for words, message in (
        ((), "Usage: synth"),
        (("chekc", "x.chain"), "Did you mean 'check'?"),
        (("run",), "Missing argument 'FILE'"),
        (("fmt", "--check", "-w", "x.chain"), "give one of them"),
    ):
        ended = synth(*words, at=tmp_path)
        assert (ended.code, ended.out) == (2, "")
        assert message in ended.err


def test_completion_offers_commands_and_options(tmp_path: Path) -> None:
    assert "complete -o nosort -F _synth_completion synth" in synth("completion", "bash", at=tmp_path).out
    assert completions("synth che", tmp_path) == ["plain,check"]
    assert "plain,--config" in completions("synth build edge.chain --", tmp_path)


def completions(line: str, folder: Path) -> list[str]:
    words = line.split(" ")
    asked = environment(_SYNTH_COMPLETE="bash_complete", COMP_WORDS=line, COMP_CWORD=str(len(words) - 1))
    done = subprocess.run(
        [str(SYNTH)], cwd=folder, env=asked, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.split()


def test_the_completion_script_completes_in_a_real_shell(tmp_path: Path) -> None:
    script = (
        'eval "$(synth completion bash)"; COMP_WORDS=(synth comp); COMP_CWORD=1; '
        '_synth_completion synth 2>/dev/null; echo "${COMPREPLY[@]}"'
    )
    path = f"{SYNTH.parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, env=environment(PATH=path), capture_output=True, text=True,
        check=False, timeout=60,
    )  # fmt: skip
    assert done.stdout.split() == ["completion"]
