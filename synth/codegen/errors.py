"""What can go wrong between a chain graph and a binary (codes E6xx), and the toolchain's error."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from synth.diagnostics.diagnostic import Diagnostic, Severity


@dataclass(frozen=True, kw_only=True)
class TooManyEmissions(Diagnostic):
    """One received frame can cause more frames than a burst's buffer holds, or more work than is bounded."""

    code: ClassVar[str] = "E601"
    title: ClassVar[str] = "one frame received on `{interface}` can cause {what}"
    label: ClassVar[str] = "the emissions of all NFs behind it multiply"
    help: ClassVar[str] = "emit to fewer sides, or lower the chain's `budget`"

    interface: str
    what: str


@dataclass(frozen=True, kw_only=True)
class NotInC(Diagnostic):
    """The interpreter has it, C does not yet."""

    code: ClassVar[str] = "E602"
    title: ClassVar[str] = "{what} cannot be compiled to C yet"
    label: ClassVar[str] = "declared or used here"
    help: ClassVar[str] = "`synth run --engine interpreter` executes it"

    what: str


@dataclass(frozen=True, kw_only=True)
class NoCache(Diagnostic):
    """Compiled objects cannot be kept for later builds, which only costs time."""

    code: ClassVar[str] = "W610"
    severity: ClassVar[Severity] = "warning"
    title: ClassVar[str] = "compiled objects are not kept for later builds: {reason}"
    help: ClassVar[str] = "XDG_CACHE_HOME names the folder of caches, by default ~/.cache"

    reason: str


class ToolchainError(Exception):
    """A program of the C toolchain failed or is missing (exit code 4).

    Attributes:
        command: the command with its arguments, as one could type it again.
        output: what it printed, or what is missing and the command that mends it.
    """

    def __init__(self, command: Sequence[str], output: str) -> None:
        super().__init__(f"{' '.join(command)}\n{output}")
        self.command = tuple(command)
        self.output = output
