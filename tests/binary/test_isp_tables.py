"""The ISP binary takes other rules while it forwards, and keeps what it has when they are damaged."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

from synth.captures import CapturedPacket, write_capture
from tests.binary.conftest import BuiltChain, build
from tests.binary.live_isp import SUBSCRIBER
from tests.conftest import REPOSITORY


def rules_of(folder: Path, text: str) -> Path:
    """Return the data of the ISP chain's access list, were its rules these."""
    shutil.copytree(REPOSITORY / "chains" / "isp", folder / "isp")
    (folder / "isp" / "isp_251.rules").write_text(text)
    build(folder / "isp" / "isp_chain.chain", folder / "built", "--source-only", "--no-proof", "--as-written")
    return folder / "built" / "src" / "tables" / "acl.rules.bin"


def test_rules_are_swapped_between_two_bursts(isp: BuiltChain, tmp_path: Path) -> None:
    capture = tmp_path / "subscriber.pcap"
    write_capture(capture, [CapturedPacket(0, SUBSCRIBER.encode())] * 64)
    arguments = (str(isp.binary), str(tmp_path), str(capture), str(rules_of(tmp_path, "deny any\n")))
    done = subprocess.run(
        [sys.executable, "-m", "tests.binary.live_tables", *arguments],
        cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["exit"] == 0, result["stderr"]
    assert result["before"]["packets_in"] > 0
    assert "drops/acl/denied" not in result["before"]  # names appear with their first packet
    report, kept = result["report"], result["kept"]
    assert report["packets_out"]["wan"] > 0
    assert report["drops"]["acl.denied"] > kept["drops/acl/denied"] > 0
    assert report["packets_out"]["wan"] == kept["packets_out/wan"]
    left = sum(report["packets_out"].values()) + sum(report["drops"].values()) + report["held"]
    assert report["packets_in"] + report["generated"] == left
