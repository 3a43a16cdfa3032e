"""The DPDK host on ports that need no hardware. Run under ASan and UBSan."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from synth.captures import CapturedPacket, read_capture, write_capture
from synth.traffic.frames import Frame
from tests.runtime.compiling import HERE
from tests.runtime.echoes import ARP, IPV6, Expectation, udp

REPOSITORY = HERE.parents[1]


def command(program, ports, *eal, own=()):
    interfaces = [f"--interface={name}={port}" for name, port in ports.items()]
    prefix = f"--file-prefix=synth_test_{os.getpid()}"
    return [str(program), *interfaces, "--json", *own, "--", "--no-huge", "--no-pci", prefix, *eal]


def finish(arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert_balanced(report)
    return report


def assert_balanced(report):
    out = sum(report["packets_out"].values()) + sum(report["drops"].values()) + report["held"]
    assert report["packets_in"] + report["generated"] == out


def save(path, frames):
    write_capture(path, [CapturedPacket(number, frame) for number, frame in enumerate(frames)])
    return path


def sent(path):
    return [packet.data for packet in read_capture(path)]


def pcap_port(number, folder, frames):
    source = save(folder / f"in{number}.pcap", frames)
    return f"--vdev=net_pcap{number},rx_pcap={source},tx_pcap={folder / f'out{number}.pcap'}"


PCAP_PORTS = {"lan": "net_pcap0", "wan": "net_pcap1"}


def test_captures_pass_between_pcap_ports_as_they_do_in_python(echo, tmp_path):
    lan = [udp(n) for n in range(300)] + [
        IPV6,
        ARP,
        udp(1, dport=9),
        udp(2)[:-1],
        udp(3, payload=bytes(1400)),
    ]
    wan = [Frame(1, 2, protocol=6, vlans=(5, 6), options=bytes(8), sport=n).encode() for n in range(100)]
    ports = (pcap_port(0, tmp_path, lan), pcap_port(1, tmp_path, wan))
    report = finish(command(echo, PCAP_PORTS, *ports, own=("--duration", "1")))
    expected = Expectation()
    for frame in lan:
        expected.receive("lan", frame)
    for frame in wan:
        expected.receive("wan", frame)
    assert report["packets_in"] == expected.packets_in
    assert report["generated"] == 1
    assert report["drops"] == dict(expected.drops)
    assert sorted(sent(tmp_path / "out0.pcap")) == sorted(expected.left["lan"])
    assert sent(tmp_path / "out1.pcap") == expected.left["wan"]


def test_a_frame_of_several_segments_is_a_named_drop(echo, tmp_path):
    lan = [udp(1, payload=bytes(9000)), udp(2), udp(3, payload=bytes(60000))]
    ports = (pcap_port(0, tmp_path, lan), pcap_port(1, tmp_path, []))
    report = finish(command(echo, PCAP_PORTS, *ports, own=("--duration", "1")))
    assert report["packets_in"] == 3
    assert report["drops"] == {"lan.frame_too_long": 2}
    assert report["packets_out"] == {"lan": 0, "wan": 1}


def test_what_a_ring_returns_is_received_again(echo, tmp_path):
    """wan is a ring whose end is its start: each packet comes back and leaves through lan, two hops older."""
    ports = (pcap_port(0, tmp_path, [udp(n) for n in range(50)]), "--vdev=net_ring0")
    report = finish(command(echo, {"lan": "net_pcap0", "wan": "net_ring0"}, *ports, own=("--duration", "1")))
    assert report["packets_in"] == 100
    assert report["packets_out"] == {"lan": 50, "wan": 50}
    assert all(frame[22] == 62 for frame in sent(tmp_path / "out0.pcap"))


BOTH = ("--interface=lan=net_null0", "--interface=wan=net_null1")
NULL_PORTS = ("--vdev=net_null0", "--vdev=net_null1")


def started(program, own, eal):
    """Run for a second with EAL logs on, and return all that was said."""
    prefix = f"--file-prefix=synth_test_{os.getpid()}"
    arguments = [str(program), *BOTH, "--duration", "1", *own, "--", prefix, *NULL_PORTS, *eal]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_pci_devices_that_are_not_given_are_left_alone(echo):
    """Scanning is what DPDK does only with PCI, as when a user blocks a device instead."""
    if not any(Path("/sys/bus/pci/devices").glob("*")):
        pytest.skip("this machine has no PCI devices, so there is nothing to leave alone")
    alone = started(echo, (), ("--no-huge", "--log-level=*:debug"))
    chosen = started(echo, (), ("--no-huge", "--log-level=*:debug", "-b", "ffff:ff:1f.7"))
    assert "PCI device" in chosen
    assert "PCI device" not in alone


@pytest.mark.parametrize(("own", "eal"), [(("--no-huge",), ()), (("--no-huge",), ("--no-huge",))])
def test_hugepages_can_be_declined_before_the_eals_arguments(echo, own, eal):
    assert "running" in started(echo, own, eal)


def test_interrupting_the_host_prints_its_last_counts(echo):
    arguments = command(
        echo, {"lan": "net_null0", "wan": "net_null1"}, "--vdev=net_null0", "--vdev=net_null1,no-rx=1"
    )
    for stop in (signal.SIGINT, signal.SIGTERM):
        running = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert running.stderr is not None
        while "running" not in (line := running.stderr.readline()):
            assert line, "it ended before it ran"
        time.sleep(0.2)
        running.send_signal(stop)
        printed, errors = running.communicate(timeout=20)
        assert running.returncode == 0, errors
        report = json.loads(printed)
        assert_balanced(report)
        assert report["packets_in"] > 0
        assert report["drops"].keys() == {"echo.not_ipv4"}


# ---------------------------------------------------------------- live devices


@pytest.fixture
def namespace():
    """The command that runs another in a network namespace of its own."""
    if subprocess.run(("unshare", "--net", "true"), check=False, capture_output=True).returncode != 0:
        pytest.skip("network namespaces need root (util-linux's unshare)")
    if not Path("/dev/net/tun").exists():
        pytest.skip("there is no /dev/net/tun: modprobe tun")
    return ("unshare", "--net")


@pytest.mark.parametrize("kind", ["af_packet", "tap"])
def test_live_traffic_passes_both_ways_and_obeys_tables_read_again(echo, tmp_path, namespace, kind):
    live = (*namespace, sys.executable, "-m", "tests.runtime.live", str(echo), str(tmp_path), kind)
    done = subprocess.run(live, capture_output=True, text=True, check=False, cwd=REPOSITORY, timeout=120)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["exit"] == 0, result["stderr"]
    expected = Expectation()
    for number in range(20):
        expected.receive("lan", udp(number))
    for number in range(100, 110):
        expected.receive("wan", udp(number))
    assert [bytes.fromhex(frame) for frame in result["forth"]] == expected.left["wan"]
    assert [bytes.fromhex(frame) for frame in result["back"]] == expected.left["lan"]
    assert result["denied"] == []
    assert_balanced(result["report"])
    assert result["report"]["drops"]["echo.denied"] == 1
    assert result["report"]["drops"].get("wan.tx_full", 0) == (3 if kind == "tap" else 0)
    assert result["telemetry"]["packets_out/wan"] >= 20
    assert result["telemetry"]["drops/echo/denied"] == 1
    assert result["telemetry"]["counters/echo/forwarded"] == 30


# ---------------------------------------------------------------- what is checked first


def refusal(program, *arguments, code=1):
    done = subprocess.run((str(program), *arguments), capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    return done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--interface=lann=net_null0",), "the chain has no interface `lann`; it has lan, wan"),
        (BOTH[:1], "interface `wan` has no port: add --interface wan=PORT"),
        ((*BOTH, "--interface=lan=net_null2"), "interface `lan` has two ports: net_null0 and net_null2"),
        (("--interface=lan=p", "--interface=wan=p"), "port p is given to two interfaces: `lan` and `wan`"),
        ((*BOTH, "--stats", "often"), "--stats: `often` is not a number"),
        (("--interface=lan=ffff:ff:1f.7", BOTH[1], "--", "--no-huge"), "there is no PCI device ffff:ff:1f.7"),
        ((*BOTH, "--tables", "/nowhere", "--no-huge"), "--tables /nowhere: No such file or directory"),
        ((*BOTH, "--no-huge", "--", "-l", "4000"), "-l 4000: there is no CPU 4000; this machine has "),
        ((*BOTH, "--no-huge", "--", "-l0,4000-4001"), "-l 0,4000-4001: there is no CPU 4000; "),
        ((*BOTH, "--no-huge", "--", "-l", "all"), "-l all: this is no list of CPUs such as 1 or 0-3,6"),
        ((*BOTH, "--no-huge", "--", "-l", "0,"), "-l 0,: this is no list of CPUs"),
        ((*BOTH, "--no-huge", "--", "-m", "1G"), "-m 1G: this is no number of megabytes"),
        ((*BOTH, "--no-huge", "--", "--no-hugs"), "the EAL does not take --no-hugs"),
        ((*BOTH, "--no-huge", "--", "--no-pci=1"), "the EAL does not take --no-pci=1"),
        ((*BOTH, "--no-huge", "--", "-z"), "the EAL does not take -z"),
        ((*BOTH, "--no-huge", "--", "stray"), "`stray` is left over among the EAL arguments"),
        (
            (*BOTH, "--", "--no-huge", "--no-pci", "--vdev=net_null0"),
            "DPDK has no port net_null1; it has net_null0",
        ),
    ],
)
def test_a_wrong_start_is_explained_in_one_line(echo, arguments, message):
    complaints = [line for line in refusal(echo, *arguments).splitlines() if line.startswith("echo: error:")]
    assert len(complaints) == 1
    assert message in complaints[0]


def test_a_value_that_an_eal_argument_lacks_is_told_without_dpdks_usage(echo):
    complete = (*BOTH, "--no-huge", "--", "--no-pci")
    assert refusal(echo, *complete, "--vdev") == "echo: error: EAL argument --vdev needs a value\n"
    assert refusal(echo, *complete, "-l") == "echo: error: EAL argument -l needs a value\n"


def test_missing_hugepages_are_told_with_the_command_that_reserves_them(echo):
    free = int(re.findall(r"HugePages_Free:\s+(\d+)", Path("/proc/meminfo").read_text())[0])
    if free > 0:
        pytest.skip("this machine has hugepages: sysctl vm.nr_hugepages=0 to see what happens without")
    message = refusal(echo, *BOTH)
    assert re.search(r"\d+ MB of hugepages are needed, 0 MB are free", message)
    assert "sudo tee /sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages" in message
    assert "--no-huge" in message


def test_usage_is_shown_for_unknown_arguments_and_on_request(echo):
    assert "usage:" in refusal(echo, "--nonsense", code=2)
    done = subprocess.run((str(echo), "--help"), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "-- --no-huge --vdev=net_af_packet0,iface=veth0 --vdev=net_tap1,iface=tap1" in done.stdout
    assert "ethtool -K veth0 tx off" in done.stdout
    assert "synth build --source-only" in done.stdout
