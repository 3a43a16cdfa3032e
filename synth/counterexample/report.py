"""What a counterexample is, in words and as captures."""

from dataclasses import dataclass
from pathlib import Path

from synth.captures import CapturedPacket, write_capture
from synth.counterexample.frames import describe, differing_fields
from synth.proof.witness import Witness
from synth.reports import RunReport
from synth.traffic.random_traffic import Arrival

Left = tuple[tuple[str, bytes], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """What a graph does with a sequence: the frames that leave after each arrival, and its report.

    None in place of frames: the graph did something without a meaning, such as to read an entry that is not
    there; it has no report then.
    """

    left: tuple[Left | None, ...]
    report: RunReport | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """A short sequence of arrivals on which the graphs differ, the last one showing it.

    `claim` is what the proof failed to show, `witness` Z3's model of that, if it has one.
    """

    arrivals: tuple[Arrival, ...]
    written: Behaviour
    result: Behaviour
    claim: str
    witness: Witness | None

    def text(self) -> str:
        """Return it for a person."""
        start = self.arrivals[0].time
        lines = [f"could not show: {self.claim}", *_witness_lines(self.witness), "", "packets:"]
        for number, arrival in enumerate(self.arrivals, start=1):
            seconds = (arrival.time - start) / 1e9
            lines.append(f"  {number}. at {seconds:.9f} s on {arrival.interface}: {describe(arrival.data)}")
            sides = (("as written", self.written), ("synthesized", self.result))
            lines += [f"     {name:<12} {_outcome(side.left[number - 1])}" for name, side in sides]
            lines += _differing_fields(self.written.left[number - 1], self.result.left[number - 1])
        for name, side in (("as written", self.written), ("synthesized", self.result)):
            report = side.report.text() if side.report else "no report"
            lines += ["", f"{name}:", *(f"  {line}" for line in report.splitlines())]
        return "\n".join(lines) + "\n"

    def write(self, folder: Path) -> None:
        """Write the arrivals as `<interface>.pcap`, what they are in words as `counterexample.txt`.

        Raises:
            OSError: when a file cannot be written.
        """
        folder.mkdir(parents=True, exist_ok=True)
        for interface in dict.fromkeys(arrival.interface for arrival in self.arrivals):
            packets = (
                CapturedPacket(one.time, one.data) for one in self.arrivals if one.interface == interface
            )
            write_capture(folder / f"{interface}.pcap", packets)
        (folder / "counterexample.txt").write_text(self.text(), encoding="utf-8")


def _outcome(left: Left | None) -> str:
    if left is None:
        return "does something without a meaning"
    return "; ".join(f"{name}: {describe(data)}" for name, data in left) or "nothing leaves"


def _differing_fields(one: Left | None, other: Left | None) -> list[str]:
    pairs = zip(one or (), other or (), strict=False)
    return [
        f"     they differ in {', '.join(differing_fields(data, changed))}"
        for (_, data), (_, changed) in pairs
        if data != changed
    ]


def _witness_lines(witness: Witness | None) -> list[str]:
    if witness is None:
        return []
    fields = ", ".join(f"{path} {value:#x}" for path, value in witness.fields.items())
    headers = " ".join(sorted(witness.present))
    lines = [f"  Z3's packet has {headers}; {fields}"]
    return lines + [f"  Z3's state: {answer}" for answer in witness.answers]
