"""pcap files: all byte orders, microsecond and nanosecond times (draft-ietf-opsawg-pcap)."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from synth.captures.source import (
    END_OF_TIME,
    ETHERNET,
    LARGEST_PACKET,
    ByteOrder,
    CapturedPacket,
    Source,
)


@dataclass(frozen=True, slots=True)
class PcapFormat:
    """How a magic number says that a file is written; `unit` is the sub-second unit in ns."""

    order: ByteOrder
    unit: int
    is_modified: bool = False


PCAP_FORMATS = {
    struct.pack(f"{order}I", magic): PcapFormat(order, unit, is_modified)
    for order in ("<", ">")
    for magic, unit, is_modified in (
        (0xA1B2C3D4, 1000, False),
        (0xA1B23C4D, 1, False),
        (0xA1B2CD34, 1000, True),  # Alexey Kuznetzov's, with 8 more bytes in each record header
    )
}


def read_pcap(source: Source, form: PcapFormat) -> Iterator[CapturedPacket]:
    header = struct.unpack(f"{form.order}HHIIII", source.take(20, "the file header"))
    major, minor, snap_length, link_field = header[0], header[1], header[4] or LARGEST_PACKET, header[5]
    if (major, minor) != (2, 4):
        raise source.unknown(f"pcap version {major}.{minor}", "2.4")
    if link_field & 0x03FF0000:
        raise source.unknown(f"a link type with reserved bits, 0x{link_field:08x},", "one without")
    source.record = 20
    source.check_link_type(link_field & 0xFFFF)
    record = struct.Struct(f"{form.order}IIII8x" if form.is_modified else f"{form.order}IIII")
    while (head := source.take_or_end(record.size, "a record header")) is not None:
        seconds, fraction, size, _ = record.unpack(head)
        source.check_size(size)
        # As libpcap does, with files whose records are longer than their header says.
        data = source.take(size, "a packet")[:snap_length]
        # libpcap reads the part of a second as a signed number; only a damaged file has a larger one.
        time = seconds * 10**9 + fraction * form.unit if fraction < 1 << 31 else END_OF_TIME
        yield source.captured(time, data)


class CaptureWriter:
    """Writes frames to a pcap file of nanosecond times."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        file.write(struct.pack("<IHHIIII", 0xA1B23C4D, 2, 4, 0, 0, LARGEST_PACKET, ETHERNET))

    def write(self, packet: CapturedPacket) -> None:
        """Append a frame. Seconds have 32 bits there: later than February 2106, they wrap."""
        seconds, fraction = divmod(packet.time, 10**9)
        size = len(packet.data)
        self._file.write(struct.pack("<IIII", seconds & 0xFFFFFFFF, fraction, size, size) + packet.data)
