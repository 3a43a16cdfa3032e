"""What a bench runs: the interpreter, or the binary that a chain is built into."""

import re
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal, Protocol

from synth import codegen
from synth.captures import CapturedPacket, read_capture, write_capture
from synth.graph.nodes import ChainGraph
from synth.graph.text import print_graph
from synth.interpreter import Interpreter
from synth.native import replay
from synth.reports import RunReport
from synth.synthesis import synthesize

Engine = Literal["interpreter", "native"]
Sent = list[tuple[str, bytes]]
Received = tuple[str, bytes, int]
"""An interface, a frame, and the time in ns."""

_binaries: dict[str, Path] = {}


class Machine(Protocol):
    """A running chain."""

    def receive(self, arrivals: Sequence[Received]) -> list[Sent]:
        """Let frames arrive, and return what leaves for each."""

    def report(self) -> RunReport:
        """Return what has become of all packets so far."""


def make_machine(graph: ChainGraph, engine: Engine) -> Machine:
    return InterpretedMachine(graph) if engine == "interpreter" else NativeMachine(graph)


class InterpretedMachine:
    """The interpreter, of the chain as written."""

    def __init__(self, graph: ChainGraph) -> None:
        self._interpreter = Interpreter(graph)

    def receive(self, arrivals: Sequence[Received]) -> list[Sent]:
        return [self._interpreter.receive(*arrival) for arrival in arrivals]

    def report(self) -> RunReport:
        return self._interpreter.report()


class NativeMachine:
    """The binary of a synthesized chain, which for new frames is run over all that came before them too.

    Frames that arrive at one time are told apart by 1 ns, so that what leaves shows by its stamp what
    caused it. Frames that one frame causes are in the order of the chain's interfaces.
    """

    def __init__(self, graph: ChainGraph) -> None:
        self._interfaces = [interface.name for interface in graph.interfaces]
        self._binary = _binary_of(graph)
        self._arrivals: dict[str, list[CapturedPacket]] = {name: [] for name in self._interfaces}
        self._now = -1
        self._report: RunReport | None = None

    def receive(self, arrivals: Sequence[Received]) -> list[Sent]:
        causes: dict[int, Sent] = {}
        for interface, frame, time in arrivals:
            self._now = max(self._now + 1, time)
            self._arrivals[interface].append(CapturedPacket(self._now, frame))
            causes[self._now] = []
        for name, packet in self._replay():
            if packet.time in causes:
                causes[packet.time].append((name, packet.data))
        return list(causes.values())

    def _replay(self) -> list[tuple[str, CapturedPacket]]:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            inputs = {name: folder / f"in_{name}.pcap" for name in self._interfaces}
            for name, path in inputs.items():
                write_capture(path, self._arrivals[name])
            self._report = replay(self._binary, inputs, folder / "out").report
            outputs = {name: read_capture(folder / "out" / f"{name}.pcap") for name in self._interfaces}
            return [(name, packet) for name, packets in outputs.items() for packet in packets]

    def report(self) -> RunReport:
        assert self._report is not None, "nothing has arrived yet"
        return self._report


@cache
def _kept() -> tempfile.TemporaryDirectory[str]:
    """Return a directory that lasts until the tests end."""
    return tempfile.TemporaryDirectory(prefix="synth-bench-")


def _binary_of(graph: ChainGraph) -> Path:
    """Return a chain's binary; chains that differ in the names of their files only share one."""
    key = re.sub(r"\s*//.*", "", print_graph(graph))
    if key not in _binaries:
        tree = codegen.emit(synthesize(graph).graph, is_synthesized=True)
        place = Path(_kept().name) / str(len(_binaries))
        _binaries[key] = codegen.build(tree, place, name=graph.name).path
    return _binaries[key]
