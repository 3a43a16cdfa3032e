"""Split a chain between a switch and the server: which class the switch drops, which it names by a tag.

Every frame that goes to the server carries a tag: that of its class, or its interface's own when the
server is to find everything out itself. So a tag that a packet brings along is never taken for ours.
"""

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from synth.graph.nodes import ChainGraph
from synth.graph.text import print_graph
from synth.offload.classification import Classification, Dropped, Stopped, Verdict, classify
from synth.offload.complaints import NotEnoughTags, PortGivenTwice, TableTooSmall, UnknownPort, refuse
from synth.offload.entries import Entry, ToServer
from synth.offload.switch import Switch
from synth.offload.tables import TableRoom, interface_lines, return_entries, write_entries

VERSIONS = 8
"""Three priority bits of a tag tell splits apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficClass:
    """Packets of an interface that a rule set has given one verdict.

    `name` is that of the interface on which the server gets them, `tag` names them on the way.
    """

    name: str
    tag: int
    interface: str
    classification: Classification
    verdict: Verdict

    @property
    def what(self) -> str:
        """The class, for people."""
        matched, permits, index = self.verdict
        rules = self.classification.rules.name
        number = "" if index is None or not matched else f" by rule {index + 1}"
        answer = "permitted" if permits else "denied"
        return f"{answer} by {rules}{number}" if matched else f"not matched by {rules}"


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfaceSplit:
    """What becomes of an interface's packets.

    Attributes:
        tag: the interface's own tag, in both directions.
        port: its port at the switch.
        found: its classification, or why the server gets everything.
        kept: how many of the rules fit into the switch.
        entries: how many entries they take.
        costs: entries by the number of the rule that causes them.
    """

    name: str
    tag: int
    port: int
    found: Classification | Stopped
    kept: int
    entries: int
    costs: Mapping[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A chain between a switch and the server."""

    graph: ChainGraph
    switch: Switch
    server: int
    version: int
    interfaces: tuple[InterfaceSplit, ...]
    classes: tuple[TrafficClass, ...]
    entries: tuple[Entry, ...]

    @property
    def tags(self) -> Mapping[str, int]:
        """The tag of each interface of the server's graph."""
        own = {one.name: one.tag for one in self.interfaces}
        return own | {one.name: one.tag for one in self.classes}


def split(graph: ChainGraph, switch: Switch) -> Split:
    """Split a chain.

    Raises:
        UserError: the switch's description does not fit the chain.
    """
    ports, server = _cabling(graph, switch)
    found = {one.name: classify(graph, one) for one in graph.interfaces}
    tags = iter(range(switch.first_tag, switch.last_tag + 1))
    own = dict(zip(ports, tags, strict=False))
    if len(own) < len(ports):
        raise refuse(switch.name, NotEnoughTags, needed=len(ports))
    classes = tuple(_classes(found, tags))
    version = _version(graph, own, classes)
    entries = list(return_entries(own, ports, server, version))
    room = TableRoom(switch.capacity - len(entries))
    interfaces = []
    for number, (name, classification) in enumerate(found.items()):
        mine = [one for one in classes if one.interface == name]
        lines = interface_lines(
            classification,
            ToServer(own[name], version, server),
            {one.verdict: ToServer(one.tag, version, server) for one in mine},
            {one.verdict: one.what for one in mine},
            can_match_tcp_flags=switch.can_match_tcp_flags,
        )
        written = write_entries(lines, ports[name], number, room, left=len(ports) - number - 1)
        if written is None:
            raise refuse(switch.name, TableTooSmall, capacity=switch.capacity)
        entries += written.entries
        interfaces.append(
            InterfaceSplit(
                name=name,
                tag=own[name],
                port=ports[name],
                found=classification,
                kept=written.kept,
                entries=len(written.entries),
                costs=written.costs,
            )
        )
    return Split(
        graph=graph,
        switch=switch,
        server=server,
        version=version,
        interfaces=tuple(interfaces),
        classes=classes,
        entries=tuple(entries),
    )


def _cabling(graph: ChainGraph, switch: Switch) -> tuple[Mapping[str, int], int]:
    """Return the port of each interface, and the server's."""
    names = [interface.name for interface in graph.interfaces]
    for name in switch.ports:
        if name not in names:
            raise refuse(switch.name, UnknownPort, name=name, known=", ".join(names))
    ports = {name: switch.ports.get(name, number) for number, name in enumerate(names, start=1)}
    server = switch.server or max(*ports.values(), len(names)) + 1
    used = [*ports.values(), server]
    for port in used:
        if used.count(port) > 1:
            raise refuse(switch.name, PortGivenTwice, port=port)
    return ports, server


def _classes(found: Mapping[str, Classification | Stopped], tags: Iterator[int]) -> Iterator[TrafficClass]:
    """Yield the classes that the server is told of, as far as there are tags."""
    names = set(found)
    for interface, classification in found.items():
        if isinstance(classification, Stopped):
            continue
        for verdict, outcome in classification.verdicts.items():
            if isinstance(outcome, Dropped) or (tag := next(tags, None)) is None:
                continue
            name = f"{interface}_class_{tag}"
            while name in names:
                name += "_"
            names.add(name)
            yield TrafficClass(
                name=name, tag=tag, interface=interface, classification=classification, verdict=verdict
            )


def _version(graph: ChainGraph, tags: Mapping[str, int], classes: tuple[TrafficClass, ...]) -> int:
    """Return a number that other splits are unlikely to have: a stale tag is told by it, mostly."""
    named = sorted([*tags.items(), *((one.name, one.tag) for one in classes)])
    return zlib.crc32(f"{named} {print_graph(graph)}".encode()) % VERSIONS
