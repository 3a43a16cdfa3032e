"""Strategy, constraint, fields and reason of every library NF and example chain, as golden files.

    pytest tests/parallel/test_goldens.py --full --update-goldens

Keys are left out: they change whenever the search for them does, and are tested for what they do.
"""

from pathlib import Path

import pytest

from synth.parallel import load_nic, plan
from synth.parallel.render import to_text
from tests.parallel.plans import COMPLETE, NFS, graph_at, plan_nf

LONG = ("campus", "enterprise_edge")
GOLDENS = Path(__file__).resolve().parent / "goldens"


def without_keys(text):
    return "".join(f"{line}\n" for line in text.splitlines() if not line.startswith("  key "))


@pytest.mark.parametrize("name", NFS)
def test_plan_of_a_network_function(name, golden):
    golden(GOLDENS / "nf" / f"{name}.txt", without_keys(to_text(plan_nf(name))))


@pytest.mark.parametrize(
    "path", [path for path in COMPLETE if path.stem not in LONG], ids=lambda path: path.stem
)
def test_plan_of_a_complete_chain(path, golden):
    check_chain(path, golden)


def test_plans_of_chains_that_take_long(golden, full):
    for path in COMPLETE if full else ():
        if path.stem in LONG:
            check_chain(path, golden)


def check_chain(path, golden):
    found = plan(graph_at(path), load_nic("e810"), cores=4)
    golden(GOLDENS / f"{path.stem}.txt", without_keys(to_text(found)))
