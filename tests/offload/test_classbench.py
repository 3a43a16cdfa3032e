"""ClassBench sets: flow table, evaluator and linear scan agree at the corners of every rule, and beyond."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from synth.graph.states.classifier import Classifier, Header, matches
from synth.language.values import RuleValue
from synth.offload.classification import Classification
from synth.offload.entries import Drop
from synth.offload.interpret import FlowTable
from tests.offload.test_split import FILTER
from tests.offload.together import split_of

SETS = (
    "acl1_1k",
    "acl2_1k",
    "acl3_1k",
    "acl4_1k",
    "acl5_1k",
    "fw1_1k",
    "fw2_1k",
    "fw3_1k",
    "fw5_1k",
    "ipc1_1k",
)
SOME = ("acl1_1k", "fw3_1k")
RULES_OF_A_SHORT_RUN = 20


def corners(rule: RuleValue) -> Iterator[Header]:
    """Headers at the ends of each part of a rule and one beyond, the other parts at one end."""
    addresses = [
        sorted(
            {
                (at + off) & 0xFFFFFFFF
                for at in (p.address, p.address | ~p.mask & 0xFFFFFFFF)
                for off in (-1, 0, 1)
            }
        )
        for p in (rule.src, rule.dst)
    ]
    ports = [
        sorted({at + off for at in (r.low, r.high) for off in (-1, 0, 1) if 0 < at + off <= 0xFFFF})
        for r in (rule.sport, rule.dport)
    ]
    protocols = sorted({rule.protocol, 6, 17, 1, 47})
    flags = (rule.flags & rule.flags_mask) >> 8
    low = Header(rule.src.address, rule.dst.address, rule.protocol, ports[0][0], ports[1][0], flags << 8)
    for src, dst in product(*addresses):
        yield with_protocol(low._replace(src=src, dst=dst), rule.protocol)
    for sport, dport, protocol in product(*ports, protocols):
        yield with_protocol(low._replace(sport=sport, dport=dport), protocol)
    yield with_protocol(low._replace(flags=(flags ^ 0x12) << 8), rule.protocol)


def with_protocol(header: Header, protocol: int) -> Header:
    """The header that a packet of this protocol has."""
    header = header._replace(protocol=protocol)
    if protocol not in {6, 17}:
        header = header._replace(sport=None, dport=None)
    return header if protocol in {6, 1} else header._replace(flags=None)


def fields_of(header: Header) -> dict[str, int]:
    """What a switch finds in the packet."""
    fields = {
        "in_port": 1, "vlan_vid": 0, "eth_type": 0x0800, "ip_proto": header.protocol,
        "ipv4_src": header.src, "ipv4_dst": header.dst,
    }  # fmt: skip
    names = {6: ("tcp_src", "tcp_dst"), 17: ("udp_src", "udp_dst")}.get(header.protocol, ())
    fields |= {name: value or 0 for name, value in zip(names, (header.sport, header.dport), strict=False)}
    flags = header.flags or 0
    if header.protocol == 6:
        fields["tcp_flags"] = flags >> 8
    elif header.protocol == 1:
        fields |= {"icmpv4_type": flags >> 8, "icmpv4_code": flags & 0xFF}
    return fields


def test_flow_table_evaluator_and_linear_scan_agree(shared_data: Path, tmp_path: Path, full: bool) -> None:
    for name in SETS if full else SOME:
        assert_all_agree(shared_data / "rules" / name, tmp_path, full)


def assert_all_agree(rules_file: Path, tmp_path: Path, full: bool) -> None:
    path = tmp_path / "filter.chain"
    path.write_text(FILTER.format(rules=rules_file, otherwise=""))
    split = split_of(path)
    found = split.interfaces[0].found
    assert isinstance(found, Classification)
    assert split.interfaces[0].kept == len(found.rules.rules.rules)
    rules = found.rules.rules.rules
    table, classifier = FlowTable(split.entries), Classifier(found.rules.rules)
    step = 1 if full else max(1, len(rules) // RULES_OF_A_SHORT_RUN)
    decided = 0
    for rule in rules[::step]:
        for header in corners(rule):
            first = next((n for n, one in enumerate(rules) if matches(one, header)), None)
            assert classifier.first_match(header) == first
            number = table.look_up(fields_of(header))
            assert number is not None
            action = table.entries[number].action
            is_whole = table.entries[number].what == "full software path"
            permits = first is not None and rules[first].permits
            assert is_whole or isinstance(action, Drop) != permits
            decided += not is_whole
    assert decided > 1000
