"""Traffic for measurements: flows that a chain forwards, found with the interpreter."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

from synth.diagnostics.diagnostic import Diagnostic
from synth.graph.nodes import ChainGraph
from synth.interpreter import Interpreter
from synth.net.frame import Rejected, admit
from synth.traffic.frames import TCP, UDP, Frame, read_frame
from synth.traffic.random_traffic import Traffic

FLOWS = 1024
PACKETS = 4096
FRAME_BYTES = 60
"""64 on the wire, with FCS."""

SYN, ACK = 0x02, 0x10
_HEADER_BYTES = {TCP: 54, UDP: 42}
_TRIES_PER_FLOW = 60
_LEAST_SHARE = 0.95
_FRESH_PORTS = 0.8
_VARIED = 0.5
"""The share of tries that change the source port of a flow that passed, and look for no new addresses."""


@dataclass(frozen=True, kw_only=True)
class NothingPasses(Diagnostic):
    """No flows were found that a chain forwards: there is nothing to measure."""

    code = "E720"
    title = "no traffic for chain `{chain}`: of {tried:,} random flows, {found:,} were forwarded"

    chain: str
    tried: int
    found: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchTraffic:
    """Frames of one interface that a chain forwards.

    Attributes:
        interface: where they arrive.
        frames: of `FRAME_BYTES` without FCS, right checksums; each flow's packets are spread evenly.
        flows: how many, by protocol number.
        leaving: the share of the packets that leave, when the frames are sent once in order.
    """

    interface: str
    frames: tuple[bytes, ...]
    flows: dict[int, int]
    leaving: float


def accepted_traffic(
    graph: ChainGraph, *, flows: int = FLOWS, packets: int = PACKETS, seed: int = 1
) -> BenchTraffic | NothingPasses:
    """Return traffic for the first interface (in the chain's order) whose flows a chain forwards.

    Half of the flows are TCP and half UDP; where the chain forwards only one of them, all are of that one.
    TCP packets are those of established connections; where the chain wants to see a SYN, the first of each
    flow, which comes again with every round of the capture, is one.
    """
    tried = most = 0
    for interface in graph.interfaces:
        search = _Search(graph, interface.name, seed)
        found = search.flows(flows)
        tried, most = tried + search.tried, max(most, len(found))
        if len(found) == flows:
            count = {protocol: sum(one.protocol == protocol for one in found) for protocol in (TCP, UDP)}
            for first_flags in (ACK, SYN):
                frames = _spread(found, packets, seed, first_flags)
                leaving = _leaving(graph, interface.name, frames)
                if leaving > _LEAST_SHARE:
                    return BenchTraffic(interface=interface.name, frames=frames, flows=count, leaving=leaving)
    return NothingPasses(span=graph.span, chain=graph.name, tried=tried, found=most)


class _Search:
    """Looks for flows that one interface of a chain takes and forwards, in state that they build up."""

    def __init__(self, graph: ChainGraph, interface: str, seed: int) -> None:
        self.tried = 0
        self._interpreter = Interpreter(graph)
        self._interface = interface
        self._mac = next(one.mac for one in graph.interfaces if one.name == interface)
        self._random = random.Random(seed)  # noqa: S311  traffic, no secrets
        self._traffic = Traffic(graph, seed)
        self._seen: set[tuple[int, int, int, int, int]] = set()
        self._models: list[Frame] = []

    def flows(self, wanted: int) -> list[Frame]:
        """Return first frames of so many different flows, or of fewer if it takes too many tries."""
        tcp = self._of_protocol(TCP, wanted // 2)
        udp = self._of_protocol(UDP, wanted - len(tcp))
        tcp += self._of_protocol(TCP, wanted - len(tcp) - len(udp)) if len(tcp) == wanted // 2 else []
        return (
            [one for pair in zip(tcp, udp, strict=False) for one in pair] + tcp[len(udp) :] + udp[len(tcp) :]
        )

    def _of_protocol(self, protocol: int, wanted: int) -> list[Frame]:
        found: list[Frame] = []
        for frame in self._candidates(protocol, wanted * _TRIES_PER_FLOW):
            if len(found) == wanted or (not found and self.tried > 20 * wanted and wanted > 50):
                break
            self.tried += 1
            if passes(self._interpreter, self._interface, frame.encode(), 0):
                found.append(frame)
                self._models.append(frame)
        return found

    def _candidates(self, protocol: int, count: int) -> Iterator[Frame]:
        """Yield new flows of a protocol: addresses of the chain's own tables, ports now and then too."""
        for arrival in self._traffic.random(count) if count else ():
            frame = None if isinstance(admit(arrival.data), Rejected) else read_frame(arrival.data)
            if frame is None or frame.dport == frame.sport == 0:
                continue
            is_varied = bool(self._models) and self._random.random() < _VARIED
            made = replace(
                self._random.choice(self._models) if is_varied else frame,
                protocol=protocol,
                ttl=64,
                flags=SYN,
                vlans=(),
                sport=self._random.randrange(1024, 65536)
                if self._random.random() < _FRESH_PORTS
                else frame.sport,
                payload=bytes(FRAME_BYTES - _HEADER_BYTES[protocol]),
                eth_dst=self._mac,
            )
            key = (made.src, made.dst, made.protocol, made.sport, made.dport)
            if key not in self._seen:
                self._seen.add(key)
                yield made


def _spread(flows: list[Frame], packets: int, seed: int, first_flags: int) -> tuple[bytes, ...]:
    """Return packets of the flows in random order, as many of each; TCP's first have other flags."""
    order = [number % len(flows) for number in range(packets)]
    rest = order[len(flows) :]
    random.Random(seed).shuffle(rest)  # noqa: S311  traffic, no secrets
    first = [replace(flows[number], flags=first_flags).encode() for number in order[: len(flows)]]
    later = [replace(flow, flags=ACK, identification=2).encode() for flow in flows]
    return (*first, *(later[number] for number in rest))


def passes(interpreter: Interpreter, interface: str, frame: bytes, now: int) -> bool:
    """Tell whether a frame leaves on another interface than its own."""
    return any(out != interface for out, _ in interpreter.receive(interface, frame, now))


def _leaving(graph: ChainGraph, interface: str, frames: tuple[bytes, ...]) -> float:
    interpreter = Interpreter(graph)
    left = sum(passes(interpreter, interface, frame, number) for number, frame in enumerate(frames))
    return left / len(frames)
