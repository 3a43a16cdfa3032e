"""Captures: reading pcap and pcapng files, writing nanosecond pcap files.

The two formats are a few structures, read here directly: the Python libraries for them give times as
floats, know one pcapng interface only, or are under another licence. Here times are integers, each packet
has its own interface's link type and clock, and what is wrong is told with its place.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from synth.captures.errors import CaptureNotReadable, NotACapture
from synth.captures.pcap import PCAP_FORMATS, CaptureWriter, read_pcap
from synth.captures.pcapng import SECTION_MAGIC, read_pcapng
from synth.captures.source import CapturedPacket, Source, start_of
from synth.diagnostics.diagnostic import UserError

__all__ = ["CaptureWriter", "CapturedPacket", "read_capture", "write_capture"]


def read_capture(path: Path) -> Iterator[CapturedPacket]:
    """Read the Ethernet frames of a pcap or pcapng file, one by one, in file order.

    Raises:
        UserError: when the file cannot be read, is damaged (everything before the damage has been
            yielded then), or holds packets of another link type.
    """
    try:
        with path.open("rb") as file:
            source = Source(path, file)
            magic = source.take(4, "the file's first bytes")
            if magic == SECTION_MAGIC:
                yield from read_pcapng(source)
            elif magic in PCAP_FORMATS:
                yield from read_pcap(source, PCAP_FORMATS[magic])
            else:
                raise UserError((NotACapture(span=start_of(path), begins=magic.hex(" ")),))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UserError((CaptureNotReadable(span=start_of(path), reason=reason),)) from error


def write_capture(path: Path, packets: Iterable[CapturedPacket]) -> None:
    """Write frames to a pcap file of nanosecond times.

    Raises:
        OSError: when the file cannot be written.
    """
    with path.open("wb") as file:
        writer = CaptureWriter(file)
        for packet in packets:
            writer.write(packet)
