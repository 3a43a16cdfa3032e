"""Swaps the ISP binary's rules while it runs.

python -m tests.binary.live_tables PROGRAM FOLDER CAPTURE RULES. The capture is sent to lan again and again;
RULES takes the place of the binary's own after a while. Prints one JSON object: the counters as telemetry
tells them before, and when damaged rules have been refused, and the report at the end.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.runtime.live import ask_telemetry, wait_for


def main() -> None:
    """Run, swap, run on, stop."""
    program, folder, capture, rules = sys.argv[1], Path(sys.argv[2]), sys.argv[3], sys.argv[4]
    tables, errors = folder / "tables", folder / "stderr"
    tables.mkdir()
    prefix = f"isp_tables_{os.getpid()}"
    command = [
        program, "--json", "--tables", str(tables), "--interface=lan=net_pcap0", "--interface=wan=net_null0",
        "--", "--no-huge", "--no-pci", "-m", "512", f"--file-prefix={prefix}", "--vdev=net_null0,no-rx=1",
        f"--vdev=net_pcap0,rx_pcap={capture},infinite_rx=1,tx_pcap={folder / 'lan_out.pcap'}",
    ]  # fmt: skip
    with errors.open("w") as written:
        running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=written, text=True)
    try:
        wait_for(errors, "running")
        time.sleep(0.1)
        before = ask_telemetry(prefix)
        shutil.copy(rules, tables / "acl.rules.bin")
        running.send_signal(signal.SIGHUP)
        wait_for(errors, "tables of epoch 1")
        time.sleep(0.1)
        (tables / "acl.rules.bin").write_bytes(b"no rules")
        running.send_signal(signal.SIGHUP)
        wait_for(errors, "error: acl.rules: ")
        kept = ask_telemetry(prefix)
        time.sleep(0.1)
        running.send_signal(signal.SIGINT)
        report, _ = running.communicate(timeout=20)
    finally:
        running.kill()
    result = {
        "exit": running.returncode,
        "before": before,
        "kept": kept,
        "report": json.loads(report or "null"),
    }
    json.dump({**result, "stderr": errors.read_text()}, sys.stdout)


if __name__ == "__main__":
    main()
