"""The example chains: their synthesized graphs are proved, each within the time that the project allows."""

import time

import pytest

from synth.proof.validate import prove
from tests.proof.chains import CHAINS, as_written, synthesized

ALWAYS = (
    "campus/campus",
    "cgnat/cgnat_policer",
    "enterprise/enterprise_edge",
    "isp/isp_chain",
    "isp/isp_chain_713",
    "isp/isp_chain_8550",
    "motivating/napt_firewall_lb",
    "napts/napt_1",
    "napts/napt_2",
    "napts/napt_10",
    "routers/router_1",
    "routers/router_2",
    "routers/router_10",
)
ALL = sorted(str(path.relative_to(CHAINS).with_suffix("")) for path in CHAINS.glob("[!n]*/*.chain"))
ALL += sorted(str(path.relative_to(CHAINS).with_suffix("")) for path in CHAINS.glob("napts/*.chain"))
MOST_SECONDS = 60.0  # of one processor


@pytest.mark.parametrize("name", ALWAYS)
def test_an_example_is_proved_in_a_minute(name: str):
    start = time.process_time()
    proof = prove(as_written(name), synthesized(name))
    assert proof.is_proved, proof.failures
    assert proof.unknown == 0
    assert time.process_time() - start < MOST_SECONDS


def test_all_examples_are_proved(full: bool):
    for name in ALL if full else ():
        proof = prove(as_written(name), synthesized(name))
        assert proof.is_proved, (name, proof.failures)


@pytest.mark.parametrize("name", ["napts/napt_3", "routers/router_3", "motivating/napt_firewall_lb"])
def test_a_chain_equals_itself(name: str):
    assert prove(as_written(name), as_written(name)).is_proved


def test_the_number_of_places_grows_with_the_blocks_and_not_with_the_paths():
    for name in ("napts/napt_10", "routers/router_10"):
        blocks = len(as_written(name).blocks) + len(synthesized(name).blocks)
        assert prove(as_written(name), synthesized(name)).pairs < 8 * blocks


def test_a_synthesized_chain_is_not_another_chain():
    assert not prove(as_written("routers/router_2"), synthesized("routers/router_3")).is_proved
    assert not prove(as_written("napts/napt_1"), synthesized("routers/router_1")).is_proved
