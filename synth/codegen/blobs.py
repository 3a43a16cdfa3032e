"""Static tables as bytes: the formats of `runtime/static_tables.h`, little-endian."""

import struct
from dataclasses import replace
from typing import assert_never

from synth.graph.nodes import ListTable, Ring, RouteTable, RuleTable, live_rules
from synth.language.values import RuleValue

Static = RuleTable | RouteTable | ListTable | Ring

_RULE = struct.Struct("<4I6H4B")


def encode(table: Static) -> bytes:
    """Return a table's data, as it is built in: rules that need not be looked at are idle."""
    match table:
        case RuleTable(rules=rules):
            idle = set(range(len(rules.rules))).difference(live_rules(table))
            records = (_rule(rule, is_idle=number in idle) for number, rule in enumerate(rules.rules))
            return struct.pack("<I", len(rules.rules)) + b"".join(records)
        case RouteTable():
            return _routes(table)
        case ListTable(columns=columns, rows=rows):
            head = struct.pack("<2I", len(rows), len(columns))
            return head + b"".join(struct.pack(f"<{len(row)}Q", *row) for row in rows)
        case Ring(slots=slots):
            return struct.pack(f"<I{len(slots)}I", len(slots), *slots)
        case _:
            assert_never(table)


def in_full(table: Static) -> Static:
    """Return a table as it may be copied and changed: nothing in it rests on what else it holds."""
    return replace(table, live=None) if isinstance(table, RuleTable) else table


def kind(table: Static) -> str:
    """Return the enumerator of a table's kind in `runtime/core.h`, without its prefix."""
    match table:
        case RuleTable():
            return "RULES"
        case RouteTable():
            return "ROUTES"
        case ListTable():
            return "LIST"
        case Ring():
            return "RING"
        case _:
            assert_never(table)


def _rule(rule: RuleValue, *, is_idle: bool) -> bytes:
    return _RULE.pack(
        rule.src.address, rule.src.mask, rule.dst.address, rule.dst.mask,
        rule.sport.low, rule.sport.high, rule.dport.low, rule.dport.high, rule.flags, rule.flags_mask,
        rule.protocol, rule.protocol_mask, rule.permits, is_idle,
    )  # fmt: skip


def _routes(table: RouteTable) -> bytes:
    scalars = len(table.columns)
    record = struct.Struct(f"<IBBH{scalars}Q")
    none = (0,) * scalars
    records = (
        record.pack(
            route.prefix.address,
            route.prefix.length,
            route.result is not None,
            0,
            *(none if route.result is None else route.result),
        )
        for route in table.routes.routes
    )
    return struct.pack("<2I", len(table.routes.routes), scalars) + b"".join(records)
