"""Which SSA values share a C variable, and which packet values share a `struct packet`.

Values share when they are never needed at one time: a block parameter with the values that come
in at the join, a written packet with the packet before it. So the common handler changes its
packet in place, and copies only what is looked at after a change.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from synth.codegen.regions import Region, inner_edges
from synth.codegen.uses import Site, Uses
from synth.graph.nodes import (
    Deliver,
    Exit,
    IcmpError,
    ListFind,
    ListRead,
    Packet,
    RingPick,
    RoutesLookup,
    RulesDecide,
    Value,
    Write,
)
from synth.graph.walk import operands


@dataclass(frozen=True, slots=True, kw_only=True)
class Variables:
    """The sharing of one handler.

    Attributes:
        roots: the value that stands for each value's variable (itself, when it shares with none).
        members: for each such value, all that share its variable, in order of definition.
        homes: for a variable that is assigned at several places, the block that all of them and
            all uses lie below: where it is declared.
        leaving: variables of packets that are only written and then leave: their heads stand where they
            leave from the start.
    """

    roots: Mapping[Value, Value]
    members: Mapping[Value, tuple[Value, ...]]
    homes: Mapping[Value, str]
    leaving: frozenset[Value]

    def root(self, value: Value) -> Value:
        """Return the value that stands for a value's variable."""
        return self.roots.get(value, value)


def share_variables(region: Region, uses: Uses, *, keeps_received: bool = False) -> Variables:
    """Find the sharing: parameters first, in the order of the blocks, then writes.

    `keeps_received`: what the function is given is not written to, so no packet shares its variable.
    """
    sharing = _Sharing(region, uses, keeps_received=keeps_received)
    for name, block in region.blocks.items():
        for before in dict.fromkeys(region.predecessors[name]):
            for edge in inner_edges(region.blocks[before].terminator):
                if edge.block == name:
                    for parameter, argument in zip(block.parameters, edge.arguments, strict=True):
                        sharing.try_join(parameter, argument)
        for op in block.operations:
            if isinstance(op, Write) and uses.is_needed(op):
                sharing.try_join(op.results[0], op.packet)
    return sharing.result()


class _Sharing:
    def __init__(self, region: Region, uses: Uses, *, keeps_received: bool) -> None:
        self.region = region
        received = region.entry.parameters if keeps_received else ()
        self.received = frozenset(value for value in received if isinstance(value.type, Packet))
        self.uses = uses
        self.defined = {
            parameter: Site(name, -1)
            for name, block in region.blocks.items()
            for parameter in block.parameters
        } | {value: site for value, (_, site) in uses.definitions.items()}
        self.order = {value: number for number, value in enumerate(self.defined)}
        self.live_out = _live_out(region, uses, self.defined)
        self.members: dict[Value, tuple[Value, ...]] = {}
        self.roots: dict[Value, Value] = {}

    def try_join(self, one: Value, other: Value) -> None:
        """Let two values share when neither they nor those they share with are in each other's way."""
        other = self.uses.base(other)
        if not (self._has_variable(one) and self._has_variable(other)) or one.type != other.type:
            return
        mine = self.members.get(self.roots.get(one, one), (one,))
        theirs = self.members.get(self.roots.get(other, other), (other,))
        if mine == theirs or any(self._collide(a, b) for a in mine for b in theirs):
            return
        joined = tuple(sorted((*mine, *theirs), key=self.order.__getitem__))
        for member in joined:
            self.roots[member] = joined[0]
        self.members[joined[0]] = joined

    def result(self) -> Variables:
        members = {root: self.members[root] for root in dict.fromkeys(self.roots.values())}
        homes = {root: self._home(shared) for root, shared in members.items()}
        for value, site in self.defined.items():
            if site.index == -1 and value not in self.roots and site.block in self.region.dominators:
                homes[value] = self._home((value,))
        leaving = frozenset(self._leaving()) if self.received else frozenset()
        return Variables(roots=self.roots, members=members, homes=homes, leaving=leaving)

    def _leaving(self) -> Iterator[Value]:
        """Yield variables of which at most one at a time is a packet that is about to leave."""
        chosen: list[tuple[Value, ...]] = []
        for value in self.defined:
            members = self.members.get(value, (value,))
            if (
                not isinstance(value.type, Packet)
                or value in self.received
                or self.roots.get(value, value) != value
            ):
                continue
            if value not in self.uses.sites or not all(map(self._only_leaves, members)):
                continue
            if not any(self._collide(one, two) for others in chosen for one in members for two in others):
                chosen.append(members)
                yield value

    def _only_leaves(self, packet: Value) -> bool:
        """Tell whether nothing but writes in place, joins and a delivery's only exit use a packet."""
        root = self.roots.get(packet, packet)
        for site in self.uses.sites[packet]:
            block = self.region.blocks[site.block]
            if site.index < len(block.operations):
                op = block.operations[site.index]
                if isinstance(op, IcmpError):
                    return False  # the error's head may stand where this packet's would
                if isinstance(op, Write) and self.roots.get(op.results[0], op.results[0]) != root:
                    return False
            elif isinstance(block.terminator, Deliver):
                if not (
                    len(block.terminator.emissions) == 1 and isinstance(block.terminator.emissions[0], Exit)
                ):
                    return False
            elif any(
                argument == packet and self.roots.get(parameter, parameter) != root
                for edge in inner_edges(block.terminator)
                for parameter, argument in zip(
                    self.region.blocks[edge.block].parameters, edge.arguments, strict=True
                )
            ):
                return False
        return True

    def _has_variable(self, value: Value) -> bool:
        """Tell whether a value is kept in a variable that others could share."""
        if value not in self.uses.sites or value in self.uses.inlined or value in self.region.constants:
            return False
        if value in self.received:
            return False
        definition = self.uses.definitions.get(value)
        return definition is None or not isinstance(
            definition[0], RulesDecide | RoutesLookup | ListRead | ListFind | RingPick
        )

    def _home(self, shared: tuple[Value, ...]) -> str:
        blocks = [self._assigned_below(self.defined[value]) for value in shared]
        home = blocks[0]
        for block in blocks[1:]:
            home = self.region.common_dominator(home, block)
        return home

    def _assigned_below(self, site: Site) -> str:
        return self.region.dominators.get(site.block, site.block) if site.index == -1 else site.block

    def _collide(self, one: Value, other: Value) -> bool:
        return (
            self._is_live_after(one, self.defined[other])
            or self._is_live_after(other, self.defined[one])
            or self._crosses(one, other)
            or self._crosses(other, one)
        )

    def _is_live_after(self, value: Value, site: Site) -> bool:
        """Tell whether a value is defined at a place or before, and used after it."""
        own = self.defined[value]
        if own.block == site.block and own.index > site.index:
            return False
        if value in self.live_out[site.block]:
            return True
        return any(use.block == site.block and use.index > site.index for use in self.uses.sites[value])

    def _crosses(self, parameter: Value, value: Value) -> bool:
        """Tell whether assigning a parameter on some edge would hurt another argument there."""
        site = self.defined[parameter]
        if site.index != -1 or site.block == self.region.handler.block:
            return False
        for before in _edges_into(self.region, site.block):
            for target, argument in zip(self.region.blocks[site.block].parameters, before, strict=True):
                if target != parameter and value in self._leaves(argument):
                    return True
        return False

    def _leaves(self, value: Value) -> Iterator[Value]:
        value = self.uses.base(value)
        if value in self.uses.inlined:
            for operand in operands(self.uses.definitions[value][0]):
                yield from self._leaves(operand)
        else:
            yield value


def _edges_into(region: Region, name: str) -> Iterator[tuple[Value, ...]]:
    """Yield the arguments of each edge into a block."""
    for before in dict.fromkeys(region.predecessors[name]):
        for edge in inner_edges(region.blocks[before].terminator):
            if edge.block == name:
                yield edge.arguments


def _live_out(region: Region, uses: Uses, defined: Mapping[Value, Site]) -> dict[str, frozenset[Value]]:
    used: dict[str, set[Value]] = {name: set() for name in region.blocks}
    for value, sites in uses.sites.items():
        for site in sites:
            if defined[value].block != site.block:
                used[site.block].add(value)
    live_out: dict[str, frozenset[Value]] = {}
    live_in: dict[str, frozenset[Value]] = {}
    for name, block in reversed(region.blocks.items()):
        after = [live_in[edge.block] for edge in inner_edges(block.terminator)]
        live_out[name] = frozenset().union(*after)
        live_in[name] = frozenset(
            value for value in live_out[name] | used[name] if defined[value].block != name
        )
    return live_out
