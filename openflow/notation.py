"""Flow entries as text, in the notation of ovs-ofctl(8), and as objects for JSON."""

from collections.abc import Mapping

from synth.diagnostics.spans import NOWHERE
from synth.offload.entries import Action, Drop, Entry, ToInterface, ToServer
from synth.offload.matches import MATCH_FIELDS, TAG_PRESENT, Test

_NAMES = {
    "eth_type": "dl_type", "ip_proto": "nw_proto", "ipv4_src": "nw_src", "ipv4_dst": "nw_dst",
    "icmpv4_type": "icmp_type", "icmpv4_code": "icmp_code",
}  # fmt: skip


def entry_text(entry: Entry, table: int) -> str:
    """Return an entry as one line that `ovs-ofctl add-flows` reads."""
    parts = [f"table={table}", f"cookie={entry.cookie:#x}", f"priority={entry.priority}"]
    parts += [_test(test) for test in entry.match]
    return f"{','.join(parts)} actions={action_text(entry.action)}"


def action_text(action: Action) -> str:
    """Return what an entry does."""
    match action:
        case Drop():
            return "drop"
        case ToServer(tag=tag, version=version, port=port):
            tagged = f"set_field:{TAG_PRESENT | tag}->vlan_vid,set_field:{version}->vlan_pcp"
            return f"push_vlan:0x8100,{tagged},output:{port}"
        case ToInterface(port=port):
            return f"pop_vlan,output:{port}"


def entry_dict(entry: Entry) -> Mapping[str, object]:
    """Return an entry as an object: values and masks in hexadecimal."""
    return {
        "priority": entry.priority,
        "cookie": f"{entry.cookie:#x}",
        "match": {test.field: f"{test.value:#x}/{test.mask:#x}" for test in entry.match},
        "actions": action_text(entry.action),
        "class": entry.what,
        "source": None if entry.source == NOWHERE else f"{entry.source.file}:{entry.source.line}",
    }


def _test(test: Test) -> str:
    name = _NAMES.get(test.field, test.field)
    full = (1 << MATCH_FIELDS[test.field].width) - 1
    if test.field.startswith("ipv4_"):
        length = test.mask.bit_count()
        return f"{name}={'.'.join(str(byte) for byte in test.value.to_bytes(4, 'big'))}/{length}"
    if test.field == "vlan_vid" or test.field.endswith("type") or test.mask != full:
        shown = f"{test.value:#06x}" if test.field != "icmpv4_type" else str(test.value)
        return f"{name}={shown}" + ("" if test.mask == full else f"/{test.mask:#06x}")
    return f"{name}={test.value}"
