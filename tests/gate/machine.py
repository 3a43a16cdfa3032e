"""A synthesized, proved chain as its binary: frames in, frames out, what each frame became."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from synth.captures import CapturedPacket, read_capture, write_capture
from synth.driver import BuildOptions, Source, build, load
from synth.native import replay
from synth.reports import BuildReport, RunReport
from tests.frames import Frame

SECOND = 1_000_000_000
CHAINS = Path(__file__).parent / "chains"

Sent = tuple[str, Frame | bytes] | tuple[str, Frame | bytes, float]
"""An interface, a frame, and the second in which it arrives: that of the one before, if not given."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a sequence of frames: for each, what left because of it; the counters of all."""

    left: tuple[tuple[tuple[str, bytes], ...], ...]
    report: RunReport

    @property
    def drops(self) -> Mapping[str, int]:
        """The drop counters that are not zero."""
        return self.report.drops


@dataclass(frozen=True, slots=True)
class Machine:
    """The binary of a synthesized chain, and the report of its build."""

    report: BuildReport
    interfaces: tuple[str, ...]
    folder: Path

    def receive(self, *sent: Sent) -> Outcome:
        """Start the binary, let frames arrive one after another, and return what they became.

        Each arrives 1 ns after the one before at least: by the time stamps of what left it is told
        which frame caused it.
        """
        times = _times(sent)
        inputs = {name: self.folder / f"in_{name}.pcap" for name in self.interfaces}
        for name, path in inputs.items():
            packets = [
                CapturedPacket(time, _data(one[1]))
                for time, one in zip(times, sent, strict=True)
                if one[0] == name
            ]
            write_capture(path, packets)
        assert self.report.binary is not None
        result = replay(Path(self.report.binary), inputs, self.folder / "out")
        left: dict[int, list[tuple[str, bytes]]] = {time: [] for time in times}
        for name in self.interfaces:
            for packet in read_capture(self.folder / "out" / f"{name}.pcap"):
                left[packet.time].append((name, packet.data))
        assert result.report.is_balanced
        return Outcome(tuple(tuple(left[time]) for time in times), result.report)


def _times(sent: Sequence[Sent]) -> list[int]:
    times: list[int] = []
    for one in sent:
        earliest = times[-1] + 1 if times else 0
        times.append(max(round(one[2] * SECOND), earliest) if len(one) == 3 else earliest)
    return times


def _data(frame: Frame | bytes) -> bytes:
    return frame.encode() if isinstance(frame, Frame) else frame


def build_machine(source: Path, folder: Path) -> Machine:
    """Build a chain, synthesized; fails unless the proof holds and the synthesized chain is what is built."""
    report = build(Source(path=source), folder / "built", BuildOptions(), stage=lambda _: nullcontext())
    assert report.proof is not None
    assert report.proof.is_proved, report.proof.failures
    assert report.form == "synthesized and proved"
    interfaces = load(Source(path=source)).graph.interfaces
    return Machine(report, tuple(interface.name for interface in interfaces), folder)
