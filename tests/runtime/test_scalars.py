"""Hashes, sketches and token buckets are the same numbers in C and in Python."""

import random
import subprocess

import pytest

from synth.graph.nodes import Column, Sketch
from synth.graph.states.bucket import IntegerBucket
from synth.graph.states.cells import IntegerSketch
from synth.net.crc32c import crc32c
from tests.runtime.compiling import HERE, compile_c


@pytest.fixture(scope="module", params=["native", ""], ids=["this machine", "without SSE4.2"])
def scalars(compiler, request, tmp_path_factory):
    target = tmp_path_factory.mktemp("scalars") / "scalars"
    return compile_c(compiler, [HERE / "scalars.c"], target, march=request.param)


def ask(program, lines):
    done = subprocess.run(
        (str(program),), input="\n".join(lines), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_hashes_are_crc32c(scalars):
    draw = random.Random(1)
    texts = [b"123456789", *(draw.randbytes(draw.randrange(1, 60)) for _ in range(2000))]
    answers = ask(scalars, [f"hash {text.hex()}" for text in texts])
    assert answers[0] == f"{0xE3069283} " * 2 + str(0xE3069283)
    for text, answer in zip(texts, answers, strict=True):
        assert answer.split() == [str(crc32c(text))] * 3


def test_a_sketch_counts_as_the_interpreter_does(scalars):
    draw = random.Random(2)
    sketch = IntegerSketch(Sketch(name="s", key=(Column("k", 32),), rows=3, columns=50))
    lines, wanted = ["sketch 3 50"], []
    for _ in range(3000):
        key = draw.randrange(100)
        if draw.random() < 0.5:
            amount = draw.choice((1, 1500, 2**31, 2**40))
            lines.append(f"add {key} {amount}")
            sketch.add((key,), amount)
        else:
            lines.append(f"estimate {key}")
            wanted.append(str(sketch.estimate((key,))))
        if draw.random() < 0.01:
            lines.append("sketch 3 50")
            sketch = IntegerSketch(Sketch(name="s", key=(Column("k", 32),), rows=3, columns=50))
    assert ask(scalars, lines) == wanted


@pytest.mark.parametrize(
    ("rate", "burst"), [(8_000_000, 10_000), (1, 1), (10**11, 10**6), (3, 0), (2**63, 2**63), (0, 1500)]
)
def test_a_token_bucket_is_exact(scalars, rate, burst):
    draw = random.Random(3)
    bucket, now = IntegerBucket(rate, burst), 0
    lines, wanted = [f"bucket {rate} {burst}"], []
    for _ in range(3000):
        now += draw.choice((0, 1, 999, 10**6, 10**9, draw.randrange(10**7), 10**14))
        amount = draw.choice((0, 1, 64, 1500, burst, burst + 1))
        lines.append(f"take {amount} {now}")
        wanted.append(str(int(bucket.take(amount, now))))
    assert ask(scalars, lines) == wanted
