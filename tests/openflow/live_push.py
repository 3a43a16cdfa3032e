"""Pushes to a real Open vSwitch that go well and wrong: python -m tests.openflow.live_push FOLDER.

As root under `unshare --net`. Prints one JSON object: what each step reported, and the table after it.
"""

import json
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from openflow import live
from synth.diagnostics.diagnostic import UserError
from synth.offload.entries import COOKIE, Drop, Entry
from synth.offload.matches import exactly, match_of
from synth.offload.switch import Switch
from synth.pipeline.offload import load_switch
from tests.openflow.switch_live import BRIDGE, OpenVSwitch, open_vswitch

FOREIGN = "priority=7,in_port=9,ip actions=output:8"


def entries(count: int, first: int = 0, top: int = 1000) -> list[Entry]:
    """Drops of one UDP port each, below a priority."""
    udp = exactly("in_port", 1), exactly("eth_type", 0x0800), exactly("ip_proto", 17)
    return [
        Entry(
            priority=top - n, match=match_of(*udp, exactly("udp_dst", n + 1)), action=Drop("x.no"),
            cookie=COOKIE | n, what="dropped as x.no",
        )
        for n in range(first, first + count)
    ]  # fmt: skip


def tried(action: Callable[[], live.Change]) -> str:
    try:
        return action().text()
    except UserError as error:
        return error.diagnostics[0].message


def steps(vswitch: OpenVSwitch, switch: Switch) -> dict[str, Any]:
    found: dict[str, Any] = {}

    def step(name: str, action: Callable[[], live.Change]) -> None:
        found[name] = {"said": tried(action), "flows": vswitch.flows()}

    vswitch.add_flow(FOREIGN)
    step("first", lambda: live.push(switch, entries(20)))
    step("again", lambda: live.push(switch, entries(20)))
    step("change", lambda: live.push(switch, entries(20, first=3)))
    bad = [replace(entries(1, first=50)[0], match=(exactly("udp_dst", 5),))]
    step("refused", lambda: live.push(switch, [*entries(20), *bad]))
    step("other_version", lambda: live.push(replace(switch, openflow="1.3"), entries(20)))
    table = "flow_limit=15", "overflow_policy=refuse"
    vswitch.configure(
        "--", "--id=@t", "create", "Flow_Table", *table, "--", "set", "Bridge", BRIDGE, "flow_tables:0=@t"
    )
    step("full", lambda: live.push(switch, entries(40, first=100)))
    vswitch.configure("clear", "Bridge", BRIDGE, "flow_tables")
    vswitch.add_flow("priority=800,udp,in_port=1,tp_dst=201 actions=output:8")
    step("in_the_way", lambda: live.push(switch, entries(40, first=200)))
    vswitch.kill(how=signal.SIGKILL)
    found["gone"] = {
        "said": tried(lambda: live.push(replace(switch, address="tcp:127.0.0.1:6654"), entries(1)))
    }
    vswitch.start()
    step("restarted", lambda: live.push(switch, entries(20)))
    vswitch.add_flow(FOREIGN)
    step("withdrawn", lambda: live.withdraw(switch))
    return found


def main() -> None:
    live.ANSWER_SECONDS = 3.0
    with open_vswitch(Path(sys.argv[1])) as vswitch:
        vswitch.add_bridge(protocols="OpenFlow14")
        result = steps(vswitch, load_switch("ovs"))
    json.dump(result, sys.stdout)


if __name__ == "__main__":
    main()
