"""`synth explain`: classes, what went, states, and each packet's story, in words and as JSON."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from synth.captures import CapturedPacket, CaptureWriter, read_capture
from synth.cli.commands import cli
from synth.interpreter import Interpreter
from tests.conftest import REPOSITORY
from tests.frames import Frame, ip
from tests.proof.chains import as_written

CHAINS = REPOSITORY / "chains"


def explain(chain: str, *arguments: str) -> dict[str, Any]:
    done = CliRunner().invoke(cli, ["explain", "--json", str(CHAINS / f"{chain}.chain"), *arguments])
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("chain", "live", "written"),
    [("isp/isp_chain", 207, 251), ("isp/isp_chain_713", 590, 713), ("isp/isp_chain_8550", 7549, 8550)],
)
def test_a_rule_set_of_any_size_is_one_accept_class(chain: str, live: int, written: int):
    classes = explain(chain)["classes"]
    leaving = [one for one in classes if one["from"] == "lan" and one["verdict"] == "out wan"]
    (accepted,) = leaving
    assert "acl.rules permits" in accepted["match"]
    assert accepted["rules"] == [{"name": "acl.rules", "looked_at": live, "written": written}]
    done = [*accepted["operation"], *accepted["on_some_ways"]]
    assert "ipv4.src = 203.0.113.1" in done
    assert "ipv4.ttl = ipv4.ttl - 1" in done


def test_tables_that_are_not_fused_say_why():
    states = explain("motivating/napt_firewall_lb")["states"]
    assert states["nat.bindings"].startswith("not fused")
    assert all(states.values())


def test_each_packet_of_a_capture_has_a_story_that_the_interpreter_agrees_with():
    lan = CHAINS / "isp/lan.pcap"
    stories = explain("isp/isp_chain", "--packet", f"lan={lan}")["packets"]
    chain = Interpreter(as_written("isp/isp_chain"))
    outs = [chain.receive("lan", packet.data, packet.time) for packet in read_capture(lan)]
    assert len(stories) == len(outs) > 20
    for story, out in zip(stories, outs, strict=True):
        assert [f"out {name}" for name, _ in out] == [o for o in story["outcome"] if o.startswith("out")]
    assert any(len(story["visits"]) == 3 for story in stories)


def test_a_story_names_the_rule_and_the_line_that_decided(tmp_path: Path):
    frame = Frame(ip("192.168.1.1"), ip("198.18.0.9")).encode()
    with (tmp_path / "a.pcap").open("wb") as file:
        CaptureWriter(file).write(CapturedPacket(1, frame))
    (story,) = explain("isp/isp_chain", "--packet", f"lan={tmp_path / 'a.pcap'}")["packets"]
    (visit,) = story["visits"]
    (decision,) = visit["decisions"]
    assert decision["answer"].startswith("rule ")
    assert decision["answer"].endswith(" denies")
    line = int(decision["row"].rpartition(":")[2])
    text = (CHAINS / "isp/isp_251.rules").read_text().splitlines()[line - 1]
    assert text.startswith("deny")
    assert "192.168.0.0/16" in text
    assert story["outcome"] == ["dropped: acl.denied"]
    assert story["blocks"][-1].startswith("acl.inside")


def test_the_text_tells_stories_line_by_line():
    lan = CHAINS / "isp/lan.pcap"
    done = CliRunner().invoke(cli, ["explain", str(CHAINS / "isp/isp_chain.chain"), "--packet", f"lan={lan}"])
    assert done.exit_code == 0
    assert "packet 1 on lan: " in done.output
    assert "chains/isp/isp_251.rules:" in done.output


def test_an_unknown_interface_is_refused_with_the_ones_there_are():
    chain, lan = str(CHAINS / "isp/isp_chain.chain"), CHAINS / "isp/lan.pcap"
    done = CliRunner().invoke(cli, ["explain", chain, "--packet", f"lam={lan}"])
    assert done.exit_code == 1
