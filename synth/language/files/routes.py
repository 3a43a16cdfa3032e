"""Routing tables: one route a line, `PREFIX NEXTHOP`.

The prefix may be an address; the default route is `0.0.0.0/0`. The next hop is one of those that the chain gives, by its name
or address, or `discard`. The order of the lines means nothing: the longest match decides. `#` and `//` start comments.
"""

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
from synth.language.files.words import MistakeError, Word, Words, parse_prefix, without_comment
from synth.language.values import PrefixValue, RouteTableValue, RouteValue, Scalars
from synth.net.addresses import print_ipv4

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
        words = Words(text, start)
        prefix_word = words.take("a prefix")
        prefix = parse_prefix(prefix_word)
        hop = words.take("a next hop after the prefix")
        rest = words.peek()
        if rest is not None:
            raise MistakeError(
                UnexpectedWord(span=rest.span, found=rest.text, expected="the end of the line")
            )
        if hop.text not in self._next_hops:
            raise MistakeError(_unknown(hop, self._next_hops))
        span = prefix_word.span.to(hop.span)
        route = RouteValue(prefix, self._next_hops[hop.text], span)
        earlier = self.routes.setdefault(prefix, (route, hop.text))
        if earlier[0] is not route:
            self._add_again(route, hop, earlier)

    def _add_again(self, route: RouteValue, hop: Word, earlier: tuple[RouteValue, str]) -> None:
        earlier_route, earlier_hop = earlier
        if hop.text == earlier_hop:
            self._repeated.append(route)
            return
        raise MistakeError(
            ConflictingRoute(
                span=route.span,
                prefix=print_prefix(route.prefix),
                found=hop.text,
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
                others=f"{others} more lines repeat a route" if others else "",
            )
        )


def print_prefix(prefix: PrefixValue) -> str:
    """Return a prefix as text."""
    return f"{print_ipv4(prefix.address)}/{prefix.length}"


def _unknown(hop: Word, next_hops: Iterable[str]) -> UnknownNextHop:
    names = tuple(next_hops)
    return UnknownNextHop(
        span=hop.span, found=hop.text, expected=", ".join(names), hint=did_you_mean(hop.text, names)
    )
