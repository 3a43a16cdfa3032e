"""Lines of a classification in order, and the flow entries that decide like them.

Priorities are ours alone: each line has its own, above those of all later lines, so no two entries that
overlap and do otherwise ever share one. What an earlier entry covers wholly is left out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from synth.diagnostics.spans import NOWHERE, Span
from synth.offload.classification import Classification, Dropped, Outcome, Stopped, Verdict
from synth.offload.entries import COOKIE, Action, Drop, Entry, ToInterface, ToServer
from synth.offload.expansion import expand, reads_l4
from synth.offload.matches import (
    ETH_TYPE_ARP,
    ETH_TYPE_IPV4,
    ICMP,
    PORT_FIELDS,
    TAG_PRESENT,
    Match,
    Test,
    exactly,
    match_of,
)

MOST_PRIORITIES = 0xFFFF
UNTAGGED = "full software path"


@dataclass(frozen=True, slots=True)
class Line:
    """Some matches with one action. `rule` counts from 1; 0: no rule asked for it."""

    matches: tuple[Match, ...]
    action: Action
    what: str
    source: Span = NOWHERE
    rule: int = 0


@dataclass(frozen=True, slots=True)
class Lines:
    """What an interface's packets are asked, in order.

    `guards` and `rest` are always there; when not all rules fit, `otherwise` takes the place of `unmatched`.
    """

    guards: tuple[Line, ...]
    rules: tuple[Line, ...]
    unmatched: tuple[Line, ...]
    otherwise: Line
    rest: tuple[Line, ...]


@dataclass(slots=True)
class TableRoom:
    """How many entries may still be written."""

    entries: int


@dataclass(frozen=True, slots=True)
class Written:
    """An interface's entries; `kept` of its rules are among them, `costs` is entries by rule."""

    entries: tuple[Entry, ...]
    kept: int
    costs: Mapping[int, int]


# ---------------------------------------------------------------- lines


def interface_lines(
    found: Classification | Stopped,
    whole: ToServer,
    classes: Mapping[Verdict, ToServer],
    names: Mapping[Verdict, str],
    *,
    can_match_tcp_flags: bool,
) -> Lines:
    """Return what to ask an interface's packets; `whole` is for those that the server classifies itself."""
    everything = Line(((),), whole, UNTAGGED)
    if isinstance(found, Stopped):
        return Lines((), (), (), everything, (everything,))

    def action(verdict: Verdict) -> tuple[Action, str]:
        outcome = found.verdicts[verdict]
        if isinstance(outcome, Dropped):
            return Drop(outcome.counter), f"dropped as {outcome.counter}"
        to = classes.get(verdict)
        return (whole, UNTAGGED) if to is None else (to, names[verdict])

    rules = []
    for index, rule in enumerate(found.rules.rules.rules):
        expansion = expand(rule, can_match_tcp_flags=can_match_tcp_flags)
        to, what = action(found.verdict_of(index)) if expansion.is_exact else (whole, UNTAGGED)
        rules.append(Line(expansion.matches, to, what, rule.span, index + 1))
    ipv4 = match_of(exactly("eth_type", ETH_TYPE_IPV4))
    others = [("arp", match_of(exactly("eth_type", ETH_TYPE_ARP))), ("none", ())]
    return Lines(
        guards=tuple(_guards(rules, whole)),
        rules=tuple(rules),
        unmatched=(Line((ipv4,), *action(found.verdict_of(None))),),
        otherwise=Line((ipv4,), whole, UNTAGGED),
        rest=tuple(Line((match,), *_other(found.others[l3], whole)) for l3, match in others),
    )


def _other(outcome: Outcome, whole: ToServer) -> tuple[Action, str]:
    if isinstance(outcome, Dropped):
        return Drop(outcome.counter), f"dropped as {outcome.counter}"
    return whole, UNTAGGED


def _guards(rules: Iterable[Line], whole: ToServer) -> Iterator[Line]:
    """Yield what must go to the server because switch and server would read it otherwise.

    A later fragment has no ports for the server and ports 0 for a switch, ICMP type and code 0 likewise
    (OpenFlow 1.3.5, section 7.2.3.8, leaves it open; ovs-fields(7), FRAGMENT). So nothing with a 0 is
    decided by layer 4 in the switch. Tagged frames are the server's: switches differ in how many tags they
    look behind.
    """
    yield Line((match_of(Test("vlan_vid", TAG_PRESENT, TAG_PRESENT)),), whole, UNTAGGED)
    asked = {test.field for rule in rules for match in rule.matches if reads_l4(match) for test in match}
    ipv4 = exactly("eth_type", ETH_TYPE_IPV4)
    zero = [
        match_of(ipv4, exactly("ip_proto", protocol), exactly(port, 0))
        for protocol, ports in PORT_FIELDS.items()
        if asked & {*ports, "tcp_flags"}
        for port in ports
    ]
    if asked & {"icmpv4_type", "icmpv4_code"}:
        zero.append(
            match_of(ipv4, exactly("ip_proto", ICMP), exactly("icmpv4_type", 0), exactly("icmpv4_code", 0))
        )
    if zero:
        yield Line(tuple(zero), whole, UNTAGGED)


# ---------------------------------------------------------------- entries


@dataclass(slots=True)
class Covers:
    """Matches so far, by which bits they ask for: those that cover another ask a part of its bits."""

    by_masks: dict[tuple[tuple[str, int], ...], set[tuple[int, ...]]] = field(default_factory=dict)

    def cover(self, match: Match) -> bool:
        """Tell whether one match so far holds all packets of this one."""
        own = {test.field: test for test in match}
        for masks, values in self.by_masks.items():
            if all(name in own and own[name].mask & mask == mask for name, mask in masks) and (
                tuple(own[name].value & mask for name, mask in masks) in values
            ):
                return True
        return False

    def add(self, match: Match) -> None:
        """Add a match."""
        masks = tuple((test.field, test.mask) for test in match)
        self.by_masks.setdefault(masks, set()).add(tuple(test.value for test in match))


def write_entries(lines: Lines, port: int, number: int, room: TableRoom, left: int) -> Written | None:
    """Return an interface's entries, as many rules as fit; None when not even the simplest fit.

    `number` is the interface's, for cookies; `left` entries are kept for others.
    """
    space = room.entries - left
    chosen, kept = _fitting(lines, space)
    if chosen is None:
        everything = Line(((),), lines.otherwise.action, lines.otherwise.what)
        chosen, kept = [(everything, ((),))], 0
    if space < 1:
        return None
    entries = []
    for priority, (line, matches) in zip(range(len(chosen), 0, -1), chosen, strict=True):
        cookie = COOKIE | number << 24 | line.rule
        entries += [
            Entry(
                priority=priority,
                match=match_of(exactly("in_port", port), *match),
                action=line.action,
                cookie=cookie,
                what=line.what,
                source=line.source,
            )
            for match in matches
        ]
    room.entries -= len(entries)
    costs = {line.rule: len(matches) for line, matches in chosen if line.rule}
    return Written(tuple(entries), kept, costs)


_Chosen = list[tuple[Line, Sequence[Match]]]


def _fitting(lines: Lines, space: int) -> tuple[_Chosen | None, int]:
    """Return lines with what of them is not shadowed, and how many rules are among them."""
    rules = _unshadowed((*lines.guards, *lines.rules, *lines.unmatched, *lines.rest))
    if sum(len(matches) for _, matches in rules) <= space and len(rules) < MOST_PRIORITIES:
        return rules, len(lines.rules)
    shown = _unshadowed((*lines.guards, *lines.rules))
    ends: _Chosen = [(line, line.matches) for line in (lines.otherwise, *lines.rest)]
    used = sum(len(line.matches) for line, _ in ends)
    fitting: _Chosen = []
    for line, matches in shown:
        used += len(matches)
        if used > space or len(fitting) + len(ends) + 1 >= MOST_PRIORITIES:
            break
        fitting.append((line, matches))
    if len(fitting) < len(lines.guards):
        return None, 0
    last = fitting[-1][0].rule if fitting else 0
    return [*fitting, *ends], last


def _unshadowed(lines: Iterable[Line]) -> _Chosen:
    """Return lines with the matches that no earlier one covers; lines without any are gone."""
    covers = Covers()
    found: _Chosen = []
    for line in lines:
        matches = [match for match in line.matches if not covers.cover(match)]
        for match in matches:
            covers.add(match)
        if matches:
            found.append((line, matches))
    return found


def return_entries(
    tags: Mapping[str, int], ports: Mapping[str, int], server: int, version: int
) -> Iterator[Entry]:
    """Yield what sends the server's frames out by their tags, and the table-miss."""
    for name, tag in tags.items():
        yield Entry(
            priority=1,
            match=match_of(
                exactly("in_port", server),
                exactly("vlan_vid", TAG_PRESENT | tag),
                exactly("vlan_pcp", version),
            ),
            action=ToInterface(ports[name]),
            cookie=COOKIE,
            what=f"from the server to {name}",
        )
    yield Entry(priority=0, match=(), action=Drop("switch.no_match"), cookie=COOKIE, what="table miss")
