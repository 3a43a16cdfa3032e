"""The generated rule sets: their shapes, and that the committed files are what the generator makes."""

import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from synth.diagnostics.diagnostic import Diagnostic
from synth.diagnostics.spans import NOWHERE
from synth.language.files.rules import load_rules
from synth.language.files.shadow import find_shadowed
from synth.language.files.source import FileReference
from synth.language.values import RangeValue, RuleValue
from synth.rulegen import generate_rules, render_file

ISP = Path(__file__).resolve().parents[2] / "chains" / "isp"
ANY = RangeValue(0, 65535)


def load(size: int) -> tuple[RuleValue, ...]:
    found: list[Diagnostic] = []
    path = ISP / f"isp_{size}.rules"
    rules = load_rules(FileReference(path=path, shown=path.name, span=NOWHERE), found.append)
    assert [d.code for d in found] == ["W512"]
    return rules.rules


def kind(rule: RuleValue) -> str:
    parts = {
        "src": rule.src.length > 0,
        "dst": rule.dst.length > 0,
        "sport": rule.sport != ANY,
        "dport": rule.dport != ANY,
    }
    return " ".join(name for name, is_there in parts.items() if is_there)


@pytest.mark.parametrize("size", [251, 713, 8550])
def test_the_committed_rule_sets_are_what_the_generator_makes(size: int) -> None:
    assert (ISP / f"isp_{size}.rules").read_text() == render_file(size, seed=1)


@pytest.mark.parametrize(("size", "permits", "denies"), [(251, 247, 4), (713, 707, 6), (8550, 8456, 94)])
def test_the_sets_hold_as_many_permits_and_denies_as_those_of_the_experiments(
    size: int, permits: int, denies: int
) -> None:
    verdicts = Counter(rule.permits for rule in load(size))
    assert verdicts == {True: permits, False: denies}


@pytest.mark.parametrize("size", [251, 713, 8550])
def test_the_private_sources_are_denied_first_and_everything_last(size: int) -> None:
    rules = load(size)
    assert [(rule.permits, rule.src.address >> 24, rule.src.length) for rule in rules[:3]] == [
        (False, 10, 8),
        (False, 172, 12),
        (False, 192, 16),
    ]
    last = rules[-1]
    assert (last.permits, kind(last), last.protocol_mask) == (False, "", 0)


def test_43_of_the_251_rules_are_covered_by_one_earlier_rule() -> None:
    assert len(list(find_shadowed(load(251)))) == 43


def test_the_large_set_has_the_shape_of_the_experiment() -> None:
    # Each kind and about an eighth more, since some are repeated.
    kinds = Counter(kind(rule) for rule in load(8550) if rule.permits)
    assert kinds["dst dport"] == pytest.approx(5100, rel=0.05)
    assert kinds["src sport"] == pytest.approx(800, rel=0.15)
    assert kinds["src"] == pytest.approx(650, rel=0.15)
    assert kinds["src dst sport dport"] == pytest.approx(400, rel=0.2)


def test_a_denied_host_stands_before_the_network_that_permits_it() -> None:
    rules = load(8550)
    inner = [index for index, rule in enumerate(rules) if not rule.permits][3:-1]
    assert len(inner) == 90
    for index in inner:
        host = rules[index].dst
        assert host.length == 32
        assert any(
            later.permits and host.address & later.dst.mask == later.dst.address for later in rules[index:-1]
        )


def test_another_seed_gives_other_rules_and_another_size_the_same_head_and_tail() -> None:
    one, other = generate_rules(1000, 1), generate_rules(1000, 2)
    assert one != other
    assert len(one) == len(other) == 1000
    assert one[:3] == other[:3]
    assert one[-1] == "deny any"


def test_the_command_writes_a_file(tmp_path: Path) -> None:
    path = tmp_path / "out.rules"
    command = [sys.executable, "-m", "synth.rulegen", "--rules", "251", "--seed", "7", "-o", str(path)]
    subprocess.run(command, check=True)
    assert path.read_text() == render_file(251, seed=7)


def test_a_set_that_is_too_small_for_the_shape_is_refused() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "synth.rulegen", "--rules", "9"], capture_output=True, text=True, check=False
    )
    assert run.returncode == 2
    assert "50 to 30000 rules" in run.stderr
