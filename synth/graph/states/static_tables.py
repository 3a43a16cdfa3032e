"""Static tables over integers: rule sets, routes, lists and rings."""

from collections.abc import Callable

from synth.graph.domains.integers import FramePacket, Integers
from synth.graph.nodes import ListTable, Ring, RouteTable, RuleTable
from synth.graph.states.classifier import Classifier, Header

Row = tuple[int, ...]

_DOMAIN = Integers()
_FLAG_BITS = ("tcp.cwr", "tcp.ece", "tcp.urg", "tcp.ack", "tcp.psh", "tcp.rst", "tcp.syn", "tcp.fin")


def _reader(path: str) -> Callable[[FramePacket], int]:
    return _DOMAIN.read(path)


_ADDRESSES_AND_PROTOCOL = tuple(_reader(f"ipv4.{name}") for name in ("src", "dst", "protocol"))
_PORTS = (_reader("l4.sport"), _reader("l4.dport"))
_FLAGS = tuple(_reader(path) for path in _FLAG_BITS)
_ICMP = (_reader("icmp.type"), _reader("icmp.code"))


def header_of(packet: FramePacket) -> Header:
    """Return what rules read of an IPv4 packet, as it is now."""
    src, dst, protocol = (read(packet) for read in _ADDRESSES_AND_PROTOCOL)
    sport = dport = flags = None
    present = packet.frame.present
    if "l4" in present:
        sport, dport = (read(packet) for read in _PORTS)
    if "tcp" in present:
        flags = 0
        for read in _FLAGS:
            flags = flags << 1 | read(packet)
        flags <<= 8
    elif "icmp" in present:
        flags = _ICMP[0](packet) << 8 | _ICMP[1](packet)
    return Header(src, dst, protocol, sport, dport, flags)


class IntegerRules:
    def __init__(self, table: RuleTable) -> None:
        self._rules = table.rules.rules
        self._classifier = Classifier(table.rules, table.live)

    def decide(self, packet: FramePacket) -> tuple[int, int, int]:
        index = self._classifier.first_match(header_of(packet))
        return (0, 0, 0) if index is None else (1, self._rules[index].permits, index)


class IntegerRoutes:
    """One dictionary for each prefix length that occurs, the longest first."""

    def __init__(self, table: RouteTable) -> None:
        self._absent: Row = (0,) * (1 + len(table.columns))
        by_mask: dict[int, dict[int, Row]] = {}
        for route in table.routes.routes:
            row = self._absent if route.result is None else (1, *route.result)
            by_mask.setdefault(route.prefix.mask, {})[route.prefix.address] = row
        self._by_mask = sorted(by_mask.items(), reverse=True)

    def look_up(self, by: int) -> Row:
        for mask, routes in self._by_mask:
            row = routes.get(by & mask)
            if row is not None:
                return row
        return self._absent


class IntegerList:
    def __init__(self, table: ListTable) -> None:
        self._rows = tuple((1, *row) for row in table.rows)
        self._absent: Row = (0,) * (1 + len(table.columns))

    def look_up(self, by: int) -> Row:
        return self._rows[by] if by < len(self._rows) else self._absent


class IntegerListBy:
    """A list's rows by the value of one column; the first of those that have the same."""

    def __init__(self, table: ListTable, column: int) -> None:
        self._rows = {row[column]: (1, *row) for row in reversed(table.rows)}
        self._absent: Row = (0,) * (1 + len(table.columns))

    def look_up(self, by: int) -> Row:
        return self._rows.get(by, self._absent)


class IntegerRing:
    def __init__(self, ring: Ring, rows: tuple[Row, ...]) -> None:
        self._slots = ring.slots
        self._rows = rows

    def look_up(self, by: int) -> Row:
        return self._rows[self._slots[by % len(self._slots)]]
