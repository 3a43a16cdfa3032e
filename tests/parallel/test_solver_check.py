"""The independent check: right keys pass, and every wrong one is caught."""

from dataclasses import replace

import pytest

from synth.parallel import load_nic
from synth.parallel.analysis import analyze
from synth.parallel.choose import configure, find_support
from synth.parallel.relations import Modes, relate
from synth.parallel.rss_check import confirm
from tests.parallel.plans import NFS, chain_of, graph_of, plan_nf


@pytest.mark.parametrize("name", NFS)
def test_what_must_meet_is_confirmed_for_every_shared_nothing_plan(name):
    plan = plan_nf(name)
    if plan.strategy == "shared-nothing" and plan.meetings:
        assert plan.checked > 0


WRONG = [(name, bit) for name in ("firewall", "policer") for bit in (0, 31, 40, 62, 94, 126)]
WRONG += [("connection_limiter_sketch", bit) for bit in (64, 94, 126)]


@pytest.mark.parametrize(("name", "bit"), WRONG)
def test_a_key_with_one_wrong_bit_is_caught(name, bit):
    analysis, described = analyze(graph_of(chain_of(name))), load_nic("ixgbe")
    relations, _ = relate(analysis.model, Modes())
    support = find_support(relations, analysis.units)
    found = configure(relations, analysis.units, support, described)
    assert confirm(relations, found)
    keys = dict(found.keys)
    keys["wan"] = flipped(keys["wan"], bit)
    assert confirm(relations, replace(found, keys=keys)) is None


def flipped(key, bit):
    width = 8 * len(key)
    return (int.from_bytes(key, "big") ^ 1 << width - 1 - bit).to_bytes(len(key), "big")
