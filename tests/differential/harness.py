"""Binary against interpreter on the same arrivals: frames, counters, and the binary's choices."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from synth import codegen
from synth.captures import CapturedPacket, read_capture, write_capture
from synth.driver import Source, load
from synth.graph.nodes import ChainGraph
from synth.interpreter import Interpreter
from synth.native import Replay, replay
from synth.traffic.random_traffic import Arrival, Traffic

Left = dict[str, list[bytes]]


@dataclass(frozen=True, slots=True)
class NativeRun:
    """What a replay of arrivals through the binary gave: frames by interface, and its report."""

    left: Left
    result: Replay


def build_chain(source: Path, folder: Path, *, sanitize: bool = False) -> tuple[ChainGraph, Path]:
    """Return a chain's graph and the binary that is built from it, as written."""
    graph = load(Source(path=source)).graph
    return graph, codegen.build(codegen.emit(graph), folder, name=graph.name, sanitize=sanitize).path


def in_replay_order(graph: ChainGraph, arrivals: Sequence[Arrival]) -> list[Arrival]:
    """Return arrivals as the hosts merge them: by time, then interface, then file order."""
    order = {interface.name: position for position, interface in enumerate(graph.interfaces)}
    return sorted(arrivals, key=lambda arrival: (arrival.time, order[arrival.interface]))


def run_binary(graph: ChainGraph, binary: Path, arrivals: Sequence[Arrival], folder: Path) -> NativeRun:
    """Replay arrivals through the binary, with its choices logged."""
    folder.mkdir(parents=True, exist_ok=True)
    inputs = {}
    for interface in graph.interfaces:
        path = folder / f"in_{interface.name}.pcap"
        write_capture(
            path, [CapturedPacket(a.time, a.data) for a in arrivals if a.interface == interface.name]
        )
        inputs[interface.name] = path
    out = folder / "out"
    result = replay(binary, inputs, out, log_choices=True)
    left = {
        interface.name: [packet.data for packet in read_capture(out / f"{interface.name}.pcap")]
        for interface in graph.interfaces
    }
    return NativeRun(left, result)


def traffic_with_answers(
    graph: ChainGraph, binary: Path, *, seed: int, count: int, folder: Path, rounds: int = 3
) -> list[Arrival]:
    """Return arrivals in which later rounds answer what the binary sent in earlier ones."""
    source = Traffic(graph, seed)
    arrivals: list[Arrival] = []
    for turn in range(rounds):
        fresh = source.random(count // rounds if turn == 0 else count // rounds // 2)
        if turn:
            left = run_binary(graph, binary, in_replay_order(graph, arrivals), folder / f"round{turn}").left
            sent = [(name, data) for name, frames in left.items() for data in frames[-4000:]]
            fresh += source.answers(sent, count // rounds - len(fresh))
        arrivals += fresh
    return in_replay_order(graph, arrivals)


def assert_binary_equals_interpreter(
    graph: ChainGraph, binary: Path, arrivals: Sequence[Arrival], folder: Path
) -> None:
    """Fail with the first arrival that the two treat differently."""
    native = run_binary(graph, binary, arrivals, folder / "native")
    oracle = Interpreter(graph, choices=native.result.choices)
    positions = dict.fromkeys(native.left, 0)
    for number, arrival in enumerate(arrivals):
        for name, data in oracle.receive(arrival.interface, arrival.data, arrival.time):
            position = positions[name]
            sent = native.left[name][position] if position < len(native.left[name]) else b""
            assert sent == data, (
                f"arrival {number} on {arrival.interface} at {arrival.time}: {arrival.data.hex()}\n"
                f"frame {position} out of {name}:\n interpreter {data.hex()}\n binary      {sent.hex()}"
            )
            positions[name] = position + 1
    assert positions == {name: len(frames) for name, frames in native.left.items()}
    assert oracle.report() == native.result.report
