"""Seeded random traffic for a chain: what reaches its state, and what tries to break it.

Addresses and ports come from the chain's own tables and constants, so that rules match and services
are hit; flows repeat, so that state is found; frames that left are answered, so that the way back is
used; time jumps, so that entries expire; a share of frames is odd or malformed.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from synth.graph.nodes import ChainGraph, Constant, Has, ListTable, Read, RouteTable, RuleTable
from synth.language.values import RuleValue
from synth.net.ipv6 import DESTINATION, HOP_BY_HOP
from synth.traffic.frames import ICMP, TCP, UDP, Frame, read_frame
from synth.traffic.frames6 import (
    ECHO_REPLY,
    ECHO_REQUEST,
    ICMPV6,
    Frame6,
    fragment,
    options,
    read_frame6,
    routing,
)

SECOND = 1_000_000_000
PAUSES = (30 * SECOND, 120 * SECOND, 301 * SECOND, 7500 * SECOND)
"""Beyond and within the lives of pings, UDP and TCP."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A frame that arrives on an interface at a time (ns)."""

    interface: str
    time: int
    data: bytes


class Traffic:
    """A source of random arrivals for one chain; the same seed gives the same traffic."""

    def __init__(self, graph: ChainGraph, seed: int) -> None:
        self._random = random.Random(seed)
        self._interfaces = [interface.name for interface in graph.interfaces]
        self._macs = {interface.name: interface.mac for interface in graph.interfaces}
        self._addresses, self._ports = _interesting(graph, self._random)
        self._rules = [
            rule for state in graph.states if isinstance(state, RuleTable) for rule in state.rules.rules
        ]
        self._stations = _stations(graph)
        self._flows: list[tuple[str, Frame]] = []
        self._addresses6 = _interesting6(graph, self._random) if _looks_at_ipv6(graph) else ()
        self._flows6: list[tuple[str, Frame6]] = []
        self._now = 1_700_000_000 * SECOND

    def random(self, count: int) -> list[Arrival]:
        """Return so many fresh arrivals, later than all before."""
        return [self._arrival() for _ in range(count)]

    def answers(self, left: Iterable[tuple[str, bytes]], count: int) -> list[Arrival]:
        """Return up to so many answers to frames that left, at the interface where they did.

        Half of them come at once, while what was remembered of the frames lives; the rest after a pause.
        """
        candidates = [
            (name, frame) for name, data in left if (frame := read_frame(data) or read_frame6(data))
        ]
        if not candidates:
            return []
        picked = self._random.choices(candidates, k=count)
        answers: list[Arrival] = []
        for number, (name, frame) in enumerate(picked):
            self._now += self._random.choice(PAUSES) if number == count // 2 else self._step()
            answers.append(Arrival(name, self._now, frame.reply().encode()))
        return answers

    def _tick(self) -> int:
        self._now += self._random.choice(PAUSES) if self._random.random() < 0.0005 else self._step()
        return self._now

    def _step(self) -> int:
        """Return the time to the next arrival; one in ten comes at the same time as the one before."""
        return self._random.randrange(1, 2_000_000) if self._random.random() < 0.9 else 0

    def _arrival(self) -> Arrival:
        if self._addresses6 and self._random.random() < 0.5:
            return self._arrival6()
        chance = self._random.random()
        if self._flows and chance < 0.5:
            name, frame = self._random.choice(self._flows)
            return Arrival(
                name, self._tick(), replace(frame, ttl=self._ttl(), payload=self._payload()).encode()
            )
        name, frame = self._new_flow()
        if self._rules and chance < 0.75:
            frame = self._obey(self._random.choice(self._rules), frame)
            self._flows[-1] = (name, frame)
        data = frame.encode()
        return Arrival(name, self._tick(), self._odd(frame, data) if chance > 0.85 else data)

    def _new_flow(self) -> tuple[str, Frame]:
        name, pick = self._random.choice(self._interfaces), self._random.choice
        protocol = pick((TCP, TCP, TCP, UDP, UDP, UDP, ICMP))
        sport, dport = self._port(), self._port()
        frame = Frame(
            pick(self._addresses),
            pick(self._addresses),
            protocol,
            sport=sport,
            dport=pick((0, 8)) if protocol == ICMP else dport,
            ttl=self._ttl(),
            flags=pick((2, 16, 17, 18, 4, 24)),
            payload=self._payload(),
            eth_dst=self._macs[name],
        )
        if self._stations:
            frame = replace(frame, eth_src=pick(self._stations), eth_dst=pick(self._stations))
        if len(self._flows) > 2000:
            del self._flows[self._random.randrange(2000)]
        self._flows.append((name, frame))
        return name, frame

    def _arrival6(self) -> Arrival:
        """Return the same of IPv6; chains that do not look at it get none."""
        pick, chance = self._random.choice, self._random.random()
        if self._flows6 and chance < 0.5:
            name, frame = pick(self._flows6)
            frame = replace(frame, hop_limit=self._ttl(), payload=self._payload())
            return Arrival(name, self._tick(), frame.encode())
        name, protocol = pick(self._interfaces), pick((TCP, TCP, UDP, UDP, ICMPV6))
        frame = Frame6(
            pick(self._addresses6),
            pick(self._addresses6),
            protocol,
            sport=self._port(),
            dport=pick((ECHO_REQUEST, ECHO_REPLY)) if protocol == ICMPV6 else self._port(),
            hop_limit=self._ttl(),
            flags=pick((2, 16, 17, 18, 4, 24)),
            payload=self._payload(),
            eth_dst=self._macs[name],
        )
        if len(self._flows6) > 2000:
            del self._flows6[self._random.randrange(2000)]
        self._flows6.append((name, frame))
        return Arrival(name, self._tick(), self._odd6(frame) if chance > 0.8 else frame.encode())

    def _odd6(self, frame: Frame6) -> bytes:
        pick, data = self._random.choice, frame.encode()
        match self._random.randrange(7):
            case 0:
                return data[: self._random.randrange(len(data))]
            case 1:
                at = self._random.randrange(len(data))
                return data[:at] + bytes([self._random.randrange(256)]) + data[at + 1 :]
            case 2:
                return replace(frame, vlans=pick(((5,), (5, 6), (0,), (5, 6, 7)))).encode()
            case 3:
                header = fragment(
                    pick((0, 0, 8, 1480)), self._random.getrandbits(32), is_last=pick((True, False))
                )
                return replace(frame, extensions=(header,)).encode()
            case 4:
                chains = (
                    (options(HOP_BY_HOP),), (options(HOP_BY_HOP), options(DESTINATION, 24)), (routing(0),),
                    (routing(1, (frame.src,)),), (options(DESTINATION, 64),), ((51, bytes(7)),),
                )  # fmt: skip
                return replace(frame, extensions=pick(chains)).encode()
            case 5:
                return replace(frame, protocol=pick((1, 41, 50, 59, 135)), padding=bytes(12)).encode()
            case _:
                return replace(frame, protocol=ICMPV6, dport=pick((1, 2, 3, 135, 136))).encode()

    def _obey(self, rule: RuleValue, frame: Frame) -> Frame:
        """Return the frame with what a rule asks for; wherever the rule leaves a choice, as it was."""
        inside = self._random.randint
        protocol = (
            rule.protocol if rule.protocol in (TCP, UDP, ICMP) and rule.protocol_mask else frame.protocol
        )
        return replace(
            frame,
            src=_inside(rule.src.address, rule.src.length, self._random) if rule.src.length else frame.src,
            dst=_inside(rule.dst.address, rule.dst.length, self._random) if rule.dst.length else frame.dst,
            protocol=protocol,
            sport=inside(rule.sport.low, rule.sport.high),
            dport=self._random.choice((0, 8))
            if protocol == ICMP
            else inside(rule.dport.low, rule.dport.high),
            flags=rule.flags >> 8 if rule.flags_mask and protocol == TCP else frame.flags,
        )

    def _port(self) -> int:
        return (
            self._random.choice(self._ports) if self._random.random() < 0.7 else self._random.randrange(65536)
        )

    def _ttl(self) -> int:
        return self._random.choice((64, 64, 64, 128, 255, 3, 2, 1, 0)) if self._random.random() < 0.3 else 64

    def _payload(self) -> bytes:
        return self._random.randbytes(self._random.choice((0, 1, 6, 8, 18, 33)))

    def _odd(self, frame: Frame, data: bytes) -> bytes:
        pick, odd = self._random.choice, self._random.randrange(11)
        match odd:
            case 0:
                return data[: self._random.randrange(len(data))]
            case 1:
                at = self._random.randrange(len(data))
                return data[:at] + bytes([self._random.randrange(256)]) + data[at + 1 :]
            case 2:
                return replace(frame, vlans=pick(((5,), (5, 6), (0,), (5, 6, 7)))).encode()
            case 3:
                return replace(frame, fragment=pick((0x2000, 0x2001, 1, 185, 0x4000, 0x8000))).encode()
            case 4:
                return replace(frame, options=b"\x01" * 4 * self._random.randrange(1, 11)).encode()
            case 5:
                return replace(frame, udp_checksum=False).encode()
            case 6:
                return replace(frame, padding=self._random.randbytes(12)).encode()
            case 7:
                return (
                    data[:12]
                    + pick((b"\x86\xdd", b"\x08\x06", b"\x00\x26", b"\x88\xe5", b"\x81\x00"))
                    + data[14:]
                )
            case 8:
                arp = b"\x00\x01\x08\x00\x06\x04\x00\x01" + self._random.randbytes(20)
                return data[:12] + b"\x08\x06" + arp + b"\0" * 18
            case 9:
                return replace(frame, protocol=pick((41, 47, 50, 132, 0))).encode()
            case _:
                return replace(frame, payload=self._random.randbytes(1400)).encode()


def _stations(graph: ChainGraph) -> list[int]:
    """Return MAC addresses of a chain that learns some: interfaces, hosts, groups, and what is reserved."""
    operations = [operation for block in graph.blocks for operation in block.operations]
    if not any(isinstance(found, Read) and found.path == "eth.src" for found in operations):
        return []
    groups = [0xFFFFFFFFFFFF, 0x01005E000001, 0x0180C2000000, 0x0180C2000010]
    macs = [found.value for found in operations if isinstance(found, Constant) and _is_mac(found)]
    hosts = range(0x020000000A01, 0x020000000A0B)
    return [*(interface.mac for interface in graph.interfaces), *hosts, *macs, *groups]


def _is_mac(constant: Constant) -> bool:
    return getattr(constant.results[0].type, "width", 0) == 48


def _interesting(graph: ChainGraph, source: random.Random) -> tuple[Sequence[int], Sequence[int]]:
    addresses = {address for interface in graph.interfaces for address, _ in interface.addresses}
    ports = {53, 80, 443}
    for block in graph.blocks:
        constants = [found for found in block.operations if isinstance(found, Constant)]
        addresses |= {found.value for found in constants if getattr(found.results[0].type, "width", 0) == 32}
        ports |= {found.value for found in constants if getattr(found.results[0].type, "width", 0) == 16}
    for state in graph.states:
        match state:
            case RuleTable(rules=rules):
                for rule in source.sample(rules.rules, min(60, len(rules.rules))):
                    addresses |= {
                        _inside(prefix.address, prefix.length, source) for prefix in (rule.src, rule.dst)
                    }
                    ports |= {bound for ends in (rule.sport, rule.dport) for bound in (ends.low, ends.high)}
            case RouteTable(routes=routes):
                for route in source.sample(routes.routes, min(60, len(routes.routes))):
                    addresses.add(_inside(route.prefix.address, route.prefix.length, source))
            case ListTable(rows=rows):
                addresses |= {scalar for row in rows for scalar in row if scalar > 0xFFFF}
            case _:
                pass
    hosts = {source.randrange(0x0A000001, 0x0A000040) for _ in range(20)}
    return sorted(found & 0xFFFFFFFF for found in addresses | hosts), sorted(ports)


def _looks_at_ipv6(graph: ChainGraph) -> bool:
    return any(
        isinstance(op, Has) and op.header in ("ipv6", "icmpv6", "icmpv6_echo")
        for block in graph.blocks
        for op in block.operations
    )


def _interesting6(graph: ChainGraph, source: random.Random) -> Sequence[int]:
    """Return the IPv6 addresses that a chain names, neighbours of them, and a few hosts."""
    constants = {
        op.value
        for block in graph.blocks
        for op in block.operations
        if isinstance(op, Constant) and getattr(op.results[0].type, "width", 0) == 128
    }
    near = {address ^ 1 << source.randrange(64) for address in constants}
    hosts = {0x20010DB8 << 96 | source.randrange(1, 64) for _ in range(20)}
    return sorted(constants | near | hosts)


def _inside(address: int, length: int, source: random.Random) -> int:
    return address | source.randrange(1 << (32 - length))
