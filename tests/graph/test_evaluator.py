import random
from collections.abc import Callable

import pytest
import z3

from synth.graph.domains.integers import Integers
from synth.graph.nodes import BinaryOp, Bits, Bool
from synth.interpreter import Interpreter
from synth.net.crc32c import crc32c
from synth.proof.z3_domain import Z3Domain, crc32c_term
from tests.frames import ICMP, TCP, UDP, Frame, ip, read_frame
from tests.graph.evaluator_graphs import FLOOD_AND_LOOP, LOOKUPS, NAT, graph_of

SECOND = 1_000_000_000
INSIDE, SERVER, PUBLIC = ip("10.0.0.5"), ip("198.51.100.9"), ip("203.0.113.1")


def packet_of(host: int = 0, **fields) -> bytes:
    values = {"src": INSIDE + host, "dst": SERVER, "protocol": UDP, "sport": 40000, "dport": 53} | fields
    return Frame(**values).encode()


def read(data: bytes) -> Frame:
    frame = read_frame(data)
    assert frame is not None
    return frame


# ---------------------------------------------------------------- scalars

WIDTHS = (1, 8, 13, 16, 32, 48, 64, 128)
OPS: tuple[BinaryOp, ...] = (
    "add", "sub", "mul", "div", "rem", "and", "or", "xor", "shl", "shr",
    "eq", "ne", "lt", "le", "add_overflows", "sub_overflows", "mul_overflows",
)  # fmt: skip


def interesting(width: int, source: random.Random) -> int:
    edge = source.choice((0, 1, (1 << width) - 1, (1 << width) // 2, width))
    return source.choice((edge, source.getrandbits(width), source.getrandbits(max(1, width // 2)))) % (
        1 << width
    )


def value_of(term: z3.ExprRef) -> int:
    term = z3.simplify(term)
    return int(z3.is_true(term)) if z3.is_bool(term) else term.as_long()


@pytest.mark.parametrize("op", OPS)
@pytest.mark.parametrize("width", WIDTHS)
def test_integers_and_z3_agree_on_every_operation(op: BinaryOp, width: int) -> None:
    source = random.Random(f"{op}{width}")
    integers, terms = Integers().binary(op, Bits(width)), Z3Domain().binary(op, Bits(width))
    for _ in range(20):
        left, right = interesting(width, source), interesting(width, source)
        expected = value_of(terms(z3.BitVecVal(left, width), z3.BitVecVal(right, width)))
        assert int(integers(left, right)) == expected, (left, right)


@pytest.mark.parametrize("op", ["and", "or", "xor", "eq", "ne"])
def test_integers_and_z3_agree_on_truth_values(op: BinaryOp) -> None:
    integers, terms = Integers().binary(op, Bool()), Z3Domain().binary(op, Bool())
    for left in (0, 1):
        for right in (0, 1):
            assert int(integers(left, right)) == value_of(
                terms(z3.BoolVal(bool(left)), z3.BoolVal(bool(right)))
            )


def test_complement_not_and_resize_agree() -> None:
    both: list[Callable] = [Integers(), Z3Domain()]
    assert [value_of(z3.BitVecVal(both[0].unary("complement", Bits(13))(5), 13)),
            value_of(both[1].unary("complement", Bits(13))(z3.BitVecVal(5, 13)))] == [8186, 8186]  # fmt: skip
    assert (
        int(both[0].unary("not", Bool())(1)) == value_of(both[1].unary("not", Bool())(z3.BoolVal(True))) == 0
    )
    for of, to, value, expected in ((16, 8, 0x1234, 0x34), (8, 16, 0xFF, 0xFF), (16, 16, 7, 7)):
        assert both[0].resize(Bits(of), Bits(to))(value) == expected
        assert value_of(both[1].resize(Bits(of), Bits(to))(z3.BitVecVal(value, of))) == expected
    assert (
        both[0].resize(Bool(), Bits(8))(1) == value_of(both[1].resize(Bool(), Bits(8))(z3.BoolVal(True))) == 1
    )


def test_a_hash_is_crc32c_of_whole_big_endian_bytes_in_both_domains() -> None:
    expected = crc32c(bytes.fromhex("0a000005 0abc 01".replace(" ", "")))
    of = (Bits(32), Bits(12), Bool())
    assert Integers().hash(of)((INSIDE, 0xABC, 1)) == expected
    assert (
        value_of(crc32c_term((z3.BitVecVal(INSIDE, 32), z3.BitVecVal(0xABC, 12), z3.BoolVal(True))))
        == expected
    )


# ---------------------------------------------------------------- deliveries


def macs(left: list[tuple[str, bytes]]) -> list[tuple[str, int]]:
    return [(interface, int.from_bytes(data[6:12], "big")) for interface, data in left]


def test_emissions_run_depth_first_and_a_copy_keeps_its_originals_visits() -> None:
    interpreter = Interpreter(graph_of(FLOOD_AND_LOOP))
    left = interpreter.receive("a", packet_of(eth_src=0x20), 0)
    assert macs(left) == [
        # The first copy (source 1): two rounds through `mark`, then its budget of 2 is spent.
        ("b", 0x11), ("b", 0x21), ("a", 0x11), ("a", 0x01),
        # The original, as it was, leaves on b.
        ("b", 0x20),
        # It goes its own two rounds: the first copy's visits were not its own.
        ("b", 0x30), ("b", 0x40), ("a", 0x30), ("a", 0x20),
    ]  # fmt: skip
    report = interpreter.report()
    assert report.drops == {"mark.chain_loop": 2}
    assert report.counters == {"mark.seen": 4}
    assert (report.packets_in, report.generated) == (1, 10)
    assert report.packets_out == {"a": 4, "b": 5}


def test_a_dropped_handler_still_sends_what_it_emitted() -> None:
    interpreter = Interpreter(graph_of(FLOOD_AND_LOOP))
    left = interpreter.receive("a", packet_of(eth_src=0xF8), 0)
    assert macs(left)[-1] == ("a", 0x108)
    report = interpreter.report()
    assert report.drops == {"mark.chain_loop": 1, "mark.dead": 1}
    assert report.is_balanced


def test_an_interface_that_leads_nowhere_drops_by_name() -> None:
    interpreter = Interpreter(graph_of(FLOOD_AND_LOOP))
    assert interpreter.receive("b", packet_of(), 0) == []
    assert interpreter.report().drops == {"b.not_wired": 1}


# ---------------------------------------------------------------- a NAT


def test_a_nat_translates_and_its_replies_come_back() -> None:
    interpreter = Interpreter(graph_of(NAT))
    ((interface, data),) = interpreter.receive("lan", packet_of(), 0)
    out = read(data)
    assert (interface, out.src, out.sport, out.dst, out.dport) == ("wan", PUBLIC, 5000, SERVER, 53)
    ((interface, data),) = interpreter.receive("wan", out.reply().encode(), 1)
    back = read(data)
    assert (interface, back.src, back.dst, back.dport) == ("lan", SERVER, INSIDE, 40000)
    assert back.encode() == data  # all checksums are right


def test_choose_takes_the_lowest_free_value() -> None:
    interpreter = Interpreter(graph_of(NAT))
    ports = [read(interpreter.receive("lan", packet_of(host), 0)[0][1]).sport for host in range(3)]
    assert ports == [5000, 5001, 5002]
    other_protocol = Interpreter(graph_of(NAT))
    other_protocol.receive("lan", packet_of(), 0)
    assert read(other_protocol.receive("lan", packet_of(protocol=TCP), 0)[0][1]).sport == 5000


def test_a_full_table_refuses_only_new_flows_until_one_expires() -> None:
    interpreter = Interpreter(graph_of(NAT))
    for host in range(3):
        interpreter.receive("lan", packet_of(host), host)
    assert interpreter.receive("lan", packet_of(3), 10) == []
    assert len(interpreter.receive("lan", packet_of(1), 60 * SECOND - 1)) == 1
    assert interpreter.receive("lan", packet_of(3), 60 * SECOND - 1) == []
    # The first flow was touched at 0: at 60 s it is absent, and its port is the lowest free one.
    assert read(interpreter.receive("lan", packet_of(3), 60 * SECOND)[0][1]).sport == 5000
    assert interpreter.report().drops == {"nat.no_port": 2}


def test_each_timer_class_has_its_own_lifetime() -> None:
    interpreter = Interpreter(graph_of(NAT))
    flow = {"protocol": TCP}
    interpreter.receive("lan", packet_of(0, **flow, flags=0x10), 0)
    interpreter.receive("lan", packet_of(1, **flow, flags=0x10), 0)
    interpreter.receive("lan", packet_of(0, **flow, flags=0x11), SECOND)  # FIN: 5 s
    answer = {"src": SERVER, "dst": PUBLIC, "sport": 53, "protocol": TCP}
    assert interpreter.receive("wan", packet_of(**answer, dport=5000), 6 * SECOND) == []
    assert len(interpreter.receive("wan", packet_of(**answer, dport=5001), 6 * SECOND)) == 1
    # That reply touched it at 6 s, so it lives until 66 s.
    assert len(interpreter.receive("wan", packet_of(**answer, dport=5001), 66 * SECOND - 1)) == 1


def test_a_removed_entry_is_absent_at_once() -> None:
    interpreter = Interpreter(graph_of(NAT))
    interpreter.receive("lan", packet_of(protocol=TCP, flags=0x10), 0)
    ((_, data),) = interpreter.receive("lan", packet_of(protocol=TCP, flags=0x14), 1)  # RST
    assert read(data).sport == 5000
    answer = packet_of(src=SERVER, dst=PUBLIC, sport=53, dport=5000, protocol=TCP)
    assert interpreter.receive("wan", answer, 2) == []


def test_an_entrys_bucket_starts_full_and_fills_exactly() -> None:
    interpreter = Interpreter(graph_of(NAT))
    size = len(packet_of())  # 50 bytes; 200 bytes are there, and 1 byte comes each millisecond
    sent = [len(interpreter.receive("lan", packet_of(), 0)) for _ in range(5)]
    assert (size, sent) == (50, [1, 1, 1, 1, 0])
    assert interpreter.receive("lan", packet_of(), 50 * SECOND // 1000 - 1) == []
    assert len(interpreter.receive("lan", packet_of(), 50 * SECOND // 1000)) == 1
    assert interpreter.report().drops == {"nat.over_rate": 2}


def test_time_never_goes_back() -> None:
    interpreter = Interpreter(graph_of(NAT))
    interpreter.receive("lan", packet_of(), 100 * SECOND)
    interpreter.receive("lan", packet_of(), 0)
    # Touched at 100 s both times: the entry is still live at 159 s, and gone at 160 s.
    answer = packet_of(src=SERVER, dst=PUBLIC, sport=53, dport=5000)
    assert len(interpreter.receive("wan", answer, 159 * SECOND)) == 1


# ---------------------------------------------------------------- lookups


@pytest.mark.parametrize(
    ("fields", "drop"),
    [
        ({"protocol": TCP, "dport": 85}, "box.denied"),  # the first rule
        ({"protocol": TCP, "dport": 85, "fragment": 0x2001}, None),  # no ports there: the second rule
        ({"src": 1, "protocol": ICMP, "dport": 8}, "box.denied"),  # type 8
        ({"src": 1, "protocol": ICMP, "dport": 0}, None),  # no rule matches
        ({"src": 1, "protocol": TCP, "flags": 0x02}, None),  # SYN without ACK: the fourth rule
        ({"dst": SERVER - 1}, "box.no_route"),  # the longest match discards
        ({"src": 1, "dst": 1}, None),  # the default route
    ],
)
def test_rules_and_routes_decide_as_they_say(fields: dict[str, int], drop: str | None) -> None:
    # Whether a backend is found depends on the hash alone: a source with one is searched for.
    for host in range(64):
        values = {"src": INSIDE + host, **{k: v + host if k == "src" else v for k, v in fields.items()}}
        interpreter = Interpreter(graph_of(LOOKUPS))
        left = interpreter.receive("a", packet_of(**values), 0)
        if interpreter.report().drops != {"box.no_backend": 1}:
            break
    assert [interface for interface, _ in left] == ([] if drop else ["b", "a"])
    assert interpreter.report().drops == ({drop: 1} if drop else {})


def test_a_vector_and_a_sketch_keep_what_was_added() -> None:
    interpreter = Interpreter(graph_of(LOOKUPS))
    host = next(n for n in range(64) if Interpreter(graph_of(LOOKUPS)).receive("a", packet_of(n), 0))
    sent = [interpreter.receive("a", packet_of(host), number * SECOND) for number in range(3)]
    seen = [int.from_bytes(left[0][1][30:34], "big") for left in sent]
    weight = seen[0]
    assert seen == [weight, 2 * weight, 3 * weight]
    ids = [int.from_bytes(left[0][1][18:20], "big") for left in sent]
    # The cell starts at (7, odd), and each packet adds a backend's weight and flips `odd`.
    added = ids[0] - 7
    assert ids == [7 + added, weight, 7 + 3 * added]


def test_a_police_bucket_lets_its_burst_and_then_its_rate_through() -> None:
    interpreter = Interpreter(graph_of(LOOKUPS))
    data = packet_of(dst=SERVER)
    for _ in range(4):
        interpreter.receive("a", data, 0)
    assert interpreter.report().drops["box.over_rate"] == 1
