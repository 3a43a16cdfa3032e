"""Runs the ISP binary between two network devices, inside a network namespace of its own.

python -m tests.binary.live_isp PROGRAM FOLDER KIND, as root under `unshare --net`. KIND is `af_packet` or
`tap`. A subscriber's packets go out, each is answered, and the answers come back. Prints one JSON object.
"""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from synth.traffic.frames import Frame, ip, read_frame
from tests.runtime.live import exchange, make_taps, make_veths, opened, wait_for

SUBSCRIBER = Frame(ip("100.64.0.9"), ip("198.18.59.130"), 6, 40_000, 1521, flags=0x18)
"""What rule 49 of isp_251.rules permits."""


def main() -> None:
    """Run, and report what left on either side and what the binary counted."""
    program, folder, kind = sys.argv[1], Path(sys.argv[2]), sys.argv[3]
    vdevs, ports = make_veths() if kind == "af_packet" else make_taps()
    errors = folder / "stderr"
    command = [program, "--json", *(f"--interface={name}={port}" for name, port in ports.items())]
    command += ["--", "--no-huge", "--no-pci", "-m", "512", f"--file-prefix=isp_{kind}_{os.getpid()}", *vdevs]
    with errors.open("w") as written:
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=written, text=True)
    try:
        wait_for(errors, "running")
        lan, wan = opened("lan_peer"), opened("wan_peer")
        out = exchange(lan, wan, [SUBSCRIBER.encode()] * 10)
        sent = [frame for data in out if (frame := read_frame(bytes.fromhex(data)))]
        back = exchange(wan, lan, [frame.reply().encode() for frame in sent])
        running.send_signal(signal.SIGINT)
        report, _ = running.communicate(timeout=20)
    finally:
        running.kill()
    result = {"exit": running.returncode, "report": json.loads(report or "null"), "out": out, "back": back}
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
