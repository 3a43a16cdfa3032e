"""Static tables give what a search from the first to the last entry gives, and take no wrong data."""

import random
import re
import struct
import subprocess
from typing import NamedTuple

import pytest

RULES, ROUTES, LIST, RING = range(4)
BARE, TCP, UDP, ICMP = range(4)
PROTOCOLS = {TCP: 6, UDP: 17, ICMP: 1}


class Rule(NamedTuple):
    src: int
    src_mask: int
    dst: int
    dst_mask: int
    sport: tuple[int, int]
    dport: tuple[int, int]
    flags: int
    flags_mask: int
    protocol: int
    protocol_mask: int
    permits: int = 1

    def packed(self) -> bytes:
        return struct.pack("<4I6H4B", *self[:4], *self.sport, *self.dport, *self[6:], 0)


class Header(NamedTuple):
    kind: int
    protocol: int
    src: int
    dst: int
    sport: int
    dport: int
    flags: int

    def line(self) -> str:
        selector = {BARE: self.protocol, TCP: self.flags >> 8}.get(self.kind, 0)
        first = self.flags if self.kind == ICMP else self.sport
        return f"{self.kind} {selector} {self.src} {self.dst} {first} {self.dport}"


def matches(rule: Rule, header: Header) -> bool:
    if (header.src ^ rule.src) & rule.src_mask or (header.dst ^ rule.dst) & rule.dst_mask:
        return False
    if (header.protocol ^ rule.protocol) & rule.protocol_mask:
        return False
    has_ports, has_flags = header.kind in (TCP, UDP), header.kind in (TCP, ICMP)
    for port, (low, high) in ((header.sport, rule.sport), (header.dport, rule.dport)):
        if (low, high) != (0, 65535) and not (has_ports and low <= port <= high):
            return False
    return not rule.flags_mask or (has_flags and not (header.flags ^ rule.flags) & rule.flags_mask)


def first_match(rules: list[Rule], header: Header) -> str:
    for number, rule in enumerate(rules):
        if matches(rule, header):
            return f"{number} {rule.permits}"
    return "none"


def ask(program, folder, kind, data, lines):
    path = folder / "table.bin"
    path.write_bytes(data)
    return subprocess.run(
        (str(program), str(kind), str(path)),
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
    )


def answers(program, folder, kind, data, lines):
    done = ask(program, folder, kind, data, lines)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def refusal(program, folder, kind, data):
    done = ask(program, folder, kind, data, [])
    assert done.returncode == 1, done.stderr
    return done.stderr.strip()


def encode_rules(rules):
    return struct.pack("<I", len(rules)) + b"".join(rule.packed() for rule in rules)


LINE = re.compile(
    r"@([\d.]+)/(\d+)\s+([\d.]+)/(\d+)\s+(\d+) : (\d+)\s+(\d+) : (\d+)\s+(\w+)/(\w+)(?:\s+(\w+)/(\w+))?"
)


def address(text: str) -> int:
    return int.from_bytes(bytes(map(int, text.split("."))), "big")


def mask(length: int) -> int:
    return 0xFFFFFFFF << (32 - length) & 0xFFFFFFFF


def read_rules(path) -> list[Rule]:
    rules = []
    for number, line in enumerate(path.read_text().splitlines()):
        found = LINE.match(line)
        assert found, line
        src, src_length, dst, dst_length, s_low, s_high, d_low, d_high, protocol, p_mask, flags, f_mask = (
            found.groups()
        )
        rules.append(
            Rule(
                address(src), mask(int(src_length)), address(dst), mask(int(dst_length)),
                (int(s_low), int(s_high)), (int(d_low), int(d_high)),
                int(flags or "0", 16), int(f_mask or "0", 16), int(protocol, 16), int(p_mask, 16),
                int(number * 7 % 3 != 0),
            )
        )  # fmt: skip
    return rules


def header_near(rule: Rule, draw: random.Random) -> Header:
    """A header that the rule matches, but perhaps for its protocol, or that it just misses."""
    kind = draw.choice((BARE, TCP, TCP, UDP, UDP, ICMP))
    protocol = PROTOCOLS.get(kind, draw.choice((6, 17, 1, rule.protocol, draw.getrandbits(8))))
    src = rule.src & rule.src_mask | draw.getrandbits(32) & ~rule.src_mask
    dst = rule.dst & rule.dst_mask | draw.getrandbits(32) & ~rule.dst_mask
    ports = [draw.choice((low, high, draw.randint(low, high))) for low, high in (rule.sport, rule.dport)]
    flags = rule.flags & rule.flags_mask | draw.getrandbits(16) & ~rule.flags_mask
    if draw.random() < 0.3:
        ports[draw.randrange(2)] = draw.getrandbits(16)
    if draw.random() < 0.2:
        src ^= 1 << draw.randrange(32)
    if kind not in (TCP, UDP):
        ports = [0, 0]
    flags = {TCP: flags & 0xFF00, ICMP: flags}.get(kind, 0)
    return Header(kind, protocol, src, dst, *ports, flags)


def random_rule(draw: random.Random) -> Rule:
    def ports() -> tuple[int, int]:
        low = draw.choice((0, 0, 0, 80, draw.getrandbits(16)))
        return low, draw.choice((65535, 65535, low, draw.randint(low, 65535)))

    src_length, dst_length = draw.choice((0, 8, 24, 31, 32)), draw.choice((0, 1, 16, 32))
    return Rule(
        draw.choice((0x0A000001, 0x0A000100, draw.getrandbits(32))) & mask(src_length), mask(src_length),
        draw.choice((0xC0A80001, draw.getrandbits(32))) & mask(dst_length), mask(dst_length),
        ports(), ports(),
        draw.getrandbits(16), draw.choice((0, 0, 0, 0x0200, 0x1200, 0xFF00, 0xFFFF, 0x0001)),
        draw.choice((6, 17, 1, 47)), draw.choice((0, 0xFF, 0xFF, 0xFF, 0x0F)), draw.randrange(2),
    )  # fmt: skip


def check_rules(program, folder, rules, headers):
    found = answers(program, folder, RULES, encode_rules(rules), [header.line() for header in headers])
    for header, answer in zip(headers, found, strict=True):
        assert answer == first_match(rules, header), header


@pytest.mark.parametrize("count", [0, 1, 2, 60, 300])
def test_the_first_matching_rule_of_a_random_set_decides(table_asker, tmp_path, count):
    draw = random.Random(count)
    rules = [random_rule(draw) for _ in range(count)]
    headers = [header_near(draw.choice(rules or [random_rule(draw)]), draw) for _ in range(3000)]
    check_rules(table_asker, tmp_path, rules, headers)


SETS = ["acl1_1k", "acl3_1k", "fw2_1k", "fw5_1k", "ipc1_1k", "acl1_10k"]
LARGE_SETS = ["acl2_1k", "acl4_1k", "acl5_1k", "fw1_1k", "fw3_1k", "ipc1_10k", "fw1_10k"]


@pytest.mark.parametrize("name", SETS + LARGE_SETS)
def test_classbench_sets_decide_as_a_linear_search(table_asker, tmp_path, shared_data, full, name):
    if name in LARGE_SETS and not full:
        rules, count = read_rules(shared_data / "rules" / name)[:200], 500
    else:
        rules, count = read_rules(shared_data / "rules" / name), 4_000 if full else 700
    draw = random.Random(7)
    check_rules(table_asker, tmp_path, rules, [header_near(draw.choice(rules), draw) for _ in range(count)])


@pytest.mark.parametrize("name", ["acl_1k", "fw_1k", "ipc_1k"])
def test_recorded_header_traces_find_their_first_match(table_asker, tmp_path, shared_data, name):
    """The traces know no header: as they mean it, all packets have ports and flags of rules are not asked."""
    folder = shared_data / "rules" / "with_trace"
    rules = [rule._replace(flags=0, flags_mask=0) for rule in read_rules(folder / name)]
    wanted = (folder / f"{name}.first_match").read_text().split()
    headers, expected = [], []
    for line, match in zip((folder / f"{name}_trace").read_text().splitlines(), wanted, strict=True):
        src, dst, sport, dport, protocol = map(int, line.split()[:5])
        if protocol in (6, 17):
            headers.append(Header(TCP if protocol == 6 else UDP, protocol, src, dst, sport, dport, 0))
            expected.append(match)
    found = answers(table_asker, tmp_path, RULES, encode_rules(rules), [header.line() for header in headers])
    assert len(found) > 1000
    assert [answer.split()[0] for answer in found] == expected


# ---------------------------------------------------------------- routes


def encode_routes(routes, scalars):
    records = (
        struct.pack(f"<IBBH{scalars}Q", prefix, length, result is not None, 0, *(result or (0,) * scalars))
        for (prefix, length), result in routes.items()
    )
    return struct.pack("<2I", len(routes), scalars) + b"".join(records)


def longest_match(routes, wanted: int) -> str:
    for length in range(32, -1, -1):
        if (wanted & mask(length), length) in routes:
            result = routes[wanted & mask(length), length]
            return "none" if result is None else " ".join(map(str, result))
    return "none"


def addresses_around(routes, draw, step, others):
    found = []
    for prefix, length in list(routes)[::step]:
        last = prefix | ~mask(length) & 0xFFFFFFFF
        found += [prefix, last, (prefix - 1) & 0xFFFFFFFF, (last + 1) & 0xFFFFFFFF]
    return found + [draw.getrandbits(32) for _ in range(others)]


def check_routes(program, folder, routes, scalars, addresses):
    found = answers(program, folder, ROUTES, encode_routes(routes, scalars), map(str, addresses))
    for wanted, answer in zip(addresses, found, strict=True):
        assert answer == longest_match(routes, wanted), hex(wanted)


@pytest.mark.parametrize("default", ["no default", "default", "default discards"])
@pytest.mark.parametrize("count", [0, 1, 400])
def test_the_longest_prefix_of_a_random_table_decides(table_asker, tmp_path, count, default):
    draw = random.Random(count)
    routes = {}
    for _ in range(count):
        length = draw.choice((1, 8, 16, 24, 25, 30, 31, 32))
        prefix = draw.choice((0x0A000000, 0x0A0000FF, 0, 0xFFFFFFFF, draw.getrandbits(32))) & mask(length)
        routes[prefix, length] = draw.choice((None, (1, 2**64 - 1, draw.getrandbits(48))))
    if default != "no default":
        routes[0, 0] = (7, 8, 9) if default == "default" else None
    check_routes(table_asker, tmp_path, routes, 3, addresses_around(routes, draw, 1, 2000))


def test_a_route_may_have_no_scalars(table_asker, tmp_path):
    data = encode_routes({(0x0A000000, 8): (), (0x0A010000, 16): None}, 0)
    assert answers(table_asker, tmp_path, ROUTES, data, ["167772161", "167837697", "1"]) == [
        "",
        "none",
        "none",
    ]


def test_a_real_routing_table_decides_as_the_longest_match(table_asker, tmp_path, shared_data, full):
    draw = random.Random(8)
    routes = {}
    for line in (shared_data / "routes" / "rrc00_20000111.txt").read_text().splitlines():
        prefix, hop = line.split()
        text, length = prefix.split("/")
        number = int(hop.removeprefix("nh"))
        routes[address(text), int(length)] = None if number == 3 else (number, number * 1000)
    assert len(routes) == 82377
    check_routes(
        table_asker, tmp_path, routes, 2, addresses_around(routes, draw, 50, 100_000 if full else 20_000)
    )


# ---------------------------------------------------------------- lists and rings


def test_a_list_has_its_rows_and_no_others(table_asker, tmp_path):
    data = struct.pack("<2I6Q", 3, 2, 1, 2, 3, 4, 2**64 - 1, 6)
    found = answers(table_asker, tmp_path, LIST, data, ["0", "1", "2", "3", str(2**64 - 1)])
    assert found == ["1 2", "3 4", f"{2**64 - 1} 6", "none", "none"]


def test_a_ring_picks_by_remainder(table_asker, tmp_path):
    data = struct.pack("<I7I", 7, 4, 0, 1, 2, 9, 1, 1)
    found = answers(table_asker, tmp_path, RING, data, [str(n) for n in (0, 4, 7, 2**32 - 1)])
    assert found == ["4 9", "9 9", "4 9", f"{[4, 0, 1, 2, 9, 1, 1][(2**32 - 1) % 7]} 9"]


# ---------------------------------------------------------------- data that is wrong

ANY = Rule(0, 0, 0, 0, (0, 65535), (0, 65535), 0, 0, 0, 0)
BACKWARDS = ANY._replace(dport=(9, 8))
ODD_MASK = ANY._replace(src_mask=0xFF)


@pytest.mark.parametrize(
    ("kind", "data", "message"),
    [
        (RULES, b"", "the data ends within its header"),
        (RULES, struct.pack("<I", 2) + ANY.packed(), "the data ends within its 2 records of 32 bytes"),
        (RULES, struct.pack("<I", 2**31), "the data ends within its 2147483648 records of 32 bytes"),
        (RULES, encode_rules([ANY]) + b"x", "1 bytes follow the last record"),
        (RULES, encode_rules([ODD_MASK]), "rule 0 has an address mask that is not a prefix"),
        (RULES, encode_rules([ANY, BACKWARDS]), "rule 1 has a port range whose end is before its start"),
        (RULES, encode_rules([ANY._replace(permits=2)]), "rule 0 neither permits nor denies"),
        (ROUTES, bytes(7), "the data ends within its header"),
        (ROUTES, struct.pack("<2I", 1, 2**31), "2147483648 scalars in a result are too many"),
        (ROUTES, struct.pack("<2I", 5, 1) + bytes(16), "the data ends within its 5 records of 16 bytes"),
        (ROUTES, encode_routes({(0, 33): ()}, 0), "route 0 has a prefix longer than 32 bits"),
        (ROUTES, encode_routes({(1, 8): ()}, 0), "route 0 has bits behind its prefix"),
        (LIST, struct.pack("<2I", 2, 2) + bytes(24), "the data ends within its 2 records of 16 bytes"),
        (LIST, struct.pack("<2I", 0, 999), "999 columns are too many"),
        (RING, struct.pack("<I", 0), "a ring needs at least one slot"),
        (RING, struct.pack("<2I", 2, 0), "the data ends within its 2 records of 4 bytes"),
    ],
)  # fmt: skip
def test_wrong_data_is_refused_with_a_reason(table_asker, tmp_path, kind, data, message):
    assert refusal(table_asker, tmp_path, kind, data) == message


def test_data_with_any_byte_wrong_is_refused_or_read_within_its_bounds(table_asker, tmp_path):
    """The sanitizers watch; what is decided does not matter."""
    draw = random.Random(9)
    samples = [
        (ROUTES, encode_routes({(0x0A000000, 8): (1,), (0x0B000000, 32): None}, 1), "167772161"),
        (LIST, struct.pack("<2I4Q", 2, 2, 1, 2, 3, 4), "1"),
        (RING, struct.pack("<4I", 3, 0, 1, 2), "5"),
        (RULES, encode_rules([ANY, ANY]), "1 0 0 0 0 0"),
    ]
    for kind, data, question in samples:
        for _ in range(12):
            changed = bytearray(data)
            changed[draw.randrange(12)] = draw.getrandbits(8)
            assert ask(table_asker, tmp_path, kind, bytes(changed), [question]).returncode in (0, 1)
