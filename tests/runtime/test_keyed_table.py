"""Keyed tables against a list that is searched from end to end, under sanitizers."""

import itertools
import subprocess

import pytest

from tests.runtime.compiling import HERE, compile_c

SHAPES = list(itertools.product((0, 1), (0, 1), (0, 1, 3)))


@pytest.mark.parametrize(("unique", "values", "timers"), SHAPES)
def test_a_table_of_any_shape_behaves_like_a_list(compiler, unique, values, timers, tmp_path, full):
    shape = (f"-DHAS_UNIQUE={unique}", f"-DHAS_VALUES={values}", f"-DTIMERS={timers}")
    options = ("-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", *shape)
    model = compile_c(compiler, [HERE / "keyed_table_model.c"], tmp_path / "model", options=options)
    times_full = 0
    for seed in range(10 if full else 4):
        command = (str(model), str(seed), "500000" if full else "60000")
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"seed {seed}: {done.stderr}"
        times_full += int(done.stdout)
    assert times_full > 0, "the table was never full"


def test_ports_are_found_to_the_last_one_and_refusals_cost_little(compiler, tmp_path):
    pool = compile_c(compiler, [HERE / "port_pool.c"], tmp_path / "pool")
    done = subprocess.run((str(pool),), capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr


def test_keys_chosen_to_collide_do_not(compiler, tmp_path):
    """20,000 keys with one CRC: found near their homes, and elsewhere under another secret."""
    chosen = compile_c(compiler, [HERE / "chosen_keys.c"], tmp_path / "chosen")
    done = subprocess.run((str(chosen),), capture_output=True, text=True, check=True, timeout=60)
    longest, same = map(int, done.stdout.split())
    assert longest < 64
    assert same < 20
