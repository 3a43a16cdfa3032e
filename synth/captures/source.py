"""A capture file that knows where it is, and what every format has in common."""

from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal

from synth.captures.errors import (
    DamagedCapture,
    NotEthernet,
    TimeOutOfReach,
    UnknownCaptureFormat,
)
from synth.diagnostics.diagnostic import UserError
from synth.diagnostics.spans import Span

ETHERNET = 1
LINK_TYPES = {
    0: "BSD loopback", 1: "Ethernet", 6: "Token Ring", 7: "ARCNET", 8: "SLIP", 9: "PPP", 10: "FDDI",
    50: "PPP in HDLC framing", 51: "PPPoE session", 101: "raw IP", 104: "Cisco HDLC", 105: "Wi-Fi",
    108: "OpenBSD loopback", 113: "Linux cooked capture", 127: "Wi-Fi with radiotap header",
    192: "per-packet information", 228: "raw IPv4", 229: "raw IPv6", 276: "Linux cooked capture v2",
}  # fmt: skip
LARGEST_PACKET = 262_144
"""Bytes that a record may hold, as in libpcap (MAXIMUM_SNAPLEN)."""
END_OF_TIME = 1 << 63
"""Time stamps, in ns since 1970, stay below this (the year 2262), so that signed 64 bits hold them."""

ByteOrder = Literal["<", ">"]


@dataclass(frozen=True, slots=True)
class CapturedPacket:
    """A frame as captured: its bytes (fewer than on the wire when it was cut) and its time in ns."""

    time: int
    data: bytes


class Source:
    """A file that knows where it is."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self._file = file
        self.span = start_of(path)
        self.offset = 0
        self.record = 0

    def take(self, size: int, what: str) -> bytes:
        """Read exactly so many bytes.

        Raises:
            UserError: when the file ends before them.
        """
        data = self._file.read(size)
        if len(data) < size:
            raise self.damaged(f"the file ends in {what}")
        self.offset += size
        return data

    def take_or_end(self, size: int, what: str) -> bytes | None:
        """Read so many bytes, or return None at the very end of the file."""
        self.record = self.offset
        first = self._file.read(1)
        if not first:
            return None
        self.offset += 1
        return first + self.take(size - 1, what)

    def damaged(self, what: str) -> UserError:
        return UserError((DamagedCapture(span=self.span, offset=self.offset, what=what),))

    def unknown(self, what: str, known: str) -> UserError:
        return UserError((UnknownCaptureFormat(span=self.span, offset=self.record, what=what, known=known),))

    def captured(self, time: int, data: bytes) -> CapturedPacket:
        if not 0 <= time < END_OF_TIME:
            raise UserError((TimeOutOfReach(span=self.span, offset=self.record),))
        return CapturedPacket(time, data)

    def check_link_type(self, number: int) -> None:
        if number != ETHERNET:
            name = LINK_TYPES.get(number, "not known here")
            raise UserError((NotEthernet(span=self.span, offset=self.record, number=number, name=name),))

    def check_size(self, size: int) -> None:
        if size > LARGEST_PACKET:
            raise self.damaged(f"a packet of {size} bytes (at most {LARGEST_PACKET} are possible)")


def start_of(path: Path) -> Span:
    """Return the place that stands for a whole file."""
    return Span(str(path), 1, 1, 1, 1)
