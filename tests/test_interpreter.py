from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from synth.captures import CapturedPacket, read_capture, write_capture
from synth.diagnostics.diagnostic import UserError
from synth.graph.states.allocator import ChoiceMismatchError
from synth.graph.text_parser import parse_graph
from synth.interpreter import Interpreter, run_captures
from synth.language.checker import check_file
from synth.lower import lower
from synth.reports import RunReport
from tests.conftest import REPOSITORY
from tests.frames import TCP, UDP, Frame, ip, read_frame
from tests.graph.evaluator_graphs import FLOOD_AND_LOOP, NAT, graph_of

SECOND = 1_000_000_000
HOST, SERVER, PUBLIC = ip("10.0.0.5"), ip("198.51.100.9"), ip("203.0.113.1")

# Numbers the frames in the order in which they come, in the source MAC.
ORDER = """
chain order

interface a mac 02:00:00:00:00:01 entry n.in
interface b mac 02:00:00:00:00:02 entry n.in
interface c mac 02:00:00:00:00:03

vector n.next size 1 (number: u48) initial (0)

handler n.in nf n side in

block n.in(%pkt.1: packet):
  %zero.2: u8 = constant 0
  %one.3: u48 = constant 1
  %number.4: u48 = vector_read n.next %zero.2
  %more.5: u48 = add %number.4 %one.3
  vector_write n.next %zero.2 (%more.5)
  %pkt.6: packet = write %pkt.1 eth.src %number.4
  deliver exit c(%pkt.6)
"""

Capture = Sequence[tuple[int, bytes]]


def packet(host: int = 0, **fields: int) -> bytes:
    return Frame(
        **({"src": HOST + host, "dst": SERVER, "protocol": UDP, "sport": 40000, "dport": 53} | fields)
    ).encode()


def run(folder: Path, text: str, inputs: Mapping[str, Capture], **more: object) -> RunReport:
    paths = {}
    for name, packets in inputs.items():
        paths[name] = folder / f"in_{name}.pcap"
        write_capture(paths[name], [CapturedPacket(time, data) for time, data in packets])
    return run_captures(graph_of(text), paths, folder / "out", **more)


def left(folder: Path, interface: str) -> list[CapturedPacket]:
    return list(read_capture(folder / "out" / f"{interface}.pcap"))


def order_of(packets: Sequence[CapturedPacket]) -> list[int]:
    """Return the hosts in the order in which they were handled, by their numbers."""
    frames = [read_frame(found.data) for found in packets]
    return [f.src - HOST for f in sorted((f for f in frames if f), key=lambda f: f.eth_src)]


# ---------------------------------------------------------------- captures


def test_interfaces_are_merged_by_time_stamp_and_equal_ones_by_the_chains_order(tmp_path: Path) -> None:
    on_b = [(5, packet(1)), (7, packet(2)), (7, packet(3)), (9, packet(4))]
    on_a = [(6, packet(5)), (7, packet(6)), (8, packet(7))]
    report = run(tmp_path, ORDER, {"b": on_b, "a": on_a})
    assert order_of(left(tmp_path, "c")) == [1, 5, 6, 2, 3, 7, 4]
    assert report.packets_out == {"a": 0, "b": 0, "c": 7}


def test_a_capture_that_goes_back_in_time_is_taken_in_its_own_order(tmp_path: Path) -> None:
    run(tmp_path, ORDER, {"a": [(10, packet(1)), (3, packet(2)), (11, packet(3))], "b": [(9, packet(4))]})
    assert order_of(left(tmp_path, "c")) == [4, 1, 2, 3]


def test_what_leaves_has_the_stamp_of_the_frame_that_caused_it(tmp_path: Path) -> None:
    times = [1_700_000_000_123_456_789, 1_700_000_000_123_456_788, 1_700_000_001_000_000_000]
    run(tmp_path, ORDER, {"a": [(time, packet()) for time in times]})
    assert [found.time for found in left(tmp_path, "c")] == times


def test_the_captures_clock_expires_entries(tmp_path: Path) -> None:
    start = 1_700_000_000 * SECOND
    answer = packet(src=SERVER, dst=PUBLIC, sport=53, dport=5000)
    report = run(
        tmp_path,
        NAT,
        {"lan": [(start, packet())], "wan": [(start + 59 * SECOND, answer), (start + 119 * SECOND, answer)]},
    )
    assert report.packets_out == {"lan": 1, "wan": 1}
    assert report.drops == {"nat.no_binding": 1}


def test_every_interface_has_an_output_even_without_packets(tmp_path: Path) -> None:
    report = run(tmp_path, NAT, {"lan": []})
    assert left(tmp_path, "lan") == left(tmp_path, "wan") == []
    assert (report.packets_in, report.packets_out, report.drops) == (0, {"lan": 0, "wan": 0}, {})
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["lan.pcap", "wan.pcap"]


def test_a_damaged_capture_leaves_no_output_and_keeps_the_old_one(tmp_path: Path) -> None:
    run(tmp_path, NAT, {"lan": [(0, packet())]})
    before = (tmp_path / "out" / "wan.pcap").read_bytes()
    bad = tmp_path / "bad.pcap"
    write_capture(bad, [CapturedPacket(0, packet()), CapturedPacket(1, packet())])
    bad.write_bytes(bad.read_bytes()[:-1])
    with pytest.raises(UserError, match="ends in a packet"):
        run_captures(graph_of(NAT), {"lan": bad}, tmp_path / "out")
    with pytest.raises(UserError):
        run_captures(graph_of(NAT), {"lan": bad}, tmp_path / "other")
    assert (tmp_path / "out" / "wan.pcap").read_bytes() == before
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["lan.pcap", "wan.pcap"]
    assert list((tmp_path / "other").iterdir()) == []


def test_an_output_folder_that_is_a_file_is_the_users_error(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("in the way")
    with pytest.raises(UserError, match="cannot write captures here: file exists"):
        run(tmp_path, NAT, {"lan": [(0, packet())]})


def test_progress_is_told_after_each_frame(tmp_path: Path) -> None:
    seen: list[int] = []
    run(tmp_path, NAT, {"lan": [(0, packet()), (1, b"short")]}, progress=seen.append)
    assert seen == [1, 2]


# ---------------------------------------------------------------- accounting


def test_rejected_frames_are_dropped_by_interface_and_reason() -> None:
    interpreter = Interpreter(graph_of(NAT))
    interpreter.receive("wan", b"short", 0)
    interpreter.receive("lan", packet()[:-9], 0)
    interpreter.receive("lan", packet(protocol=47), 0)
    report = interpreter.report()
    assert report.drops == {"nat.not_translated": 1, "lan.ipv4_length": 1, "wan.too_short": 1}
    assert list(report.drops) == ["nat.not_translated", "lan.ipv4_length", "wan.too_short"]
    assert report.counters == {"nat.bytes": 0}


def test_an_unknown_interface_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(KeyError):
        Interpreter(graph_of(NAT)).receive("dmz", packet(), 0)


def test_a_flood_is_accounted_for(tmp_path: Path) -> None:
    report = run(tmp_path, FLOOD_AND_LOOP, {"a": [(n, packet(n)) for n in range(20)], "b": [(0, packet())]})
    assert report.is_balanced
    assert report.packets_in == 21
    assert report.generated > 0


def test_replayed_choices_are_the_binarys(tmp_path: Path) -> None:
    inputs = {"lan": [(0, packet(0)), (0, packet(1))]}
    choices = [("nat.bindings", 5003), ("nat.bindings", 5001)]
    run(tmp_path, NAT, inputs, choices=choices)
    frames = [read_frame(found.data) for found in left(tmp_path, "wan")]
    assert [frame.sport for frame in frames if frame] == [5003, 5001]
    with pytest.raises(ChoiceMismatchError, match="taken"):
        run(tmp_path, NAT, inputs, choices=[choices[0], choices[0]])
    with pytest.raises(ChoiceMismatchError, match="never made"):
        run(tmp_path, NAT, inputs, choices=[*choices, choices[0]])


# ---------------------------------------------------------------- public captures, a whole chain


@pytest.mark.parametrize("chain", ["isp/isp_chain.chain", "motivating/napt_firewall_lb.chain"])
def test_public_captures_run_through_whole_chains_and_every_packet_is_accounted_for(
    shared_data: Path, tmp_path: Path, chain: str, full: bool
) -> None:
    checked = check_file(REPOSITORY / "chains" / chain).chain
    assert checked is not None
    graph = lower(checked)
    names = [interface.name for interface in graph.interfaces]
    files = sorted(p for p in (shared_data / "pcaps").rglob("*") if p.suffix in (".pcap", ".pcapng"))
    packets = 0
    for number, path in enumerate(files if full else files[::6]):
        try:
            report = run_captures(graph, dict.fromkeys(names, path), tmp_path / str(number))
        except UserError:
            continue
        assert report.is_balanced
        packets += report.packets_in
        for name in names:
            for found in read_capture(tmp_path / str(number) / f"{name}.pcap"):
                frame = read_frame(found.data)
                if frame is not None and frame.protocol in (TCP, UDP):
                    assert frame.src != 0xFFFFFFFF
    assert packets > 1000


def test_the_text_of_a_graph_runs_as_the_graph_does() -> None:
    first, second = Interpreter(graph_of(NAT)), Interpreter(parse_graph(NAT))
    for host in range(4):
        assert first.receive("lan", packet(host), host) == second.receive("lan", packet(host), host)
