"""Routing tables: one route a line, `PREFIX NEXTHOP`.

The prefix may be an address; the default route is `0.0.0.0/0`. The next hop is one of those that the
chain gives, by its name or address, or `discard`. The order of the lines means nothing: the longest
match decides. `#` and `//` start comments.
"""

import re
from collections.abc import Iterable, Mapping

from synth.diagnostics.diagnostic import Note
from synth.diagnostics.spans import Span
from synth.diagnostics.suggest import did_you_mean
from synth.language.errors.files import (
    ConflictingRoute,
    RepeatedRoute,
    UnexpectedWord,
    UnknownNextHop,
)
from synth.language.files.source import FileReference, Mistakes, Report, line_start, read_lines
from synth.language.files.words import MistakeError, Words, parse_prefix, stretch, without_comment
from synth.language.values import PrefixValue, RouteTableValue, RouteValue, Scalars
from synth.net.addresses import network_mask, parse_ipv4, print_ipv4

DISCARD = "discard"

NextHops = Mapping[str, Scalars | None]
"""What each next hop's name or address stands for: the scalars of the result record, or None for discard."""


def load_routes(reference: FileReference, next_hops: NextHops, report: Report) -> RouteTableValue:
    """Read a routing table; `discard` needs not be among the next hops.

    Reports every wrong line, unknown next hops, and prefixes with two next hops. A prefix that is
    listed twice with one next hop is a warning and counts once.
    """
    mistakes = Mistakes(reference, report)
    table = _Table({DISCARD: None, **next_hops})
    for number, text in enumerate(read_lines(reference, report), 1):
        content = without_comment(text)
        if content and not content.isspace():
            try:
                table.add(content, line_start(reference.shown, number))
            except MistakeError as mistake:
                mistakes.add(mistake.diagnostic)
    mistakes.close()
    table.report_repeated(report)
    return RouteTableValue(tuple(route for route, _ in table.routes.values()))


class _Table:
    """The routes read so far, with the name of each one's next hop."""

    def __init__(self, next_hops: NextHops) -> None:
        self._next_hops = next_hops
        self.routes: dict[PrefixValue, tuple[RouteValue, str]] = {}
        self._repeated: list[RouteValue] = []

    def add(self, text: str, start: Span) -> None:
        """Add the route of one line.

        Raises:
            MistakeError: with the first thing that is wrong.
        """
        prefix, hop, span = _parse_plain(text, start) or _parse(text, start)
        if hop not in self._next_hops:
            raise MistakeError(_unknown(hop, span, self._next_hops))
        route = RouteValue(prefix, self._next_hops[hop], span)
        earlier = self.routes.setdefault(prefix, (route, hop))
        if earlier[0] is not route:
            self._add_again(route, hop, earlier)

    def _add_again(self, route: RouteValue, hop: str, earlier: tuple[RouteValue, str]) -> None:
        earlier_route, earlier_hop = earlier
        if hop == earlier_hop:
            self._repeated.append(route)
            return
        raise MistakeError(
            ConflictingRoute(
                span=route.span,
                prefix=print_prefix(route.prefix),
                found=hop,
                earlier=earlier_hop,
                line=earlier_route.span.line,
                notes=(Note(earlier_route.span, "first given here"),),
            )
        )

    def report_repeated(self, report: Report) -> None:
        """Warn once about prefixes that stand twice with one next hop."""
        if not self._repeated:
            return
        route, others = self._repeated[0], len(self._repeated) - 1
        earlier, _ = self.routes[route.prefix]
        report(
            RepeatedRoute(
                span=route.span,
                prefix=print_prefix(route.prefix),
                line=earlier.span.line,
                others=_count_others(others),
            )
        )


def print_prefix(prefix: PrefixValue) -> str:
    """Return a prefix as text."""
    return f"{print_ipv4(prefix.address)}/{prefix.length}"


def _parse(text: str, start: Span) -> tuple[PrefixValue, str, Span]:
    """Return prefix, next hop and place of a line.

    Raises:
        MistakeError: with the first thing that is wrong.
    """
    words = Words(text, start)
    prefix_word = words.take("a prefix")
    prefix = parse_prefix(prefix_word)
    hop = words.take("a next hop after the prefix")
    rest = words.peek()
    if rest is not None:
        raise MistakeError(UnexpectedWord(span=rest.span, found=rest.text, expected="the end of the line"))
    return prefix, hop.text, prefix_word.span.to(hop.span)


_PLAIN = re.compile(r"([0-9.]+)/([0-9]{1,2})\s+(\S+)\s*")


def _parse_plain(text: str, start: Span) -> tuple[PrefixValue, str, Span] | None:
    """Return the same for a line as almost all are; None for any other, right or wrong.

    A full table has a million lines; places word by word would take most of the time.
    """
    found = _PLAIN.fullmatch(text)
    address = parse_ipv4(found[1]) if found else None
    if found is None or address is None:
        return None
    length = int(found[2])
    if length > 32 or address & ~network_mask(length):
        return None
    return PrefixValue(address, length), found[3], stretch(start, 0, found.end(3))


def _unknown(hop: str, route: Span, next_hops: Iterable[str]) -> UnknownNextHop:
    names = tuple(next_hops)
    span = Span(route.file, route.line, route.end_column - len(hop), route.line, route.end_column)
    return UnknownNextHop(span=span, found=hop, expected=", ".join(names), hint=did_you_mean(hop, names))


def _count_others(others: int) -> str:
    if others == 0:
        return ""
    return "1 more line repeats a route" if others == 1 else f"{others} more lines repeat a route"
