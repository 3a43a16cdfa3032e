"""Talk to a live switch through Ryu: read its table, bring it to what it should be, withdraw."""

import json
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from openflow.wire import Flow, flow_from, flow_of
from synth.diagnostics.diagnostic import Diagnostic, complain
from synth.diagnostics.spans import Span
from synth.offload.entries import COOKIE, COOKIE_MASK, Entry
from synth.offload.switch import Switch

ANSWER_SECONDS = 10.0
"""How long a switch may take for an answer."""


@dataclass(frozen=True, kw_only=True)
class SwitchRefuses(Diagnostic):
    """The switch is not there, or does not do what it is asked."""

    code = "E830"
    title = "{switch} at {address}: {reason}"
    help = "its table is as it was before"

    switch: str
    address: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class ForeignEntries(Diagnostic):
    """Someone else's entry has the very match and priority that ours would have."""

    code = "E831"
    title = "{count} entries of others stand where ours would on {switch}, the first of priority {priority}"
    help = "nothing was changed; move them to another priority or table, or give another `table`"

    switch: str
    count: int
    priority: int


@dataclass(frozen=True, kw_only=True)
class RyuMissing(Diagnostic):
    """The Ryu side did not come up."""

    code = "E832"
    title = "Ryu does not run here: {reason}"
    help = "install it as .ci/setup does: pip install '.[ryu]' with openflow/ryu-build.txt as constraint"

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What a push did, or would do."""

    add: tuple[Flow, ...]
    remove: tuple[Flow, ...]
    kept: int

    def text(self) -> str:
        """Return the change for a person."""
        return f"{len(self.add)} entries added, {len(self.remove)} removed, {self.kept} kept as they were"


def push(switch: Switch, entries: Iterable[Entry], *, is_dry_run: bool = False) -> Change:
    """Bring the switch's table to just these entries of ours; return when it is.

    All changes are made or none. Entries that stay keep their counters; others' entries are not touched.

    Raises:
        UserError: the switch is not there or refuses; or others' entries are in the way.
    """
    wanted = [flow_of(entry).as_list() for entry in entries]
    answer = _ask(switch, wanted=wanted, dry_run=is_dry_run, cookie=COOKIE, cookie_mask=COOKIE_MASK)
    foreign = [flow_from(row) for row in answer["foreign"]]
    if foreign:
        place = Span("--switch", 1, 1, 1, 1)
        raise complain(
            ForeignEntries(span=place, switch=switch.name, count=len(foreign), priority=foreign[0].priority)
        )
    return Change(
        add=tuple(flow_from(row) for row in answer["add"]),
        remove=tuple(flow_from(row) for row in answer["remove"]),
        kept=answer["kept"],
    )


def withdraw(switch: Switch) -> Change:
    """Remove our entries and only ours.

    Raises:
        UserError: the switch is not there or refuses.
    """
    return push(switch, ())


def pull(switch: Switch) -> Mapping[Flow, int]:
    """Return our entries on the switch with their packet counts.

    Raises:
        UserError: the switch is not there.
    """
    answer = _ask(switch)
    flows = {flow_from(row[:-1]): row[-1] for row in answer["flows"]}
    return {flow: count for flow, count in flows.items() if flow.cookie & COOKIE_MASK == COOKIE}


def _ask(switch: Switch, **request: Any) -> Any:
    address = switch.address.removeprefix("tcp:")
    request |= {
        "address": address,
        "openflow": switch.openflow,
        "table": switch.table,
        "timeout": ANSWER_SECONDS,
    }
    done = subprocess.run(
        [sys.executable, "-m", "openflow.ryu_side.main"],
        input=json.dumps(request), capture_output=True, text=True, check=False,
    )  # fmt: skip
    place = Span("--switch", 1, 1, 1, 1)
    if done.returncode != 0 or not done.stdout:
        reason = (done.stderr.strip().splitlines() or ["it says nothing"])[-1]
        raise complain(RyuMissing(span=place, reason=reason))
    answer = json.loads(done.stdout)
    if "error" in answer:
        raise complain(SwitchRefuses(span=place, switch=switch.name, address=address, reason=answer["error"]))
    return answer
