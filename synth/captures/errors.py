"""What can be wrong with a capture. It has no lines: places are told by their byte."""

from dataclasses import dataclass
from typing import ClassVar

from synth.diagnostics.diagnostic import Diagnostic


@dataclass(frozen=True, kw_only=True)
class CaptureNotReadable(Diagnostic):
    code: ClassVar[str] = "E800"
    title: ClassVar[str] = "cannot read this capture: {reason}"

    reason: str


@dataclass(frozen=True, kw_only=True)
class CaptureNotWritable(Diagnostic):
    code: ClassVar[str] = "E806"
    title: ClassVar[str] = "cannot write captures here: {reason}"

    reason: str


@dataclass(frozen=True, kw_only=True)
class NotACapture(Diagnostic):
    code: ClassVar[str] = "E801"
    title: ClassVar[str] = "this is not a capture: it begins with {begins}"
    help: ClassVar[str] = "pcap and pcapng files can be read, uncompressed"

    begins: str


@dataclass(frozen=True, kw_only=True)
class UnknownCaptureFormat(Diagnostic):
    code: ClassVar[str] = "E802"
    title: ClassVar[str] = "byte {offset}: {what} is not known; {known} is"

    offset: int
    what: str
    known: str


@dataclass(frozen=True, kw_only=True)
class DamagedCapture(Diagnostic):
    code: ClassVar[str] = "E803"
    title: ClassVar[str] = "the capture is damaged at byte {offset}: {what}"

    offset: int
    what: str


@dataclass(frozen=True, kw_only=True)
class NotEthernet(Diagnostic):
    code: ClassVar[str] = "E804"
    title: ClassVar[str] = "byte {offset}: packets of link type {number} ({name}), only Ethernet can be run"

    offset: int
    number: int
    name: str


@dataclass(frozen=True, kw_only=True)
class TimeOutOfReach(Diagnostic):
    code: ClassVar[str] = "E805"
    title: ClassVar[str] = "byte {offset}: the time stamp lies outside 1970 to 2262"

    offset: int
