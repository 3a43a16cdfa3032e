"""Binaries against the interpreter on the same arrivals: frames, counters, and the binaries' choices.

The oracle is the interpreter of the chain as written. It replays the choices of the binary that it is
compared with; two binaries that made the same choices must leave the same files, so it runs once for both.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from synth import codegen
from synth.captures import CapturedPacket, read_capture, write_capture
from synth.driver import Source, load
from synth.graph.nodes import ChainGraph
from synth.interpreter import Interpreter
from synth.native import Replay, replay
from synth.reports import RunReport
from synth.synthesis import synthesize
from synth.traffic.random_traffic import SECOND, Arrival, Traffic

Inputs = Mapping[str, Path]
Alike = tuple[str, ...]
ALIVE = 290 * SECOND
"""UDP flows live for 300 s in all chains."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A chain as written and as synthesized, each with the binary that is built from it."""

    written: ChainGraph
    written_binary: Path
    synthesized: ChainGraph
    synthesized_binary: Path


@dataclass(frozen=True, slots=True)
class NativeRun:
    """What a replay of arrivals through a binary gave: a capture for each interface, and its report."""

    captures: Mapping[str, Path]
    result: Replay

    def left(self) -> dict[str, list[CapturedPacket]]:
        """Return what left, by interface, at the time of the arrival that caused it."""
        return {name: list(read_capture(path)) for name, path in self.captures.items()}


def build_pair(source: Source, folder: Path, *, sanitize: bool = False) -> Pair:
    """Build a chain as written and synthesized (proved or not)."""
    written = load(source).graph
    synthesized = synthesize(written).graph
    written_binary = build_graph(written, folder / "written", sanitize=sanitize)
    synthesized_binary = build_graph(
        synthesized, folder / "synthesized", sanitize=sanitize, is_synthesized=True
    )
    return Pair(written, written_binary, synthesized, synthesized_binary)


def build_graph(
    graph: ChainGraph, folder: Path, *, sanitize: bool = False, is_synthesized: bool = False
) -> Path:
    """Return the binary that is built from a graph, in the form as written or the synthesized one."""
    tree = codegen.emit(graph, is_synthesized=is_synthesized)
    return codegen.build(tree, folder, name=graph.name, sanitize=sanitize).path


def in_replay_order(graph: ChainGraph, arrivals: Sequence[Arrival]) -> list[Arrival]:
    """Return arrivals as the hosts merge them: by time, then interface, then file order."""
    order = {interface.name: position for position, interface in enumerate(graph.interfaces)}
    return sorted(arrivals, key=lambda arrival: (arrival.time, order[arrival.interface]))


def write_inputs(graph: ChainGraph, arrivals: Sequence[Arrival], folder: Path) -> Inputs:
    """Write a capture for each interface, of what arrives there."""
    folder.mkdir(parents=True, exist_ok=True)
    inputs = {interface.name: folder / f"in_{interface.name}.pcap" for interface in graph.interfaces}
    for name, path in inputs.items():
        write_capture(path, [CapturedPacket(a.time, a.data) for a in arrivals if a.interface == name])
    return inputs


def run_binary(binary: Path, inputs: Inputs, out: Path) -> NativeRun:
    """Replay captures through a binary, with its choices logged."""
    result = replay(binary, inputs, out, log_choices=True)
    return NativeRun({name: out / f"{name}.pcap" for name in inputs}, result)


def traffic_with_answers(
    graph: ChainGraph, binary: Path, *, seed: int, count: int, folder: Path, rounds: int = 3
) -> list[Arrival]:
    """Return arrivals in which later rounds answer what the binary sent in earlier ones."""
    source = Traffic(graph, seed)
    arrivals = source.random(count // rounds)
    for turn in range(1, rounds):
        at = folder / f"round{turn}"
        inputs = write_inputs(graph, in_replay_order(graph, arrivals), at)
        left = run_binary(binary, inputs, at / "out").left()
        answers = source.answers(_worth_an_answer(arrivals, left), count // rounds // 4)
        arrivals += answers + source.random(count // rounds - len(answers))
    return in_replay_order(graph, arrivals)


def _worth_an_answer(
    arrivals: Sequence[Arrival], left: Mapping[str, Sequence[CapturedPacket]]
) -> list[tuple[str, bytes]]:
    """Return the frames that crossed the chain in the last minutes: what they left behind is alive."""
    came: dict[int, set[str]] = {}
    for arrival in arrivals:
        came.setdefault(arrival.time, set()).add(arrival.interface)
    since = arrivals[-1].time - ALIVE
    return [
        (name, packet.data)
        for name, packets in left.items()
        for packet in packets
        if packet.time > since and came[packet.time] - {name}
    ]


def assert_all_agree(pair: Pair, arrivals: Sequence[Arrival], folder: Path) -> NativeRun:
    """Fail where the interpreter and the two binaries differ; return what the binary as written did."""
    inputs = write_inputs(pair.written, arrivals, folder / "in")
    written = run_binary(pair.written_binary, inputs, folder / "out_written")
    assert_interpreter_agrees(pair.written, written, arrivals)
    synthesized = run_binary(pair.synthesized_binary, inputs, folder / "out_synthesized")
    if synthesized.result.choices == written.result.choices:
        assert_same(written, synthesized)
    else:
        assert_interpreter_agrees(pair.written, synthesized, arrivals)
    return written


def assert_binary_equals_interpreter(
    graph: ChainGraph, binary: Path, arrivals: Sequence[Arrival], folder: Path, *, alike: Alike = ()
) -> None:
    """Fail with the first arrival that a graph's interpreter and its binary treat differently."""
    native = run_binary(binary, write_inputs(graph, arrivals, folder / "in"), folder / "out")
    assert_interpreter_agrees(graph, native, arrivals, alike=alike)


def assert_same(first: NativeRun, second: NativeRun) -> None:
    """Fail where two replays differ: in a frame, its time, or a counter."""
    for name, path in first.captures.items():
        if path.read_bytes() != second.captures[name].read_bytes():
            ours, others = list(read_capture(path)), list(read_capture(second.captures[name]))
            at = next((n for n, pair in enumerate(zip(ours, others, strict=False)) if pair[0] != pair[1]), -1)
            raise AssertionError(
                f"frame {at} out of {name}: {ours[at]} and {others[at]}; {len(ours)} and {len(others)} frames"
            )
    assert first.result.report == second.result.report


def assert_interpreter_agrees(
    graph: ChainGraph, native: NativeRun, arrivals: Sequence[Arrival], *, alike: Alike = ()
) -> None:
    """Fail with the first arrival that a graph's interpreter and a binary treat differently.

    `alike`: drops that only have to be right in sum.
    """
    left = native.left()
    oracle = Interpreter(graph, choices=native.result.choices)
    positions = dict.fromkeys(left, 0)
    for number, arrival in enumerate(arrivals):
        for name, data in oracle.receive(arrival.interface, arrival.data, arrival.time):
            position = positions[name]
            sent = left[name][position].data if position < len(left[name]) else b""
            assert sent == data, (
                f"arrival {number} on {arrival.interface} at {arrival.time}: {arrival.data.hex()}\n"
                f"frame {position} out of {name}:\n interpreter {data.hex()}\n binary      {sent.hex()}"
            )
            positions[name] = position + 1
    assert positions == {name: len(frames) for name, frames in left.items()}
    assert _in_sum(oracle.finish(), alike) == _in_sum(native.result.report, alike)


def _in_sum(report: RunReport, alike: Alike) -> RunReport:
    drops = {name: count for name, count in report.drops.items() if name not in alike}
    total = sum(report.drops.values()) - sum(drops.values())
    return replace(report, drops=drops | ({alike[0]: total} if total else {}))
