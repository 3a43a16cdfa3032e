"""Flows as Ryu's messages, and Ryu's messages as flows."""

import ipaddress
from typing import Any

from openflow.wire import Flow, full_mask

APPLY_ACTIONS = 4
"""`OFPIT_APPLY_ACTIONS`."""


def add_message(datapath: Any, flow: Flow, table: int) -> Any:
    """Return the message that adds a flow."""
    parser, ofproto = datapath.ofproto_parser, datapath.ofproto
    actions = _actions(parser, flow.action)
    instructions = [parser.OFPInstructionActions(APPLY_ACTIONS, actions)] if actions else []
    return parser.OFPFlowMod(
        datapath,
        cookie=flow.cookie,
        table_id=table,
        command=ofproto.OFPFC_ADD,
        priority=flow.priority,
        match=_match(parser, flow),
        instructions=instructions,
    )


def delete_message(datapath: Any, flow: Flow, table: int) -> Any:
    """Return the message that removes just this flow."""
    parser, ofproto = datapath.ofproto_parser, datapath.ofproto
    return parser.OFPFlowMod(
        datapath,
        cookie=flow.cookie,
        cookie_mask=0xFFFFFFFFFFFFFFFF,
        table_id=table,
        command=ofproto.OFPFC_DELETE_STRICT,
        priority=flow.priority,
        out_port=ofproto.OFPP_ANY,
        out_group=ofproto.OFPG_ANY,
        match=_match(parser, flow),
        instructions=[],
    )


def _match(parser: Any, flow: Flow) -> Any:
    asked = {name: value if mask == full_mask(name) else (value, mask) for name, value, mask in flow.match}
    return parser.OFPMatch(**asked)


def _actions(parser: Any, action: tuple[Any, ...]) -> list[Any]:
    match action:
        case ("tag", int(tag), int(version), int(port)):
            return [
                parser.OFPActionPushVlan(0x8100),
                parser.OFPActionSetField(vlan_vid=0x1000 | tag),
                parser.OFPActionSetField(vlan_pcp=version),
                parser.OFPActionOutput(port, 0),
            ]
        case ("out", int(port)):
            return [parser.OFPActionPopVlan(), parser.OFPActionOutput(port, 0)]
        case _:
            return []


def flow_from_stats(stats: Any) -> tuple[Flow, int]:
    """Return a flow of a reply, and its packet count; actions that are none of ours are ("other", text)."""
    tests = []
    for field, asked in stats.match.items():
        name = field.removesuffix("_nxm")
        value, mask = asked if isinstance(asked, tuple) else (asked, None)
        known = full_mask(name) if name in _OURS else -1
        tests.append((name, _number(value), known if mask is None else _number(mask) & known))
    match = tuple(sorted(tests))
    return Flow(stats.priority, match, stats.cookie, _action(stats.instructions)), stats.packet_count


_OURS = frozenset((
    "in_port", "vlan_vid", "vlan_pcp", "eth_type", "ip_proto", "ipv4_src", "ipv4_dst",
    "tcp_src", "tcp_dst", "tcp_flags", "udp_src", "udp_dst", "icmpv4_type", "icmpv4_code",
))  # fmt: skip


def _number(value: Any) -> int:
    if isinstance(value, int):
        return value
    if isinstance(value, str) and value.count(".") == 3:
        return int(ipaddress.IPv4Address(value))
    # Fields that we never ask for need only differ from ours.
    return int.from_bytes(str(value).encode(), "big")


def _action(instructions: list[Any]) -> tuple[Any, ...]:
    actions = [action for one in instructions for action in getattr(one, "actions", [one])]
    words = [_word(action) for action in actions]
    match words:
        case []:
            return ("drop",)
        case [("push", 0x8100), ("vlan_vid", tag), ("vlan_pcp", version), ("output", port)]:
            return "tag", tag & 0xFFF, version, port
        case [("pop",), ("output", port)]:
            return "out", port
        case _:
            return ("other", str(words))


def _word(action: Any) -> tuple[Any, ...]:
    match type(action).__name__:
        case "OFPActionPushVlan":
            return "push", action.ethertype
        case "OFPActionPopVlan":
            return ("pop",)
        case "OFPActionOutput":
            return "output", action.port
        case "OFPActionSetField":
            return action.key, action.value
        case name:
            return name, str(action)
