"""A chain behind a real Open vSwitch.

`python -m tests.openflow.live_chain BINARY CHAIN FOLDER`, as root under `unshare --net`. Generator,
switch with pushed rules, binary on net_af_packet, switch, receiver. Standard input is the frames to send,
one a line: interface and hexadecimal bytes. Prints one JSON object: what left where, the binary's report,
the switch's counters.
"""

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from pathlib import Path

from openflow import live
from openflow.report import statistics
from synth import driver
from tests.openflow.switch_live import OpenVSwitch, make_pair, open_vswitch
from tests.runtime.live import opened, wait_for

PAUSE_SECONDS = 0.003
QUIET_SECONDS = 0.5
"""When nothing has left for so long, nothing will."""
SOL_PACKET, PACKET_AUXDATA, VLAN_VALID = 263, 8, 0x10


def main() -> None:
    binary, chain, folder = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])
    arrivals = [line.split() for line in sys.stdin]
    with open_vswitch(folder) as switch:
        result = run(switch, binary, chain, folder, arrivals)
    json.dump(result, sys.stdout)


def run(
    switch: OpenVSwitch, binary: str, chain: Path, folder: Path, arrivals: list[list[str]]
) -> dict[str, object]:
    found = driver.split(driver.Source(path=chain), "ovs")
    names = [one.name for one in found.interfaces]
    switch.add_bridge(*(make_pair(name) for name in (*names, "server")))
    change = live.push(found.switch, found.entries)
    command = [binary, "--json", "--trunk", "net_af_packet0", "--", "--no-huge", "--no-pci", "-m", "512"]
    command += [f"--file-prefix=offload_{os.getpid()}", "--vdev=net_af_packet0,iface=server"]
    errors = folder / "stderr"
    with errors.open("w") as written:
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=written, text=True)
    try:
        wait_for(errors, "running")
        left = send_all({name: listening(name) for name in names}, arrivals)
        send_forged(found.version, found.tags[names[0]], bytes.fromhex(arrivals[0][1]))
        running.send_signal(signal.SIGINT)
        report, _ = running.communicate(timeout=20)
    finally:
        running.kill()
    return {
        "exit": running.returncode,
        "report": json.loads(report or "null"),
        "left": left,
        "pushed": len(change.add),
        "statistics": statistics(found, live.pull(found.switch)),
    }


def listening(name: str) -> socket.socket:
    device = opened(name)
    device.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    device.setblocking(False)
    return device


def send_all(devices: dict[str, socket.socket], arrivals: list[list[str]]) -> dict[str, list[str]]:
    """Send frames one by one, and return all that leaves, by interface."""
    left: dict[str, list[str]] = {name: [] for name in devices}
    for interface, frame in arrivals:
        devices[interface].send(bytes.fromhex(frame))
        time.sleep(PAUSE_SECONDS)
        collect(devices, left)
    quiet_since = time.monotonic()
    while time.monotonic() - quiet_since < QUIET_SECONDS:
        if collect(devices, left):
            quiet_since = time.monotonic()
        time.sleep(0.01)
    return left


def collect(devices: dict[str, socket.socket], left: dict[str, list[str]]) -> int:
    count = 0
    for name, device in devices.items():
        while True:
            try:
                data, ancillary, _, address = device.recvmsg(65536, 256)
            except BlockingIOError:
                break
            if address[2] != socket.PACKET_OUTGOING:
                left[name].append(with_tag(data, ancillary).hex())
                count += 1
    return count


def with_tag(data: bytes, ancillary: list[tuple[int, int, bytes]]) -> bytes:
    """Put the VLAN tag back that the kernel has taken off."""
    for level, kind, value in ancillary:
        if (level, kind) == (SOL_PACKET, PACKET_AUXDATA):
            status, _, _, _, _, control, protocol = struct.unpack("IIIHHHH", value)
            if status & VLAN_VALID:
                return data[:12] + struct.pack("!HH", protocol, control) + data[12:]
    return data


def send_forged(version: int, tag: int, frame: bytes) -> None:
    """Hand the binary frames that no rule of this split sends: of another version, of no class, bare."""
    wrong = [(version ^ 1) << 13 | tag, version << 13 | 4000, version << 13 | 0x1000 | tag]
    cable = opened("server_sw")
    for control in wrong:
        cable.send(frame[:12] + b"\x81\x00" + control.to_bytes(2, "big") + frame[12:])
    cable.send(frame)
    time.sleep(QUIET_SECONDS)


if __name__ == "__main__":
    main()
