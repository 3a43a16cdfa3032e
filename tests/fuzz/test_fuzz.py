"""Packets and operations that libFuzzer makes up, guided by what of the code they reach."""

import re
import subprocess
from pathlib import Path

import pytest

from synth.driver import Source, load
from synth.graph.nodes import ChainGraph
from synth.synthesis import synthesize
from tests.conftest import REPOSITORY
from tests.fuzz.fuzzing import build_fuzzer
from tests.proof.mutants import mutators
from tests.runtime.compiling import RUNTIME

SECONDS = 4
SECONDS_FULL = 60
SMALL = {
    "isp/isp_chain": ("nat.ports=1024..1039",),
    "motivating/napt_firewall_lb": ("nat.ports=1024..1279", "firewall.capacity=12", "balancer.capacity=2"),
    "napts/napt_2": ("nat_1.ports=1024..1055", "nat_2.ports=1024..1039"),
}
MODEL = Path(__file__).resolve().parents[1] / "runtime" / "keyed_table_model.c"
SHAPES = ((1, 1, 3), (0, 1, 1))


def load_small(chain: str) -> ChainGraph:
    """Return a chain with small pools and tables as written."""
    return load(Source(path=REPOSITORY / "chains" / f"{chain}.chain", overrides=SMALL[chain])).graph


def runs(printed: str) -> int:
    """Return how many inputs a fuzzer has run."""
    found = re.search(r"stat::number_of_executed_units: (\d+)", printed)
    return int(found[1]) if found else 0


@pytest.mark.parametrize("chain", SMALL)
def test_no_input_tells_the_synthesized_core_from_the_one_as_written(chain: str, tmp_path: Path, full: bool):
    written = load_small(chain)
    fuzzer = build_fuzzer(written, synthesize(written).graph, tmp_path / "fuzz")
    done = fuzzer.run(SECONDS_FULL if full else SECONDS)
    assert done.returncode == 0, done.stderr[-3000:]
    assert runs(done.stderr) > 100  # thousands in a second, where nothing else runs


def test_a_fault_is_found(tmp_path: Path):
    """The same with a result that forgets a write: if this passed, the fuzzer would be of no use."""
    written = load_small("isp/isp_chain")
    wrong = next(iter(mutators.lose_write(synthesize(written).graph)))
    fuzzer = build_fuzzer(written, wrong, tmp_path / "fuzz")
    done = fuzzer.run(SECONDS_FULL)
    assert done.returncode != 0
    assert "a frame leaves with other bytes" in done.stderr
    assert list(fuzzer.crashes.iterdir())


@pytest.mark.parametrize(("unique", "values", "timers"), SHAPES)
def test_no_operations_tell_a_keyed_table_from_a_list(
    unique: int, values: int, timers: int, tmp_path: Path, full: bool
):
    program = tmp_path / "fuzz"
    subprocess.run(
        ("clang", "-std=c11", "-O1", "-g", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all",
         f"-I{RUNTIME}", "-DFUZZ", f"-DHAS_UNIQUE={unique}", f"-DHAS_VALUES={values}", f"-DTIMERS={timers}",
         str(MODEL), "-o", str(program)),
        check=True,
    )  # fmt: skip
    seconds = SECONDS_FULL if full else SECONDS
    command = (str(program), f"-max_total_time={seconds}", "-max_len=4096", "-print_final_stats=1", "-seed=1")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert runs(done.stderr) > 100  # thousands in a second, where nothing else runs
