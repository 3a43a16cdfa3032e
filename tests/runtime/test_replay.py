"""The replay host: captures in, captures out, every packet accounted for. Run under ASan and UBSan."""

import json
import os
import random
import shutil
import struct
import subprocess

import pytest

from synth.captures import CapturedPacket, read_capture, write_capture
from synth.diagnostics.diagnostic import UserError
from tests.runtime.echoes import ARP, DENY_EVERYTHING, IPV6, Expectation, udp


def run(program, folder, *arguments, **options):
    command = (str(program), "--replay", "--out-dir", str(folder / "out"), *map(str, arguments))
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def replay(program, folder, *arguments):
    done = run(program, folder, "--json", *arguments)
    assert done.returncode == 0, done.stderr
    assert "--tables" in arguments or done.stderr == ""
    report = json.loads(done.stdout)
    assert_balanced(report)
    left = {name: list(read_capture(folder / "out" / f"{name}.pcap")) for name in ("lan", "wan")}
    return report, left


def assert_balanced(report):
    out = sum(report["packets_out"].values()) + sum(report["drops"].values()) + report["held"]
    assert report["packets_in"] + report["generated"] == out


def save(path, *packets):
    write_capture(path, [CapturedPacket(time, data) for time, data in packets])
    return path


def frames_of(packets):
    return [packet.data for packet in packets]


def test_frames_leave_rewritten_at_the_time_of_their_cause(echo, tmp_path):
    lan = save(
        tmp_path / "a.pcap", (5, udp(1)), (2**40 + 7, udp(2)), (4_294_967_295 * 10**9 + 999_999_999, udp(3))
    )
    report, left = replay(echo, tmp_path, "--in", f"lan={lan}")
    expected = Expectation()
    for number in (1, 2, 3):
        expected.receive("lan", udp(number))
    assert frames_of(left["wan"]) == expected.left["wan"]
    assert [packet.time for packet in left["wan"]] == [5, 2**40 + 7, 4_294_967_295 * 10**9 + 999_999_999]
    assert left["lan"] == []
    assert report == {
        "packets_in": 3, "generated": 0, "packets_out": {"lan": 0, "wan": 3}, "drops": {},
        "counters": {"echo.forwarded": 3}, "held": 0,
    }  # fmt: skip


def test_each_kind_of_end_is_counted(echo, tmp_path):
    frames = [ARP, IPV6, udp(1), udp(2, dport=9), udp(3)[:-1], b"", b"\0" * 13]
    lan = save(tmp_path / "a.pcap", *((i, frame) for i, frame in enumerate(frames)))
    report, left = replay(echo, tmp_path, "--in", f"lan={lan}")
    assert report["generated"] == 1
    assert report["drops"] == {"lan.too_short": 2, "lan.ipv4_length": 1, "echo.denied": 1, "echo.not_ipv4": 1}
    assert frames_of(left["lan"]) == [ARP]
    assert frames_of(left["wan"])[0] == ARP


def test_interfaces_are_merged_by_time_then_by_the_chains_order(echo, tmp_path):
    wan = save(tmp_path / "b.pcap", (10, udp(20)), (10, udp(21)), (20, udp(22)), (40, udp(23)))
    lan = save(tmp_path / "a.pcap", (10, udp(10)), (30, udp(11)), (5, udp(12)), (40, udp(13)))
    choices = tmp_path / "choices"
    replay(echo, tmp_path, "--in", f"wan={wan}", "--in", f"lan={lan}", "--choices", choices)
    order = [int(line.removeprefix("echo.ports ")) for line in choices.read_text().splitlines()]
    assert order == [10, 20, 21, 22, 11, 12, 13, 23]


def test_more_packets_of_one_time_than_a_burst_holds(echo, tmp_path):
    lan = save(tmp_path / "a.pcap", *((7, udp(number)) for number in range(100)))
    report, left = replay(echo, tmp_path, "--in", f"lan={lan}", "--limit", 70)
    assert report["packets_in"] == 70
    expected = Expectation()
    for number in range(70):
        expected.receive("lan", udp(number))
    assert frames_of(left["wan"]) == expected.left["wan"]


def test_all_captures_are_treated_as_in_python(echo, tmp_path, shared_data, full):
    paths = sorted(shared_data.glob("pcaps/**/*.pcap*"))
    random.Random(1).shuffle(paths)
    tried = 0
    for path in paths if full else paths[:40]:
        try:
            packets = list(read_capture(path))
        except UserError:
            continue
        interface = ("lan", "wan")[tried % 2]
        expected = Expectation()
        for packet in packets:
            expected.receive(interface, packet.data)
        report, left = replay(echo, tmp_path, "--in", f"{interface}={path}")
        assert report["packets_in"] == expected.packets_in, path
        assert report["drops"] == dict(expected.drops), path
        assert {name: frames_of(sent) for name, sent in left.items()} == expected.left, path
        tried += 1
    assert tried > 20


def test_a_frame_of_65_kilobytes_passes(echo, tmp_path):
    frame = udp(1, payload=bytes(65535 - 28))
    _, left = replay(echo, tmp_path, "--in", f"lan={save(tmp_path / 'a.pcap', (1, frame))}")
    assert len(left["wan"][0].data) == len(frame)


def test_no_rights_are_needed(echo, tmp_path):
    """As nobody, without capabilities or hugepages."""
    if os.geteuid() == 0:
        place = tmp_path / "nobody"
        place.mkdir()
        program = shutil.copy(echo, place / "echo")
        lan = save(place / "a.pcap", (1, udp(1)))
        for folder in (place, *place.parents):
            if str(folder).startswith("/tmp/pytest"):
                folder.chmod(0o777)
        lan.chmod(0o644)
        command = (
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            "--inh-caps=-all",
            str(program),
        )
    else:
        place, lan = tmp_path, save(tmp_path / "a.pcap", (1, udp(1)))
        command = (str(echo),)
    arguments = ("--replay", "--in", f"lan={lan}", "--out-dir", str(place / "out"), "--json")
    done = subprocess.run(
        (*command, *arguments), capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]}
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["packets_out"] == {"lan": 0, "wan": 1}


def test_without_packets_every_output_is_an_empty_capture(echo, tmp_path):
    report, left = replay(echo, tmp_path)
    assert report["packets_in"] == 0
    assert left == {"lan": [], "wan": []}


def test_tables_can_come_from_files(echo, tmp_path):
    lan = save(tmp_path / "a.pcap", (1, udp(1)))
    (tmp_path / "echo.rules.bin").write_bytes(DENY_EVERYTHING)
    report, _ = replay(echo, tmp_path, "--in", f"lan={lan}", "--tables", tmp_path)
    assert report["drops"] == {"echo.denied": 1}


def test_where_each_table_comes_from_is_told(echo, tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "README").write_text("no table, and not meant as one")
    done = run(echo, tmp_path, "--tables", tmp_path / "tables")
    assert (done.returncode, done.stderr) == (0, "echo: table echo.rules: built in\n")
    path = tmp_path / "tables" / "echo.rules.bin"
    path.write_bytes(DENY_EVERYTHING)
    done = run(echo, tmp_path, "--tables", tmp_path / "tables")
    assert (done.returncode, done.stderr) == (0, f"echo: table echo.rules: from {path}\n")


def test_the_text_report_shows_the_equation(echo, tmp_path):
    lan = save(tmp_path / "a.pcap", (1, ARP), (2, udp(1, dport=9)))
    done = run(echo, tmp_path, "--in", f"lan={lan}")
    assert done.returncode == 0
    assert "echo: in 2 + generated 1 = out 2 + drops 1 + held 0" in done.stdout
    assert "echo.denied" in done.stdout


# ---------------------------------------------------------------- refusals


def refusal(program, folder, *arguments, code=1):
    done = run(program, folder, *arguments)
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert not list((folder / "out").glob("*")) if (folder / "out").exists() else True
    return done.stderr


def test_what_is_no_capture_is_refused_and_nothing_is_left(echo, tmp_path):
    (tmp_path / "text").write_text("no capture at all, but long enough to be one")
    assert "unknown file format" in refusal(echo, tmp_path, "--in", f"lan={tmp_path / 'text'}")
    (tmp_path / "empty").write_bytes(b"")
    assert "truncated dump file" in refusal(echo, tmp_path, "--in", f"lan={tmp_path / 'empty'}")
    assert "No such file" in refusal(echo, tmp_path, "--in", f"lan={tmp_path / 'missing'}")


def test_captures_of_other_links_are_refused(echo, tmp_path):
    path = tmp_path / "raw.pcap"
    path.write_bytes(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 101))
    assert "does not hold Ethernet frames but RAW" in refusal(echo, tmp_path, "--in", f"lan={path}")


def test_a_capture_that_ends_in_a_packet_is_refused_and_nothing_is_left(echo, tmp_path):
    path = save(tmp_path / "a.pcap", (1, udp(1)), (2, udp(2)))
    path.write_bytes(path.read_bytes()[:-5])
    choices = tmp_path / "choices"
    assert "is damaged" in refusal(echo, tmp_path, "--in", f"lan={path}", "--choices", choices)
    assert not choices.exists()


def test_malformed_containers_are_refused_or_read(echo, tmp_path, shared_data):
    for path in sorted(shared_data.glob("pcaps/libpcap_invalid/*")):
        assert run(echo, tmp_path, "--in", f"lan={path}").returncode in (0, 1)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--in", "lam=x"), 1, "the chain has no interface `lam`; it has lan, wan"),
        (("--in", "lan"), 1, "`lan` is not of the form INTERFACE=VALUE"),
        (("--limit", "-1"), 1, "`-1` is not a number of packets"),
        (("--in", "lan=a", "--in", "lan=b"), 2, "interface `lan` has two captures: a and b"),
        (("--nonsense",), 2, "usage:"),
        (("file.pcap",), 2, "an argument is left over"),
    ],
)
def test_wrong_arguments_are_explained(echo, tmp_path, arguments, code, message):
    assert message in refusal(echo, tmp_path, *arguments, code=code)


def test_wrong_tables_are_refused(echo, tmp_path):
    (tmp_path / "echo.rules.bin").write_bytes(b"\1\0\0")
    message = refusal(echo, tmp_path, "--tables", tmp_path)
    assert message.splitlines()[-1] == "echo: error: echo.rules: the data ends within its header"


def test_a_table_directory_that_is_not_there_is_refused(echo, tmp_path):
    missing, file = tmp_path / "missing", save(tmp_path / "file")
    message = refusal(echo, tmp_path, "--tables", missing)
    assert message == f"echo: error: --tables {missing}: No such file or directory\n"
    assert refusal(echo, tmp_path, "--tables", file) == f"echo: error: --tables {file}: Not a directory\n"


def test_a_file_that_is_no_table_of_the_chain_is_refused(echo, tmp_path):
    for name in ("echo_rules.bin", "rules.bin"):
        (tmp_path / name).write_bytes(DENY_EVERYTHING)
    message = refusal(echo, tmp_path, "--tables", tmp_path)
    assert message == f"echo: error: {tmp_path}/echo_rules.bin is no table of the chain; it has echo.rules\n"


def test_an_output_directory_that_cannot_be_is_refused(echo, tmp_path):
    (tmp_path / "out").write_text("a file")
    done = run(echo, tmp_path)
    assert done.returncode == 1
    assert "cannot" in done.stderr
