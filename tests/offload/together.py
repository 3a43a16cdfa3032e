"""A switch and the server behind it, both interpreted: what they do together must be the chain."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from synth import driver
from synth.graph.nodes import ChainGraph
from synth.interpreter import Interpreter
from synth.offload.entries import Drop
from synth.offload.interpret import FlowTable
from synth.offload.server import graphs_of
from synth.offload.split import Split
from synth.pipeline.offload import split_chain
from synth.traffic.frames import Frame, ip
from synth.traffic.frames6 import Frame6

CHAINS = Path(__file__).resolve().parent.parent.parent / "chains"


def graph_of(path: Path) -> ChainGraph:
    return driver.load(driver.Source(path=path)).graph


def split_of(path: Path, switch: str = "ovs") -> Split:
    return split_chain(graph_of(path), switch)


@dataclass
class Together:
    """The flow table, then the server's graph by the tag, then the flow table again."""

    split: Split
    table: FlowTable = field(init=False)
    server: Interpreter = field(init=False)
    dropped: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.table = FlowTable(self.split.entries)
        self.server = Interpreter(graphs_of(self.split).server)

    def receive(self, interface: str, frame: bytes, now: int) -> list[tuple[str, bytes]]:
        ports = {one.name: one.port for one in self.split.interfaces}
        names = {port: name for name, port in ports.items()}
        out = []
        for port, tagged in self.table.receive(frame, ports[interface]):
            assert port == self.split.server
            for left, sent in self.server.receive(self.interface_of(tagged), tagged[:12] + tagged[16:], now):
                back = tagged[12:14] + (self.split.version << 13 | self.split.tags[left]).to_bytes(2, "big")
                out += self.table.receive(sent[:12] + back + sent[12:], self.split.server)
        return [(names[port], frame) for port, frame in out]

    def interface_of(self, frame: bytes) -> str:
        control = int.from_bytes(frame[14:16], "big")
        assert control >> 13 == self.split.version
        return {tag: name for name, tag in self.split.tags.items()}[control & 0xFFF]

    def drops(self) -> dict[str, int]:
        """All drops, the switch's own included, those of classes under their interface's name."""
        found = dict(self.server.report().drops)
        for entry, count in zip(self.table.entries, self.table.packets, strict=True):
            if isinstance(entry.action, Drop) and count:
                found[entry.action.counter] = found.get(entry.action.counter, 0) + count
        of = {one.name: one.interface for one in self.split.classes}
        merged: dict[str, int] = {}
        for name, count in found.items():
            owner, _, reason = name.partition(".")
            whole = f"{of.get(owner, owner)}.{reason}"
            merged[whole] = merged.get(whole, 0) + count
        return merged


HOST, SERVER = ip("100.64.0.9"), ip("198.51.100.9")


def odd_frames() -> Iterator[bytes]:
    """Well-formed frames that switch and server could read in different ways."""
    for protocol in (1, 6, 17, 47, 132):
        for fragment in (0, 0x2000, 0x2001, 0x0007, 0x4000):
            for vlans in ((), (7,), (7, 8), (0x6064,), (0xA066, 0xA064)):
                for sport, dport in ((1000, 80), (0, 80), (1000, 0), (0, 0), (65535, 443)):
                    frame = Frame(
                        HOST, SERVER, protocol, sport, dport, fragment=fragment, vlans=vlans,
                        payload=b"\0\x50\0\x50" + bytes(40),
                    )  # fmt: skip
                    yield frame.encode()
    plain = Frame(HOST, SERVER, 6, 1000, 80).encode()
    yield Frame(HOST, SERVER, 6, 1000, 80, options=bytes((1, 1, 1, 0))).encode()
    yield Frame(HOST, SERVER, 6, 1000, 80, padding=bytes(9)).encode()
    yield plain[:12] + b"\x08\x06" + bytes.fromhex("000108000604") + bytes(22)
    yield Frame6(1, 2).encode()
    yield plain[:12] + b"\x00\x40" + b"\xaa\xaa\x03\0\0\0\x86\xdd" + bytes(60)
    yield plain[:12] + b"\x88\xa8\x00\x07" + plain[12:]
