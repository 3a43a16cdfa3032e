"""Runs the echo binary between two network devices, inside a network namespace of its own.

python live.py PROGRAM FOLDER KIND, as root under `unshare --net`. KIND is `af_packet` (two veth pairs) or
`tap`. Sends frames on one side and collects what comes out of the other, has the tables read
again in between, asks telemetry, and stops the binary with SIGINT. Prints one JSON object.
"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from tests.runtime.echoes import DENY_EVERYTHING, udp

ETH_P_ALL = 3


def ip(*words: str) -> None:
    subprocess.run(("ip", *words), check=True)


def make_veths() -> tuple[list[str], dict[str, str]]:
    for name in ("lan", "wan"):
        ip("link", "add", name, "type", "veth", "peer", "name", f"{name}_peer")
        for end in (name, f"{name}_peer"):
            Path(f"/proc/sys/net/ipv6/conf/{end}/disable_ipv6").write_text("1")
            ip("link", "set", end, "up")
    vdevs = [f"--vdev=net_af_packet{i},iface={name}" for i, name in enumerate(("lan", "wan"))]
    return vdevs, {"lan": "net_af_packet0", "wan": "net_af_packet1"}


def make_taps() -> tuple[list[str], dict[str, str]]:
    vdevs = [f"--vdev=net_tap{i},iface={name}_peer" for i, name in enumerate(("lan", "wan"))]
    return vdevs, {"lan": "net_tap0", "wan": "net_tap1"}


def opened(interface: str) -> socket.socket:
    """Open a raw socket on a device that is up; taps appear only once the binary runs."""
    for _ in range(100):
        shown = subprocess.run(
            ("ip", "link", "show", "up", "dev", interface), capture_output=True, check=False
        )
        if shown.stdout:
            device = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
            device.bind((interface, 0))
            return device
        time.sleep(0.1)
    raise TimeoutError(interface)


def exchange(sender: socket.socket, receiver: socket.socket, frames: list[bytes]) -> list[str]:
    """Send frames one by one, and return the IPv4 frames that arrive, until each has one or time is over."""
    found: list[str] = []
    for frame in frames:
        sender.send(frame)
    end = time.monotonic() + 2
    while len(found) < len(frames) and (left := end - time.monotonic()) > 0:
        if select.select([receiver], [], [], left)[0]:
            data, address = receiver.recvfrom(65536)
            if address[2] != socket.PACKET_OUTGOING and data[12:14] == b"\x08\x00":
                found.append(data.hex())
    return found


def ask_telemetry(prefix: str) -> object:
    path = next(p for p in (Path("/var/run/dpdk"), Path("/run/dpdk")) if (p / prefix).exists()) / prefix
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asked:
        asked.connect(str(path / "dpdk_telemetry.v2"))
        asked.recv(4096)
        asked.send(b"/synth/counters")
        return json.loads(asked.recv(65536))["/synth/counters"]


def wait_for(path: Path, text: str) -> None:
    for _ in range(600):
        if text in path.read_text():
            return
        time.sleep(0.05)
    raise TimeoutError(f"{text!r} is not in:\n{path.read_text()}")


def main() -> None:
    program, folder, kind = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    vdevs, ports = make_veths() if kind == "af_packet" else make_taps()
    prefix = f"synth_{kind}_{os.getpid()}"
    command = [program, "--json", "--tables", str(folder)]
    command += [f"--interface={name}={port}" for name, port in ports.items()]
    command += ["--", "--no-huge", "--no-pci", f"--file-prefix={prefix}", *vdevs]
    errors = folder / "stderr"
    with errors.open("w") as written:
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=written, text=True)
    try:
        result = run(running, errors, folder, prefix, may_go_down=kind == "tap")
    finally:
        running.kill()
    json.dump(result, sys.stdout)


def run(
    running: subprocess.Popen[str], errors: Path, folder: Path, prefix: str, *, may_go_down: bool
) -> object:
    wait_for(errors, "running")
    lan, wan = opened("lan_peer"), opened("wan_peer")
    forth = exchange(lan, wan, [udp(n) for n in range(20)])
    back = exchange(wan, lan, [udp(n) for n in range(100, 110)])
    (folder / "echo.rules.bin").write_bytes(DENY_EVERYTHING)
    running.send_signal(signal.SIGHUP)
    wait_for(errors, "tables of epoch 1")
    denied = exchange(lan, wan, [udp(1)])
    telemetry = ask_telemetry(prefix)
    (folder / "echo.rules.bin").unlink()
    running.send_signal(signal.SIGHUP)
    wait_for(errors, "tables of epoch 2")
    if may_go_down:
        # A tap that is down refuses frames; a veth takes and loses them.
        ip("link", "set", "wan_peer", "down")
        for number in range(3):
            lan.send(udp(number))
        time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    report, _ = running.communicate(timeout=20)
    return {
        "exit": running.returncode, "report": json.loads(report or "null"), "stderr": errors.read_text(),
        "forth": forth, "back": back, "denied": denied, "telemetry": telemetry,
    }  # fmt: skip


if __name__ == "__main__":
    main()
