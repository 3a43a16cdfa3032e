"""A plan's two printed forms: for a person, and as the object that `--json` prints."""

from collections.abc import Iterable, Mapping

from synth.net.kinds import Kind
from synth.parallel.plan import InterfacePlan, KindSteering, Meeting, Plan, RangeShare, Share
from synth.parallel.words import kind_words


def to_text(plan: Plan) -> str:
    """Return a plan for a person."""
    lines = [f"{plan.chain}: {plan.strategy} on {plan.cores} cores with {plan.nic}", f"  {plan.summary}"]
    if plan.reason is not None:
        lines += ["", "No hash can serve these together:", *_meeting_lines(plan.reason.meetings)]
        lines += _listed("For example:", plan.reason.example)
        lines += _listed("What would help:", plan.reason.hints)
    if plan.meetings:
        lines += ["", "Packets that must meet on one core:", *_meeting_lines(plan.meetings)]
    for interface in plan.interfaces:
        lines += ["", *_interface_lines(interface)]
    lines += _listed(
        "State:", (_object_line(one.name, one.treatment, one.by, one.capacities) for one in plan.objects)
    )
    lines += _listed("Chosen values:", map(_share_line, plan.shares))
    lines += _listed("What differs from one core:", plan.differences)
    lines += _listed("Warnings:", plan.warnings)
    if plan.checked:
        lines += ["", f"Checked by the solver: {plan.checked} ways to meet, none is separated."]
    return "\n".join(lines)


def _listed(title: str, items: Iterable[str]) -> list[str]:
    lines = [f"  {item}" for item in items]
    return ["", title, *lines] if lines else []


def _meeting_lines(meetings: Iterable[Meeting]) -> list[str]:
    lines = []
    for meeting in meetings:
        lines.append(f"  {meeting.when}")
        lines.append(f"      for {', '.join(meeting.objects)} ({', '.join(meeting.places)})")
    return lines


def _interface_lines(interface: InterfacePlan) -> list[str]:
    by = ", ".join(interface.shards_by) or "anything"
    lines = [
        f"interface {interface.name}: a core by {by}",
        f"  key {interface.key.hex()}  ({interface.free_bits} bits free)",
    ]
    lines += [f"  the NIC hashes {one.packets} by {', '.join(one.fields)}" for one in interface.nic_hashes]
    lines += [f"  {_steering_line(steering)}" for steering in interface.steering]
    lines.append(
        f"  table: {interface.reachable} of {len(interface.table)} entries are reached; "
        f"fullest core {interface.worst:.2f} of the mean"
    )
    return lines


def _steering_line(steering: KindSteering) -> str:
    kinds = ", ".join(kind_words(steering.kinds))
    fields = " ".join(dict.fromkeys(one.path for one in steering.fields)) or "nothing"
    match steering.by:
        case "nic":
            return f"{kinds}: by {fields}, hashed by the NIC"
        case "software":
            return f"{kinds}: by {fields}, hashed by the core that receives them"
        case "nobody":
            return f"{kinds}: handled where they arrive"


def _object_line(name: str, treatment: str, by: tuple[str, ...], capacities: tuple[int, ...]) -> str:
    line = f"{name}: {treatment}"
    if by:
        line += f" by {'; '.join(by)}"
    if treatment == "split" and capacities:
        line += f" (from {min(capacities):,} entries a core)"
    return line


def _share_line(share: Share) -> str:
    counts = f"{min(share.counts):,} to {max(share.counts):,} values a core"
    if isinstance(share, RangeShare):
        return f"{share.table}: {share.column} in ranges, {counts}"
    back = f"drawn so that replies on {share.interface} come back to the core"
    return f"{share.table}: {share.column} {back}, {counts}"


def to_json(plan: Plan) -> Mapping[str, object]:
    """Return the object that `--json` prints."""
    return {
        "chain": plan.chain,
        "nic": plan.nic,
        "cores": plan.cores,
        "strategy": plan.strategy,
        "summary": plan.summary,
        "interfaces": [_interface_json(one) for one in plan.interfaces],
        "objects": [
            {
                "name": one.name,
                "treatment": one.treatment,
                "by": list(one.by),
                "capacities": list(one.capacities),
            }
            for one in plan.objects
        ],
        "shares": [_share_json(one) for one in plan.shares],
        "meetings": [_meeting_json(one) for one in plan.meetings],
        "reason": None
        if plan.reason is None
        else {
            "meetings": [_meeting_json(one) for one in plan.reason.meetings],
            "example": list(plan.reason.example),
            "hints": list(plan.reason.hints),
        },
        "differences": list(plan.differences),
        "warnings": list(plan.warnings),
        "checked": plan.checked,
    }


def _interface_json(one: InterfacePlan) -> Mapping[str, object]:
    return {
        "name": one.name,
        "shards_by": list(one.shards_by),
        "key": one.key.hex(),
        "free_bits": one.free_bits,
        "nic_hashes": {each.packets: list(each.fields) for each in one.nic_hashes},
        "steering": [
            {
                "kinds": [_kind_json(kind) for kind in steering.kinds],
                "by": steering.by,
                "fields": [[field.path, field.first_bit] for field in steering.fields],
                "input_bytes": steering.input_bytes,
            }
            for steering in one.steering
        ],
        "reachable": one.reachable,
        "worst": one.worst,
        "table": list(one.table),
    }


def _kind_json(kind: Kind) -> dict[str, object]:
    return {"vlan_tags": kind.vlan_tags, "l3": kind.l3, "l4": kind.l4, "fragment": kind.fragment}


def _share_json(share: Share) -> Mapping[str, object]:
    common: dict[str, object] = {"table": share.table, "column": share.column, "counts": list(share.counts)}
    if isinstance(share, RangeShare):
        return common | {"ranges": [list(pair) for pair in share.ranges]}
    return common | {"interface": share.interface, "range": [share.low, share.high]}


def _meeting_json(meeting: Meeting) -> dict[str, object]:
    return {"when": meeting.when, "objects": list(meeting.objects), "places": list(meeting.places)}
