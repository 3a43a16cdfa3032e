"""A chain on a bench: frames in, frames out, counters. The interpreter runs it, or its binary does."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from synth.language.checker import check_file
from synth.lower import lower
from tests.chains.machines import Engine, Sent, make_machine
from tests.frames import Frame

CHAINS = Path(__file__).resolve().parents[2] / "chains"
SECOND = 1_000_000_000
on_both_engines = pytest.mark.parametrize("engine", ["interpreter", "native"])
"""Takes the place of the `engine` fixture, which is the interpreter."""


class Bench:
    """A running chain. Time is in seconds and stands still until it is set."""

    def __init__(
        self, path: Path, *, overrides: tuple[str, ...] = (), engine: Engine = "interpreter"
    ) -> None:
        chain = check_file(path, overrides=overrides).chain
        assert chain is not None
        self._machine = make_machine(lower(chain), engine)

    def send(self, interface: str, frame: Frame | bytes, at: float = 0) -> list[tuple[str, bytes]]:
        """Let a frame arrive, and return what leaves: (interface, frame), in order."""
        (sent,) = self.send_all([(interface, frame)], at)
        return sent

    def send_all(self, frames: Sequence[tuple[str, Frame | bytes]], at: float = 0) -> list[Sent]:
        """Let frames arrive at interfaces, one after another, and return what leaves for each."""
        return self._machine.receive(
            [
                (interface, frame.encode() if isinstance(frame, Frame) else frame, round(at * SECOND))
                for interface, frame in frames
            ]
        )

    def passes(self, interface: str, frame: Frame | bytes, at: float = 0) -> bytes:
        """Let a frame arrive that must leave once, and return it."""
        ((_, sent),) = self.send(interface, frame, at)
        return sent

    @property
    def drops(self) -> dict[str, int]:
        """The drop counters that are not zero."""
        return dict(self._machine.report().drops)

    @property
    def counters(self) -> dict[str, int]:
        """The NFs' own counters that are not zero."""
        return {name: count for name, count in self._machine.report().counters.items() if count}


def assert_idle_time(bench: Bench, there: Frame, back: Frame, idle: int) -> None:
    """Fail unless an entry that `there` makes on lan, for `back` on wan, lives for its idle time.

    A packet of either direction keeps it alive until just before the end, and not for longer.
    """
    start = 2 + idle
    bench.passes("lan", there, at=0)
    bench.passes("lan", there, at=2)
    assert bench.send("wan", back, at=start) == []
    bench.passes("lan", there, at=start)
    bench.passes("wan", back, at=start + idle - 1)
    bench.passes("wan", back, at=start + 2 * (idle - 1))
    bench.passes("lan", there, at=start + 3 * (idle - 1))
    bench.passes("wan", back, at=start + 4 * (idle - 1))
    assert bench.send("wan", back, at=start + 5 * idle - 4) == []


def put_between(tmp_path: Path, nf: str, arguments: str = "", *, engine: Engine = "interpreter") -> Bench:
    """Return a bench with one NF of the library, `nf`, between the interfaces lan and wan."""
    return make_bench(
        tmp_path,
        f"""
        use nf: {nf}

        chain bench {{
            interface lan {{ mac 02:00:00:00:00:01 }}
            interface wan {{ mac 02:00:00:00:00:02 }}
            nf = {nf}({arguments})
            lan <-> nf <-> wan
        }}
        """,
        engine=engine,
    )


def make_bench(tmp_path: Path, text: str, *, engine: Engine = "interpreter") -> Bench:
    """Return a bench with a chain of one's own."""
    path = tmp_path / "bench.chain"
    path.write_text(text)
    return Bench(path, engine=engine)
