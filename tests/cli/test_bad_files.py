"""Twelve bad files (case C14): each is told with its place, fails every command, and leaves nothing."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.commands import below, synth

CHAIN = """\
use nf: acl, forwarder, load_balancer, napt

chain bad {
    interface lan { mac 02:00:00:00:00:01 }
    interface wan { mac 02:00:00:00:00:02 }
    nf = NF
    lan <-> nf <-> wan
}
"""
NF = """\
nf bad {
    bucket limit { rate 8Mbit/s  burst 64kB }

    from inside (pkt) {
        if pkt.eth.src == 02:00:00:00:00:01 { drop foreign }
        if !limit.take(pkt.length) { drop too_fast }
        emit outside
    }
    from outside (pkt) { emit inside }
}

chain user {
    interface lan { mac 02:00:00:00:00:01 }
    interface wan { mac 02:00:00:00:00:02 }
    nf = bad()
    lan <-> nf <-> wan
}
"""


def chain(nf: str) -> str:
    return CHAIN.replace("NF", nf)


BAD_FILES = {
    "prefix /33": (chain('acl(rules: ["deny src 10.0.0.0/33"])'), "E505", 6, 41),
    "port 100-50": (chain("napt(public: 203.0.113.1, ports: 100..50)"), "E224", 6, 43),
    "unknown NF": (chain("napd(public: 203.0.113.1)"), "E100", 6, 10),
    "unknown field": (NF.replace("eth.src", "eth.source"), "E102", 5, 20),
    "duplicate name": (chain("forwarder()\n    nf = forwarder()"), "E101", 7, 5),
    "cycle": (chain("bad()"), "E107", 6, 10),
    "unconnected port": (chain("forwarder()").replace(" <-> wan", ""), "E367", 5, 15),
    "missing semicolon": (chain("forwarder()").replace("()\n   ", "()"), "E006", 6, 22),
    "empty file": ("", "E005", 1, 1),
    "backend list empty": (
        chain('load_balancer(service: 192.0.2.1, backends: yaml("empty.yaml"))'), "E233", 6, 54,
    ),
    "rate 0": (NF.replace("8Mbit/s", "0Mbit/s"), "E232", 2, 25),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "empty.yaml").write_text("[]\n")
    return tmp_path


@pytest.mark.parametrize("name", BAD_FILES)
def test_a_bad_file_is_told_with_its_place_and_nothing_is_built(folder: Path, name: str) -> None:
    text, code, line, column = BAD_FILES[name]
    (folder / "bad.chain").write_text(text)
    before = below(folder)
    ended = synth("build", "bad.chain", "-o", "out/put", at=folder)
    assert (ended.code, ended.out) == (1, "")
    assert re.search(rf"^error\[{code}\]: .+\n *--> bad\.chain:{line}:{column}$", ended.err, re.MULTILINE)
    assert below(folder) == before


def test_all_that_is_wrong_is_told_in_one_run(folder: Path) -> None:
    text = chain("napd()\n    other = acll(oops: 1)").replace("lan <-> nf", "lon <-> nf")
    (folder / "bad.chain").write_text(text)
    found = json.loads(synth("check", "bad.chain", "--json", at=folder).out)
    assert [(one["line"], one["severity"]) for one in found] == [(6, "error"), (7, "error"), (8, "error")]


def test_a_shadowed_rule_is_a_warning_with_its_place(folder: Path) -> None:
    (folder / "bad.chain").write_text(chain('acl(rules: ["permit any", "deny tcp dport 25"])'))
    ended = synth("check", "bad.chain", at=folder)
    assert ended.code == 0
    assert re.search(r"^warning\[W512\]: .+\n *--> bad\.chain:6:37$", ended.err, re.MULTILINE)


@pytest.mark.parametrize(
    "words",
    [
        ("run", "bad.chain", "--in", "lan=lan.pcap", "--out-dir", "out"),
        ("graph", "bad.chain", "-o", "bad.svg"),
        ("fmt", "-w", "bad.chain"),
        ("prove", "bad.chain"),
    ],
    ids=lambda words: words[0],
)
def test_a_bad_file_fails_every_other_command_too(folder: Path, words: tuple[str, ...]) -> None:
    (folder / "bad.chain").write_text(BAD_FILES["missing semicolon"][0])
    before = below(folder)
    ended = synth(*words, at=folder)
    assert (ended.code, ended.out) == (1, "")
    assert "bad.chain:6:22" in ended.err
    assert below(folder) == before
