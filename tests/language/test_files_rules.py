"""Rule files: what they mean, and what is said about wrong ones."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.diagnostics.diagnostic import Diagnostic
from synth.diagnostics.spans import Span
from synth.language.files.rules import load_rules, parse_rules
from synth.language.files.shadow import find_shadowed
from synth.language.files.source import FileReference
from synth.language.values import PrefixValue, RangeValue, RuleSetValue, RuleValue

HERE = Span("edge.chain", 3, 20, 3, 30)


def rule_set(*texts: str) -> tuple[RuleSetValue, list[Diagnostic]]:
    found: list[Diagnostic] = []
    lines = [(text, Span("edge.chain", number, 5, number, 5)) for number, text in enumerate(texts, 1)]
    return parse_rules(lines, found.append), found


def load(path: Path, *, permits: bool = True) -> tuple[RuleSetValue, list[Diagnostic]]:
    found: list[Diagnostic] = []
    reference = FileReference(path=path, shown=path.name, span=HERE)
    return load_rules(reference, found.append, permits=permits), found


def rule(
    *,
    permits: bool = True,
    src: tuple[int, int] = (0, 0),
    dst: tuple[int, int] = (0, 0),
    protocol: tuple[int, int] = (0, 0),
    sport: tuple[int, int] = (0, 65535),
    dport: tuple[int, int] = (0, 65535),
    flags: tuple[int, int] = (0, 0),
) -> RuleValue:
    return RuleValue(
        permits=permits, src=PrefixValue(*src), dst=PrefixValue(*dst),
        protocol=protocol[0], protocol_mask=protocol[1],
        sport=RangeValue(*sport), dport=RangeValue(*dport), flags=flags[0], flags_mask=flags[1],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("deny any", rule(permits=False)),
        ("permit", rule()),
        ("permit ip", rule()),
        ("deny src 10.0.0.0/8", rule(permits=False, src=(0x0A000000, 8))),
        ("permit tcp dst 192.0.2.1 dport 80", rule(dst=(0xC0000201, 32), protocol=(6, 255), dport=(80, 80))),
        ("permit udp sport 1025..65535 dport 33435..33599",
         rule(protocol=(17, 255), sport=(1025, 65535), dport=(33435, 33599))),
        ("permit any dport 0x50", rule(dport=(80, 80))),
        ("permit dst any src any", rule()),
        ("permit icmp src 0.0.0.0/0", rule(protocol=(1, 255))),
        ("permit 47", rule(protocol=(47, 255))),
        ("permit 0x33/0xfe", rule(protocol=(0x32, 0xFE))),
        ("permit tcp flags 0x02/0x12", rule(protocol=(6, 255), flags=(0x0200, 0x1200))),
        ("permit  tcp\tdst 192.0.2.0/24 # a comment", rule(dst=(0xC0000200, 24), protocol=(6, 255))),
        ("permit tcp // another", rule(protocol=(6, 255))),
        ("@10.0.0.0/8\t0.0.0.0/0\t0 : 65535\t53 : 53\t0x11/0xFF\t0x0000/0x0000\t",
         rule(src=(0x0A000000, 8), protocol=(17, 255), dport=(53, 53))),
        ("@0.0.0.0/0 0.0.0.0/0 0 : 65535 0 : 65535 0x00/0x00 0x1000/0x1000", rule(flags=(0x1000, 0x1000))),
        ("@0.0.0.0/0 0.0.0.0/0 0 : 65535 0 : 65535 0x02/0xFF", rule(protocol=(2, 255))),
    ],
)  # fmt: skip
def test_a_rule_means_what_it_says(text: str, expected: RuleValue) -> None:
    rules, found = rule_set(text)
    assert found == []
    assert rules.rules == (expected,)


@pytest.mark.parametrize(
    ("text", "code", "column", "end", "message", "label"),
    [
        ("allow any", "E502", 5, 10, "unexpected `allow`", "permit or deny (did you mean `permit`?)"),
        ("permti tcp", "E502", 5, 11, "unexpected `permti`", "permit or deny (did you mean `permit`?)"),
        ("permit tpc", "E502", 12, 15, "unexpected `tpc`", "did you mean `tcp`"),
        ("permit 256", "E505", 12, 15, "256 is out of range", "a protocol number from 0 to 255"),
        ("permit 6/256", "E505", 14, 17, "256 is out of range", "mask from 0 to 255"),
        ("permit tcp dst", "E503", 19, 20, "the line ends too early", "expected an address or a prefix"),
        ("permit tcp dst 10.0.0.0/33", "E505", 29, 31, "33 is out of range", "a prefix length from 0 to 32"),
        ("permit tcp dst 10.0.0.0/", "E502", 29, 30, "unexpected ``", "expected a prefix length"),
        ("permit tcp dst 10.0.0.1/8", "E504", 20, 30, "has bits set behind its 8 bits", "a network address"),
        ("permit tcp dst 10.0.0", "E502", 20, 26, "unexpected `10.0.0`", "an IPv4 address or prefix"),
        ("permit tcp dst 010.0.0.1", "E502", 20, 29, "unexpected `010.0.0.1`", "an IPv4 address"),
        ("permit tcp dst 2001:db8::/32", "E507", 20, 33, "`2001:db8::/32` is IPv6", "expected IPv4"),
        ("permit tcp dport http", "E502", 22, 26, "unexpected `http`", "a port or a range of ports"),
        ("permit tcp dport 100..50", "E506", 22, 29, "no number is in `100..50`", "lower end first"),
        ("permit tcp dport 65536", "E505", 22, 27, "65536 is out of range", "from 0 to 65535"),
        ("permit icmp dport 80", "E511", 17, 22, "protocol `icmp` does not", "expected tcp or udp before"),
        ("permit udp flags 0x02/0x02", "E511", 16, 21, "asks for TCP flags", "expected tcp before"),
        ("permit tcp src any src any", "E510", 24, 27, "`src` is given twice", "each part once"),
        ("permit tcp log", "E502", 16, 19, "unexpected `log`", "src, sport, dst, dport or flags"),
        ("@10.0.0.0/8 0.0.0.0/0 0 65535", "E502", 29, 34, "unexpected `65535`", "`:` between two ports"),
        ("@10.0.0.0/8 0.0.0.0/0 9 : 3 0 : 1 6/255", "E506", 27, 32, "in `9..3`", "lower end first"),
        ("@10.0.0.0/8 0.0.0.0/0 0 : 1 0 : 1 6", "E502", 39, 40, "unexpected `6`", "VALUE/MASK"),
        ("@10.0.0.0/8 0.0.0.0/0 0 : 1 0 : 1 6/255 0/0 7", "E502", 49, 50, "`7`", "end of the rule"),
    ],
)
def test_a_wrong_rule_is_told_with_its_place(
    text: str, code: str, column: int, end: int, message: str, label: str
) -> None:
    rules, (found,) = rule_set(text)
    assert rules.rules == ()
    assert (found.code, found.span.line, found.span.column, found.span.end_column) == (code, 1, column, end)
    assert message in found.message
    assert label in found.label_text


def test_host_bits_are_told_with_the_right_prefix() -> None:
    _, (found,) = rule_set("permit dst 10.1.2.3/8")
    assert found.help_text == "write 10.0.0.0/8, or 10.1.2.3/32 for the one address"


def test_every_wrong_line_of_a_file_is_reported_and_the_others_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "edge.rules"
    path.write_text("# head\npermit tcp\r\nallow udp\n\ndeny udp dport x\nvoid\ndeny any\n")
    rules, found = load(path)
    assert [str(d.span) for d in found] == ["edge.rules:3:1", "edge.rules:5:16", "edge.rules:6:1"]
    assert [r.span.line for r in rules.rules] == [2, 7]


def test_a_file_full_of_mistakes_shows_the_first_twenty_and_counts_the_rest(tmp_path: Path) -> None:
    path = tmp_path / "edge.rules"
    path.write_text("nonsense\n" * 70)
    _, found = load(path)
    assert len(found) == 21
    assert (found[-1].code, found[-1].span.line) == ("E523", 21)
    assert found[-1].message == "50 more lines of edge.rules are wrong"


def test_a_missing_file_is_reported_where_it_is_named(tmp_path: Path) -> None:
    rules, (found,) = load(tmp_path / "none.rules")
    assert rules.rules == ()
    assert (found.code, found.span) == ("E500", HERE)
    assert found.message == "cannot read none.rules: no such file or directory"


def test_a_file_that_is_no_text_is_reported_where_it_is_named(tmp_path: Path) -> None:
    path = tmp_path / "edge.rules"
    path.write_bytes(b"permit any\n\xff\xfe\n")
    _, (found,) = load(path)
    assert (found.code, found.span) == ("E501", HERE)
    assert "line 2" in found.message


def test_classbench_rules_take_the_verdict_that_the_chain_gives(tmp_path: Path) -> None:
    path = tmp_path / "acl"
    path.write_text("@0.0.0.0/0\t10.0.0.0/8\t0 : 65535\t0 : 65535\t0x06/0xFF\t0x0000/0x0000\t\n")
    permitted, _ = load(path)
    denied, _ = load(path, permits=False)
    assert permitted.rules[0].permits
    assert not denied.rules[0].permits


def test_a_covered_rule_is_a_warning_at_the_rule_with_a_note_at_its_cover() -> None:
    _, (found,) = rule_set("permit tcp", "permit udp", "deny tcp dport 80", "permit udp src 10.0.0.0/8")
    assert (found.code, found.severity, found.span.line) == ("W512", "warning", 3)
    assert found.notes[0].span.line == 1
    assert found.help_text.endswith("lines never decide either: 4")


WORDS = st.sampled_from(
    ["permit", "deny", "tcp", "any", "6/255", "src", "dst", "10.0.0.0/8", "1.2.3.4", "sport", "dport", "80",
     "1..2", "..", "9..1", "flags", "2/2", "@", "@0.0.0.0/0", "0.0.0.0/0",
     ":", "0", "0x", "/", "\u0661", "//", "#", "\x00"]
)  # fmt: skip


@given(st.lists(WORDS, max_size=12).map(" ".join) | st.text(max_size=30))
def test_no_text_breaks_the_reader(text: str) -> None:
    rules, found = rule_set(text.replace("\n", " "))
    assert len(rules.rules) + len([d for d in found if d.severity == "error"]) <= 1
    for diagnostic in found:
        assert diagnostic.message
        assert 1 <= diagnostic.span.column < diagnostic.span.end_column


PREFIXES = st.sampled_from(
    [PrefixValue(0, 0), PrefixValue(0, 1), PrefixValue(1 << 31, 1), PrefixValue(1 << 30, 2)]
)
RANGES = st.sampled_from([RangeValue(0, 65535), RangeValue(0, 9), RangeValue(5, 9), RangeValue(5, 5)])
MASKED = st.sampled_from([(0, 0), (6, 255), (17, 255), (2, 2)])
RULES = st.builds(
    lambda src, dst, protocol, sport, dport: rule(
        src=(src.address, src.length), dst=(dst.address, dst.length), protocol=protocol,
        sport=(sport.low, sport.high), dport=(dport.low, dport.high),
    ),
    PREFIXES, PREFIXES, MASKED, RANGES, RANGES,
)  # fmt: skip


def is_inside(narrow: RuleValue, wide: RuleValue) -> bool:
    """Tell by single packets whether one rule takes all of another's."""
    probes = [
        (src, dst, protocol, sport, dport)
        for src in (0, 1 << 30, 1 << 31)
        for dst in (0, 1 << 30, 1 << 31)
        for protocol in (6, 17, 2, 0)
        for sport in (0, 5, 9, 10)
        for dport in (0, 5, 9, 10)
    ]
    return all(takes(wide, probe) for probe in probes if takes(narrow, probe))


def takes(r: RuleValue, packet: tuple[int, int, int, int, int]) -> bool:
    src, dst, protocol, sport, dport = packet
    return (
        src & r.src.mask == r.src.address
        and dst & r.dst.mask == r.dst.address
        and protocol & r.protocol_mask == r.protocol
        and r.sport.low <= sport <= r.sport.high
        and r.dport.low <= dport <= r.dport.high
    )


@given(st.lists(RULES, max_size=8))
def test_the_covered_rules_are_those_whose_packets_an_earlier_rule_takes(rules: list[RuleValue]) -> None:
    covers = [next((w for w in rules[:i] if is_inside(r, w)), None) for i, r in enumerate(rules)]
    expected = [(r, cover) for r, cover in zip(rules, covers, strict=True) if cover is not None]
    assert list(find_shadowed(rules)) == expected


@pytest.mark.parametrize("name", ["acl", "fw", "ipc"])
def test_classbench_sets_decide_as_a_linear_scan_does(shared_data: Path, name: str) -> None:
    folder = shared_data / "rules" / "with_trace"
    rules, found = load(folder / f"{name}_1k")
    assert [d for d in found if d.severity == "error"] == []
    trace = (folder / f"{name}_1k_trace").read_text().split("\n")
    answers = (folder / f"{name}_1k.first_match").read_text().split()
    for line, answer in zip(trace[:300], answers[:300], strict=True):
        # The answers are of five fields: the trace's sixth is not a packet's flags.
        src, dst, sport, dport, protocol = (int(field) for field in line.split()[:5])
        packet = (src, dst, protocol, sport, dport)
        first = next((i for i, r in enumerate(rules.rules) if takes(r, packet)), -1)
        assert first == int(answer)


@pytest.mark.parametrize("name", ["acl1_10k", "fw1_10k", "ipc1_10k"])
def test_classbench_sets_of_ten_thousand_rules_load_without_an_error(shared_data: Path, name: str) -> None:
    path = shared_data / "rules" / name
    rules, found = load(path)
    assert [d for d in found if d.severity == "error"] == []
    assert len(rules.rules) == path.read_text().count("@")
