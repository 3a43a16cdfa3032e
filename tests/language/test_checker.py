"""What the checker accepts, what it makes of it, and what it refuses."""

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import get_args

import pytest

from synth.diagnostics.diagnostic import Diagnostic, UserError
from synth.language import typed
from synth.language.checker import CheckResult, check_file, check_library_nf, load_nfs
from synth.language.parser import parse_file
from synth.language.types import UInt
from synth.language.values import ListValue, PrefixValue, RangeValue, RouteTableValue
from synth.resources import chains_folder

LIBRARY = sorted((chains_folder() / "nf").glob("*.chain"))
CHAINS = sorted(path for path in chains_folder().glob("*/*.chain") if path.parent.name != "nf")

INTERFACES = """
    interface lan { mac 02:00:00:00:00:01  address 10.0.0.1/8 }
    interface wan { mac 02:00:00:00:00:02  address 203.0.113.1/24 }
"""


def check(folder: Path, text: str, **options: object) -> CheckResult:
    path = folder / "chain.chain"
    path.write_text(text, encoding="utf-8")
    return check_file(path, **options)  # type: ignore[arg-type]


def errors(folder: Path, text: str, **options: object) -> list[tuple[str, int]]:
    """The codes of what is reported, with their lines."""
    try:
        found: tuple[Diagnostic, ...] = check(folder, text, **options).warnings
    except UserError as error:
        found = error.diagnostics
    return [(diagnostic.code, diagnostic.span.line) for diagnostic in found]


def handler(body: str, pattern: str = "ipv4", state: str = "", parameters: str = "") -> str:
    """An NF with one interesting handler, whose body starts in line 3."""
    return (
        f"nf example({parameters}) {{ {state}\n"
        f"from inside (pkt: {pattern}) {{\n{body}\n}}\nfrom inside (pkt) {{ drop other }} }}\n"
    )


def nf_of(folder: Path, text: str) -> typed.TypedNf:
    path = folder / "nf.chain"
    path.write_text(text, encoding="utf-8")
    return load_nfs(parse_file(path))[-1]


def nodes(root: object) -> Iterator[object]:
    if isinstance(root, tuple):
        for item in root:
            yield from nodes(item)
    elif is_dataclass(root):
        yield root
        for part in fields(root):
            yield from nodes(getattr(root, part.name))


# ---------------------------------------------------------------- the library and the examples


@pytest.mark.parametrize("path", LIBRARY, ids=lambda path: path.stem)
def test_each_nf_of_the_library_is_without_complaint(path: Path) -> None:
    assert check_library_nf(path).warnings == ()


@pytest.mark.parametrize("path", CHAINS, ids=lambda path: path.stem)
def test_each_example_chain_has_a_typed_chain(path: Path) -> None:
    chain = check_file(path).chain
    assert chain is not None
    assert chain.instances
    for instance in chain.instances:
        assert {name for name, _ in instance.arguments} == {it.name for it in instance.nf.parameters}


@pytest.mark.parametrize("path", CHAINS, ids=lambda path: path.stem)
def test_what_may_be_absent_stands_only_as_an_option(path: Path) -> None:
    chain = check_file(path).chain
    fallible = get_args(typed.Fallible)
    found = list(nodes(tuple(it.nf.handlers for it in chain.instances)))
    options = {id(it) for node in found if isinstance(node, typed.Fallback) for it in node.options}
    assert all(id(node) in options for node in found if isinstance(node, fallible))
    choices = {id(it) for node in found if isinstance(node, typed.Insert) for it in nodes((node.unique,))}
    assert all(id(node) in choices for node in found if isinstance(node, typed.Choose))


def test_an_nf_has_its_documentation_and_its_defaults(tmp_path: Path) -> None:
    nf = nf_of(
        tmp_path,
        "/// Does little.\nnf example(\n    /// How long.\n    idle: duration = 2min,\n"
        "    ports: range<u16> = 1..9,\n    net: prefix = 10.0.0.0/8) {\n"
        "    from inside (pkt) { emit outside }\n}\n",
    )
    assert nf.doc == "Does little."
    defaults = [it.default for it in nf.parameters]
    assert defaults == [(120 * 10**9,), RangeValue(1, 9), PrefixValue(10 << 24, 8)]


# ---------------------------------------------------------------- types and widths


@pytest.mark.parametrize(
    "body",
    [
        "pkt.ipv4.ttl = pkt.ipv4.ttl - 1\nemit outside",
        "if pkt.ipv4.ttl <= 1 || 1 >= pkt.ipv4.ttl { drop old }\nemit outside",
        "let a = u16(pkt.ipv4.ttl) + pkt.ipv4.id\nemit outside",
        "let a = if pkt.ipv4.df then 1 else pkt.ipv4.id\nemit outside",
        "let a = idle * 2 + 3 * idle - idle / 2\nemit outside",
        "let a = (pkt.ipv4.src, 6) == (pkt.ipv4.dst, pkt.ipv4.protocol)\nemit outside",
        "if pkt.ipv4.src in 10.0.0.0/8 && pkt.ipv4.ttl in 1..64 { drop inside }\nemit outside",
        "let a = u32(pkt.ipv4.src) & 0xff\npkt.ipv4.dst = ipv4(a | 0x0a000000)\nemit outside",
        "let many = u32(hosts.size)\nlet low = hosts.low\nemit outside",
        "if pkt is tcp && pkt.tcp.syn { drop syn }\nemit outside",
        "if !(pkt is tcp) || !pkt.tcp.syn { emit outside } else { drop syn }",
        "let syn = if pkt is tcp then pkt.tcp.syn else false\nemit outside",
        "if pkt is tcp { emit outside } else { match pkt { udp { drop udp } else { drop other } } }",
        "let copy = pkt\ncopy.ipv4.ttl = 1\nemit inside: copy\ndrop answered",
    ],
)
def test_these_handlers_are_well_typed(tmp_path: Path, body: str) -> None:
    text = handler(body, parameters="idle: duration, hosts: range<u16>")
    assert errors(tmp_path, text) == []


def test_an_open_integer_takes_the_width_of_the_other_operand(tmp_path: Path) -> None:
    nf = nf_of(tmp_path, handler("let a = 2 * (pkt.ipv4.id + 1)\nemit outside"))
    literals = [it for it in nodes(nf.handlers) if isinstance(it, typed.Constant)]
    assert [it.type for it in literals] == [UInt(16), UInt(16)]


def test_scaling_a_quantity_makes_both_operands_one_type(tmp_path: Path) -> None:
    nf = nf_of(tmp_path, handler("let a = idle * 3\nemit outside", parameters="idle: duration"))
    products = [it for it in nodes(nf.handlers) if isinstance(it, typed.Binary)]
    assert [(it.left.type, it.right.type) for it in products] == [(products[0].type,) * 2]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("let a = pkt.ipv4.ttl + pkt.ipv4.id\nemit outside", "E153"),
        ("let a = idle + 1\nemit outside", "E152"),
        ("let a = idle * idle\nemit outside", "E152"),
        ("if idle > 8Mbit/s { drop a }\nemit outside", "E151"),
        ("if pkt.ipv4.src == pkt.ipv4.id { drop a }\nemit outside", "E151"),
        ("if pkt.ipv4.ttl == 300 { drop a }\nemit outside", "E220"),
        ("if pkt.ipv4.src in 10.0.0.1/8 { drop a }\nemit outside", "E223"),
        ("if pkt.ipv4.id in 10.0.0.0/8 { drop a }\nemit outside", "E150"),
        ("if pkt.tcp.syn { drop a }\nemit outside", "E270"),
        ("if pkt is tcp { drop a }\nif pkt.tcp.syn { drop b }\nemit outside", "E270"),
        ("if pkt is tcp || pkt.tcp.syn { drop a }\nemit outside", "E270"),
        ("pkt.ipv4.protocol = 6\nemit outside", "E271"),
        ("emit nowhere", "E361"),
        ("emit idle", "E150"),
        ("let a = flow(pkt)\nemit outside", "E275"),
        ("if pkt.ipv4.df { emit outside }", "E180"),
        ("emit outside\ndrop a\nemit inside", "E181"),
        ("let idle = pkt.ipv4.ttl\nemit outside", "E101"),
    ],
)
def test_these_handlers_are_refused(tmp_path: Path, body: str, code: str) -> None:
    assert code in [found for found, _ in errors(tmp_path, handler(body, parameters="idle: duration"))]


def test_after_a_branch_that_ends_the_rest_is_known(tmp_path: Path) -> None:
    body = "if !(pkt is tcp | udp) { drop other }\nif pkt.l4.dport == 53 { drop dns }\nemit outside"
    assert errors(tmp_path, handler(body)) == []


def test_each_error_of_a_file_is_reported_in_source_order(tmp_path: Path) -> None:
    body = (
        "pkt.ipv4.ttl = 300\nlet a = pkt.ipv4.tll\nif a == 4 { drop a }\nlet b = 1 / 0\nnothing()\n"
        "emit outside"
    )
    assert errors(tmp_path, handler(body)) == [("E220", 3), ("E102", 4), ("E154", 6), ("E100", 7)]


# ---------------------------------------------------------------- entries

TABLE = "table seen { key host: ipv4; value hits: u32 = 0; timer idle = 1s; timer long = 1h; capacity 8 }"
FIND = "let b = seen.find(host: pkt.ipv4.src) or seen.insert(host: pkt.ipv4.src) or drop full\n"


@pytest.mark.parametrize(
    "body",
    [
        f"{FIND}b.hits = b.hits +% 1\ntouch b.long\nemit outside",
        f"{FIND}remove b\nemit outside",
        f"{FIND}if b.hits > 5 {{ remove b }} else {{ touch b.idle }}\nemit outside",
        "let b = seen.find(host: pkt.ipv4.src) or { emit outside }\ntouch b.idle\nemit outside",
        "seen.insert(host: pkt.ipv4.src) or { pkt.ipv4.ttl = 9 }\nemit outside",
    ],
)
def test_entries_are_used_so(tmp_path: Path, body: str) -> None:
    assert errors(tmp_path, handler(body, state=TABLE)) == []


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (f"{FIND}remove b\ntouch b.idle\nemit outside", "E312"),
        (f"{FIND}if b.hits == 0 {{ remove b }}\nb.hits = 5\nemit outside", "E312"),
        (f"{FIND}touch b.short\nemit outside", "E102"),
        (f"{FIND}touch b.hits\nemit outside", "E102"),
        (f"{FIND}b.host = pkt.ipv4.dst\nemit outside", "E166"),
        (f"{FIND}let c = (b, b)\nemit outside", "E155"),
        ("let b = seen.find(hots: pkt.ipv4.src) or drop no\nemit outside", "E102"),
        ("let b = seen.find(host: pkt.ipv4.ttl) or drop no\nemit outside", "E150"),
        ("let b = seen.insert(host: pkt.ipv4.src, hits: 1, hits: 2) or drop no\nemit outside", "E101"),
        ("seen.insert(host: pkt.ipv4.src)\nemit outside", "E170"),
    ],
)
def test_entries_are_not_used_so(tmp_path: Path, body: str, code: str) -> None:
    assert code in [found for found, _ in errors(tmp_path, handler(body, state=TABLE))]


@pytest.mark.parametrize(
    ("index", "is_right"),
    [
        ("15", True),
        ("16", False),
        ("pkt.ipv4.id % 16", True),
        ("u8(pkt.ipv4.id & 15)", True),
        ("pkt.ipv4.id >> 12", True),
        ("pkt.ipv4.ihl", True),
        ("pkt.ipv4.ttl", False),
        ("if pkt.ipv4.df then pkt.ipv4.ihl else 15", True),
    ],
)
def test_an_index_is_proved_in_range(tmp_path: Path, index: str, is_right: bool) -> None:
    found = errors(tmp_path, handler(f"cells[{index}] = true\nemit outside", state="vector cells: bool[16]"))
    assert (found == []) == is_right


def test_a_remainder_by_the_size_itself_is_in_range(tmp_path: Path) -> None:
    text = handler(
        "let n = hash(pkt.ipv4.src)\ncells[u16(n % u32(ports.size))] = 1\nemit outside",
        state="vector cells: u8[ports.size]",
        parameters="ports: range<u16>",
    )
    assert errors(tmp_path, text) == []


# ---------------------------------------------------------------- chains


def test_two_sided_nfs_meet_their_left_neighbour_with_the_first_side(tmp_path: Path) -> None:
    chain = check(
        tmp_path,
        f"use nf: forwarder\nchain c {{ {INTERFACES}\n a = forwarder()\n lan <-> a <-> wan\n}}",
    ).chain
    wires = {(wire.source, wire.target) for wire in chain.wires}
    lan, wan = typed.Endpoint("lan"), typed.Endpoint("wan")
    inside, outside = typed.Endpoint("a", "inside"), typed.Endpoint("a", "outside")
    assert wires == {(lan, inside), (inside, lan), (wan, outside), (outside, wan)}


NESTED = f"""use nf: forwarder
chain pair(name: u16) {{
    sides left, right
    one = forwarder()
    two = forwarder()
    left <-> one <-> two <-> right
}}
chain c {{ {INTERFACES}
    first  = pair(name: 1)
    second = pair(name: 2)
    lan <-> first <-> second <-> wan
}}
"""


def test_nested_chains_are_flattened_under_dotted_names(tmp_path: Path) -> None:
    chain = check(tmp_path, NESTED).chain
    assert [it.name for it in chain.instances] == ["first.one", "first.two", "second.one", "second.two"]
    ways = {wire.source: wire.target for wire in chain.wires}
    assert ways[typed.Endpoint("first.two", "outside")] == typed.Endpoint("second.one", "inside")
    assert ways[typed.Endpoint("second.two", "outside")] == typed.Endpoint("wan")
    assert len(chain.wires) == 10


def test_a_chain_that_only_passes_on_leaves_a_plain_wire(tmp_path: Path) -> None:
    text = (
        f"use nf: forwarder\nchain bare {{ sides a, b\n a <-> b }}\n"
        f"chain c {{ {INTERFACES}\n x = bare()\n f = forwarder()\n lan <-> x <-> f <-> wan }}"
    )
    chain = check(tmp_path, text).chain
    ends = {(it.source.owner, it.target.owner) for it in chain.wires}
    assert ends == {("lan", "f"), ("f", "lan"), ("f", "wan"), ("wan", "f")}


def test_the_last_chain_that_no_other_uses_is_built_or_the_one_that_is_named(tmp_path: Path) -> None:
    text = "use nf: forwarder\n" + "".join(
        f"chain {name} {{ {INTERFACES}\n f = forwarder()\n lan <-> f <-> wan }}\n"
        for name in ("first", "second")
    )
    assert check(tmp_path, text).chain.name == "second"
    assert check(tmp_path, text, chain="first").chain.name == "first"


def test_a_file_of_parts_has_no_chain(tmp_path: Path) -> None:
    assert check(tmp_path, "chain part { sides a, b\n a <-> b }").chain is None


def test_one_way_wires_need_only_the_sides_that_are_fed(tmp_path: Path) -> None:
    text = f"use nf: forwarder\nchain c {{ {INTERFACES}\n a = forwarder()\n lan -> a -> wan }}"
    assert errors(tmp_path, text) == []


ROUTER = f"""use nf: router
chain c(gw: mac = 02:00:00:00:01:01) {{ {INTERFACES}
    r = router(routes: {{
        up: {{ side: wan, mac: gw, source: 02:00:00:00:00:02 }},
        10.0.0.0/8: {{ side: lan, mac: 02:00:00:00:01:02, source: 02:00:00:00:00:01 }},
        192.0.2.0/24: discard,
        0.0.0.0/0: up,
    }})
    r.lan <-> lan
    r.wan <-> wan
}}
"""


def test_sides_any_are_named_by_the_wires_and_known_to_arguments(tmp_path: Path) -> None:
    router = check(tmp_path, ROUTER).chain.instances[0]
    assert router.sides == ("lan", "wan")
    routes = dict(router.arguments)["routes"]
    assert isinstance(routes, RouteTableValue)
    results = {route.prefix: route.result for route in routes.routes}
    assert results[PrefixValue(0, 0)] == (1, 0x020000000101, 0x020000000002)
    assert results[PrefixValue(10 << 24, 8)] == (0, 0x020000000102, 0x020000000001)
    assert results[PrefixValue(0xC0000200, 24)] is None


def test_a_router_between_an_nf_and_itself_is_a_cycle(tmp_path: Path) -> None:
    text = ROUTER.replace("r.wan <-> wan", "r.wan <-> turn <-> wan").replace(
        "r = router", "turn = bounce()\n    r = router"
    )
    bounce = "nf bounce { from inside (pkt) { emit inside }\nfrom outside (pkt) { emit inside } }\n"
    with pytest.raises(UserError) as caught:
        check(tmp_path, bounce + text)
    (found,) = caught.value.diagnostics
    assert found.code == "E370"
    assert "turn.inside -> r.wan -> turn.inside" in found.message
    assert check(tmp_path, bounce + text.replace("r.lan <->", "budget 3\n    r.lan <->")).chain.budget == 3


# ---------------------------------------------------------------- parameters from outside

NAT = f"use nf: napt\nchain c(idle: duration = 1min) {{ {INTERFACES}\n    nat = napt(public: 203.0.113.1)\n"
NAT += "    lan <-> nat <-> wan\n}\n"


def arguments_of(result: CheckResult) -> dict[str, object]:
    return dict(result.chain.instances[0].arguments)


def test_set_wins_over_config_and_config_over_the_file(tmp_path: Path) -> None:
    config = tmp_path / "site.yaml"
    config.write_text("nat:\n  public: 203.0.113.2\n  ports: 1024..2047\n", encoding="utf-8")
    found = arguments_of(check(tmp_path, NAT, config=config, overrides=["nat.public=203.0.113.3"]))
    assert found["public"] == (0xCB007103,)
    assert found["ports"] == RangeValue(1024, 2047)


@pytest.mark.parametrize(
    "setting",
    [
        "nat.publc=203.0.113.1",
        "nta.public=203.0.113.1",
        "nat.public=203.0.113.1/33",
        "nat.public=)",
        "x",
        "idl=5s",
        "nat.public=1, ports: 1..2",
        "nat.public=1) b = napt(public: 1",
    ],
)
def test_a_wrong_setting_is_located(tmp_path: Path, setting: str) -> None:
    with pytest.raises(UserError) as caught:
        check(tmp_path, NAT, overrides=[setting])
    assert {found.span.file for found in caught.value.diagnostics} == {"--set"}


def test_lists_come_inline_or_from_yaml(tmp_path: Path) -> None:
    nf = (
        "record backend { address: ipv4, weight: u16 = 7 }\n"
        "nf pick(backends: list<backend>) {\n    ring picks of backends by address weight weight\n"
        "    from inside (pkt) {\n        let b = picks.pick(hash(pkt.eth.src))\n"
        "        if b.weight == 0 { drop none }\n        emit outside\n    }\n"
        "    from outside (pkt) { emit inside }\n}\n"
    )
    (tmp_path / "list.yaml").write_text("- address: 192.0.2.1\n- {address: 192.0.2.2, weight: 1}\n")
    for value in ('yaml("list.yaml")', "[192.0.2.1, { address: 192.0.2.2, weight: 1 }]",
                  "[backend(address: 192.0.2.1), { weight: 1, address: 192.0.2.2 }]"):  # fmt: skip
        text = f"{nf}chain c {{ {INTERFACES}\n p = pick(backends: {value})\n lan <-> p <-> wan }}"
        found = arguments_of(check(tmp_path, text))
        assert found["backends"] == ListValue(((0xC0000201, 7), (0xC0000202, 1)))


# ---------------------------------------------------------------- case C14

GOOD = f"use nf: acl\nchain c {{ {INTERFACES}\n    acl = acl(rules: [])\n    lan <-> acl <-> wan\n}}\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("10.0.0.1/8", "10.0.0.1/33"),
        ("acl(rules: [])", 'acl(rules: ["permit tcp dport 100..50"])'),
        ("= acl(", "= alc("),
        ("rules: []", "ruls: []"),
        ("    acl =", "    lan =", ),
        ("<-> wan", ""),
        ("    acl = acl(rules: [])\n", "    acl = acl(rules: []) lan <-> acl\n"),
        ("use nf: acl", "use nf: acls"),
    ],
)  # fmt: skip
def test_each_mistake_of_case_c14_is_located(tmp_path: Path, old: str, new: str) -> None:
    assert errors(tmp_path, GOOD) == []
    assert old in GOOD
    found = errors(tmp_path, GOOD.replace(old, new, 1))
    assert any(code.startswith("E") and line > 0 for code, line in found)


def test_an_empty_file_is_an_error(tmp_path: Path) -> None:
    assert [code[0] for code, _ in errors(tmp_path, "")] == ["E"]


def test_a_covered_rule_is_a_warning(tmp_path: Path) -> None:
    text = GOOD.replace("[]", '["permit tcp", "deny tcp dport 80"]')
    assert [code for code, _ in errors(tmp_path, text)] == ["W512"]


def test_messages_have_no_placeholder_left(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught:
        check(tmp_path, handler("pkt.tcp.syn = 4\nlet a = b\nemit c"))
    for found in caught.value.diagnostics:
        assert not re.search(r"\{\w+\}", found.message + found.label_text)
