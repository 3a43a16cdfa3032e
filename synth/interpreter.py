"""The interpreter: a chain graph run over integers, on frames in memory or on captures.

It is the oracle: bytes in, bytes out, state kept from packet to packet, every packet accounted for.
"""

import heapq
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from synth.captures import CapturedPacket, CaptureWriter, read_capture
from synth.captures.errors import CaptureNotWritable
from synth.captures.source import start_of
from synth.diagnostics.diagnostic import UserError
from synth.graph.domains.integers import Integers, received
from synth.graph.evaluator.evaluate import evaluate
from synth.graph.evaluator.program import prepare
from synth.graph.evaluator.watch import Watcher, watched
from synth.graph.nodes import ChainGraph, Value
from synth.graph.states.allocator import ChoiceLog, Chooser
from synth.graph.states.integer_state import initial_state
from synth.net.frame import Rejected, admit
from synth.reports import RunReport


class Interpreter:
    """A chain at work.

    `choices` are the choices that a binary made, (table, value) in order: they are replayed and
    checked. Without them a `chooser` is asked; without that, `choose` takes the lowest free value.
    `watch` is told of each block that is run.
    """

    def __init__(
        self,
        graph: ChainGraph,
        choices: Iterable[tuple[str, int]] | None = None,
        *,
        chooser: Chooser | None = None,
        watch: Watcher | None = None,
    ) -> None:
        self._graph = graph
        self._choices = None if choices is None else ChoiceLog(choices)
        program = prepare(graph, Integers())
        self._program = program if watch is None else watched(program, watch)
        self._state = initial_state(graph.states, self._choices or chooser)
        self._now = 0
        self._packets_in = self._generated = 0
        self._packets_out = {interface.name: 0 for interface in graph.interfaces}
        self._drops: dict[str, int] = {}

    @property
    def slots(self) -> Mapping[Value, int]:
        """Where each value stands among those that a watcher is shown."""
        return self._program.slots

    def receive(self, interface: str, frame: bytes, now_ns: int) -> list[tuple[str, bytes]]:
        """Take a frame that an interface received, and return what leaves, in order.

        A time before that of an earlier frame counts as that one: time never goes back.

        Raises:
            KeyError: when the chain has no such interface.
            ChoiceMismatchError: when the choice log holds a choice that is not allowed here.
        """
        self._packets_out[interface] += 0
        self._packets_in += 1
        self._now = max(self._now, now_ns)
        admitted = admit(frame)
        if isinstance(admitted, Rejected):
            return self._drop(f"{interface}.{admitted.reason}")
        if interface not in self._program.entries:
            return self._drop(f"{interface}.not_wired")
        (path,) = evaluate(
            self._program, self._state, None, interface=interface, packet=received(admitted), now=self._now
        )
        self._generated += path.generated
        for name, count in path.drops.items():
            self._drops[name] = self._drops.get(name, 0) + count
        for out, _ in path.emissions:
            self._packets_out[out] += 1
        self._check_balance()
        return [(out, packet.render()) for out, packet in path.emissions]

    def report(self) -> RunReport:
        """Return what has become of all packets so far."""
        self._check_balance()
        known = [name for name in self._graph.drops if name in self._drops]
        others = sorted(self._drops.keys() - set(known))
        return RunReport(
            packets_in=self._packets_in,
            generated=self._generated,
            packets_out=dict(self._packets_out),
            drops={name: self._drops[name] for name in (*known, *others)},
            counters={name: counter.value for name, counter in self._state.counters.items()},
        )

    def finish(self) -> RunReport:
        """Return the report of a run that has ended.

        Raises:
            ChoiceMismatchError: when choices of the log are left over.
        """
        if self._choices is not None:
            self._choices.finish()
        return self.report()

    def _drop(self, name: str) -> list[tuple[str, bytes]]:
        self._drops[name] = self._drops.get(name, 0) + 1
        return []

    def _check_balance(self) -> None:
        out, dropped = sum(self._packets_out.values()), sum(self._drops.values())
        if self._packets_in + self._generated != out + dropped:
            raise AssertionError(
                f"{self._packets_in} in + {self._generated} generated != {out} out + {dropped} dropped"
            )


def run_captures(
    graph: ChainGraph,
    inputs: Mapping[str, Path],
    out_dir: Path,
    choices: Iterable[tuple[str, int]] | None = None,
    progress: Callable[[int], None] = lambda _: None,
) -> RunReport:
    """Run captures through a chain, and write `<interface>.pcap` for each of its interfaces.

    The interfaces' frames are merged by time stamp; of equal ones, the interface that the chain
    names first comes first. The stamps are the chain's clock, and what leaves carries the stamp of the
    frame that caused it. `progress` is told the number of frames so far, after each. The files appear
    all at once, at the end; after an error there are none.

    Raises:
        UserError: when a capture cannot be read or an output not be written.
        KeyError: when the chain has no such interface.
        ChoiceMismatchError: when the choice log does not fit.
    """
    interpreter = Interpreter(graph, choices)
    try:
        with _Outputs(out_dir, [interface.name for interface in graph.interfaces]) as outputs:
            for number, (interface, packet) in enumerate(merge_captures(graph, inputs), start=1):
                for out, frame in interpreter.receive(interface, packet.data, packet.time):
                    outputs.write(out, CapturedPacket(packet.time, frame))
                progress(number)
            report = interpreter.finish()
            outputs.keep()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError((CaptureNotWritable(span=start_of(out_dir), reason=reason),)) from error
    return report


def merge_captures(graph: ChainGraph, inputs: Mapping[str, Path]) -> Iterator[tuple[str, CapturedPacket]]:
    """Yield the frames of captures by time stamp, each with its interface."""
    order = {interface.name: number for number, interface in enumerate(graph.interfaces)}
    names = sorted(inputs, key=order.__getitem__)
    streams = [_named(name, inputs[name]) for name in names]
    # `merge` compares the next frame of each stream, and of equal ones takes the earlier stream's.
    return heapq.merge(*streams, key=lambda item: item[1].time)


def _named(name: str, path: Path) -> Iterator[tuple[str, CapturedPacket]]:
    return ((name, packet) for packet in read_capture(path))


class _Outputs:
    """The output files, under other names until they are whole."""

    def __init__(self, out_dir: Path, interfaces: Iterable[str]) -> None:
        self._paths = {name: out_dir / f"{name}.pcap" for name in interfaces}
        self._files = ExitStack()
        self._writers: dict[str, CaptureWriter] = {}
        out_dir.mkdir(parents=True, exist_ok=True)

    def __enter__(self) -> "_Outputs":
        for name, path in self._paths.items():
            file = self._files.enter_context(self._unfinished(path).open("wb"))
            self._writers[name] = CaptureWriter(file)
        return self

    def write(self, interface: str, packet: CapturedPacket) -> None:
        self._writers[interface].write(packet)

    def keep(self) -> None:
        """Give the files their names."""
        self._files.close()
        for path in self._paths.values():
            self._unfinished(path).replace(path)

    def __exit__(self, *_: object) -> None:
        self._files.close()
        for path in self._paths.values():
            self._unfinished(path).unlink(missing_ok=True)

    @staticmethod
    def _unfinished(path: Path) -> Path:
        return path.with_name(f".{path.name}.{os.getpid()}")
