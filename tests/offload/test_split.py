"""Switch and server together are the chain: proved, and tried out."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from synth.interpreter import Interpreter
from synth.offload.classification import Classification, Stopped
from synth.offload.entries import Drop
from synth.offload.server import graphs_of, with_drops
from synth.offload.soundness import find_unsound
from synth.offload.split import Split
from synth.proof.validate import Proof, prove
from synth.synthesis import synthesize
from synth.traffic.frames import Frame, ip
from tests.offload.together import CHAINS, Together, graph_of, odd_frames, split_of

ISP = CHAINS / "isp" / "isp_chain.chain"

FILTER = """
use nf: acl
chain filter {{
    interface lan {{ mac 02:00:00:00:00:01  address 10.0.0.1/8 }}
    interface wan {{ mac 02:00:00:00:00:02  address 203.0.113.1/24 }}
    acl = acl(rules: rules("{rules}"){otherwise})
    lan <-> acl <-> wan
}}
"""


def filter_chain(folder: Path, rules: str, otherwise: str = "") -> Path:
    (folder / "some.rules").write_text(rules)
    path = folder / "filter.chain"
    path.write_text(FILTER.format(rules="some.rules", otherwise=otherwise))
    return path


def proof_of(split: Split) -> Proof:
    graphs = graphs_of(split)
    server = synthesize(graphs.server).graph
    return prove(graphs.specification, with_drops(server, graphs, split.graph), graphs.premises)


def examples(full: bool) -> Iterable[Path]:
    some = ["isp/isp_chain", "motivating/napt_firewall_lb", "napts/napt_2", "routers/router_1"]
    return sorted(CHAINS.glob("*/*_*.chain")) if full else [CHAINS / f"{name}.chain" for name in some]


def test_the_split_of_each_example_chain_is_proved(full: bool) -> None:
    for path in examples(full):
        if path.parent.name != "nf":
            assert proof_of(split_of(path)).failures == ()


def test_the_isp_chain_leaves_no_rule_to_the_server() -> None:
    split = split_of(ISP)
    lan, wan = split.interfaces
    assert isinstance(lan.found, Classification)
    assert lan.kept == len(lan.found.rules.rules.rules) == 251
    assert isinstance(wan.found, Stopped)
    (permitted,) = split.classes
    assert permitted.verdict == (1, 1, None)
    assert {entry.action.counter for entry in split.entries if isinstance(entry.action, Drop)} == {
        "acl.denied", "acl.not_ipv4", "switch.no_match",
    }  # fmt: skip


def test_a_class_with_the_wrong_verdict_is_not_proved() -> None:
    split = split_of(ISP)
    denied = replace(split.classes[0], verdict=(1, 0, None))
    graphs, wrong = graphs_of(split), graphs_of(replace(split, classes=(denied,)))
    proof = prove(graphs.specification, with_drops(wrong.server, graphs, split.graph), graphs.premises)
    assert not proof.is_proved


def test_without_its_premises_the_split_is_not_proved() -> None:
    split = split_of(ISP)
    graphs = graphs_of(split)
    assert not prove(graphs.specification, with_drops(graphs.server, graphs, split.graph), {}).is_proved


@pytest.mark.parametrize("change", ["swap", "lose", "widen", "unguard"])
def test_entries_that_do_otherwise_are_found(change: str) -> None:
    split = split_of(ISP)
    entries = list(split.entries)
    some = next(n for n, entry in enumerate(entries) if entry.cookie & 0xFFFFFF == 40)
    match change:
        case "swap":
            entries[some] = replace(entries[some], action=Drop("acl.denied"))
        case "lose":
            del entries[some]
        case "widen":
            entries[some] = replace(entries[some], match=entries[some].match[:-1])
        case _:
            entries = [e for e in entries if all(test.field != "vlan_vid" for test in e.match)]
    assert list(find_unsound(replace(split, entries=tuple(entries))))


def together_equal_chain(path: Path, frames: Iterable[tuple[str, bytes]], switch: str = "ovs") -> Together:
    split = split_of(path, switch)
    both, chain = Together(split), Interpreter(graph_of(path))
    for now, (interface, frame) in enumerate(frames):
        assert both.receive(interface, frame, now) == chain.receive(interface, frame, now)
    assert both.drops() == dict(chain.report().drops)
    return both


RULES = """\
permit tcp dst 198.51.100.9 dport 0..100
deny udp dport 80
permit udp
permit icmp src 100.64.0.9
permit tcp sport 443
"""


def test_frames_that_a_switch_reads_otherwise_have_the_fate_of_the_chain(tmp_path: Path) -> None:
    frames = [("lan", frame) for frame in odd_frames()]
    together_equal_chain(filter_chain(tmp_path, RULES), frames)
    together_equal_chain(filter_chain(tmp_path, RULES, ", permit_otherwise: true"), frames)


def test_a_session_through_the_isp_chain_has_the_fate_of_the_chain() -> None:
    out = [Frame(ip("100.64.0.9"), ip("198.51.100.9"), 6, 4000 + n, 80).encode() for n in range(9)]
    out += list(odd_frames())
    chain = Interpreter(graph_of(ISP))
    arrivals = []
    for now, frame in enumerate(out):
        arrivals.append(("lan", frame))
        for _, sent in chain.receive("lan", frame, now):
            answer = (
                sent[6:12] + sent[:6] + sent[12:26] + sent[30:34] + sent[26:30] + sent[36:38] + sent[34:36]
            )
            arrivals.append(("wan", answer + sent[38:]))
    both = together_equal_chain(ISP, arrivals)
    assert sum(both.table.packets) > len(arrivals)


def switch_file(folder: Path, text: str) -> str:
    (folder / "switch.yaml").write_text(text)
    return str(folder / "switch.yaml")


def test_what_does_not_fit_into_the_table_is_the_servers(tmp_path: Path) -> None:
    frames = [("lan", frame) for frame in odd_frames()]
    path = filter_chain(tmp_path, RULES)
    kept = []
    for capacity in range(5, 25):
        switch = switch_file(tmp_path, f"capacity: {capacity}\ntcp_flags: true\n")
        split = together_equal_chain(path, frames, switch).split
        assert len(split.entries) <= capacity
        kept.append(split.interfaces[0].kept)
    assert kept == sorted(kept)
    assert (kept[0], kept[-1]) == (0, 5)


def test_without_tags_to_spare_the_server_classifies(tmp_path: Path) -> None:
    frames = [("lan", frame) for frame in odd_frames()]
    switch = switch_file(tmp_path, "first_tag: 100\nlast_tag: 101\n")
    split = together_equal_chain(filter_chain(tmp_path, RULES), frames, switch).split
    assert split.classes == ()
