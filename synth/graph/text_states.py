"""Print state objects as text, with their data."""

from collections.abc import Sequence
from typing import TypeVar, assert_never

from synth.graph.nodes import (
    BucketColumn,
    Column,
    Counter,
    KeyedTable,
    ListTable,
    Ring,
    RouteTable,
    RuleTable,
    Sketch,
    StateObject,
    TokenBucket,
    Vector,
    live_rules,
)
from synth.language.values import PrefixValue, RouteValue, RuleValue
from synth.net.addresses import print_ipv4

SHOWN_ROWS = 8
SLOTS_ON_A_LINE = 16

Row = TypeVar("Row")


def print_state(state: StateObject, *, abbreviate: bool) -> str:
    """Return a state object's declaration; abbreviated, at most `SHOWN_ROWS` rows of its data."""
    limit = SHOWN_ROWS if abbreviate else None
    match state:
        case KeyedTable():
            return _braced(f"table {state.name} capacity {state.capacity}", _table_lines(state))
        case Vector(name=name, columns=columns, size=size, initial=initial):
            return f"vector {name} size {size} {_columns(columns)} initial {_numbers(initial)}"
        case Counter(name=name):
            return f"counter {name}"
        case TokenBucket(name=name, rate=rate, burst=burst):
            return f"bucket {name} rate {rate} burst {burst}"
        case Sketch(name=name, key=key, rows=rows, columns=width):
            return f"sketch {name} rows {rows} columns {width} key {_columns(key)}"
        case RuleTable(name=name, rules=rules):
            live = frozenset(live_rules(state))
            shown = enumerate(_shown(rules.rules, limit))
            lines = [("" if number in live else "idle ") + _rule(rule) for number, rule in shown]
            return _braced(f"rules {name}", _with_rest(lines, len(rules.rules)))
        case RouteTable(name=name, columns=columns, routes=routes):
            lines = [_route(route) for route in _shown(routes.routes, limit)]
            return _braced(f"routes {name} {_columns(columns)}", _with_rest(lines, len(routes.routes)))
        case ListTable(name=name, columns=columns, rows=rows):
            lines = [_numbers(row) for row in _shown(rows, limit)]
            return _braced(f"list {name} {_columns(columns)}", _with_rest(lines, len(rows)))
        case Ring(name=name, list=of, slots=slots):
            runs = [slots[at : at + SLOTS_ON_A_LINE] for at in range(0, len(slots), SLOTS_ON_A_LINE)]
            lines = [" ".join(map(str, run)) for run in _shown(runs, limit)]
            return _braced(f"ring {name} of {of}", _with_rest(lines, len(runs)))
        case _:
            assert_never(state)


def _shown(rows: Sequence[Row], limit: int | None) -> Sequence[Row]:
    return rows[:limit]


def _with_rest(lines: list[str], total: int) -> list[str]:
    hidden = total - len(lines)
    return [*lines, f"... {hidden} more"] if hidden else lines


def _braced(head: str, lines: Sequence[str]) -> str:
    return "\n".join([head + " {", *(f"  {line}" for line in lines), "}"])


def _table_lines(table: KeyedTable) -> list[str]:
    lines = [f"key {_columns(table.key)}"]
    if table.unique:
        lines.append(f"unique {_columns(table.unique)}")
    if table.values:
        lines.append(f"value {_columns(table.values)}")
    return lines + [f"timer {name} {lifetime}" for name, lifetime in table.timers]


def _columns(columns: Sequence[Column | BucketColumn]) -> str:
    return f"({', '.join(map(_column, columns))})"


def _column(column: Column | BucketColumn) -> str:
    if isinstance(column, BucketColumn):
        return f"{column.name}: bucket {column.rate} {column.burst}"
    limit = "" if column.below is None else f" below {column.below}"
    return f"{column.name}: {'bool' if column.is_bool else f'u{column.width}'}{limit}"


def _numbers(numbers: Sequence[int]) -> str:
    return f"({', '.join(map(str, numbers))})"


def _rule(rule: RuleValue) -> str:
    return (
        f"{'permit' if rule.permits else 'deny'} {_prefix(rule.src)} {_prefix(rule.dst)}"
        f" protocol {rule.protocol}/{rule.protocol_mask}"
        f" sport {rule.sport.low}..{rule.sport.high} dport {rule.dport.low}..{rule.dport.high}"
        f" flags {rule.flags:#x}/{rule.flags_mask:#x}"
    )


def _route(route: RouteValue) -> str:
    return f"{_prefix(route.prefix)} -> {'discard' if route.result is None else _numbers(route.result)}"


def _prefix(prefix: PrefixValue) -> str:
    return f"{print_ipv4(prefix.address)}/{prefix.length}"
