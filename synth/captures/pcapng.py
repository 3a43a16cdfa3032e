"""pcapng files: sections of any byte order, interfaces with their own clocks (draft-ietf-opsawg-pcapng)."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from synth.captures.source import ByteOrder, CapturedPacket, Source

_SECTION = 0x0A0D0D0A
SECTION_MAGIC = struct.pack("<I", _SECTION)
_BLOCK_TYPES: dict[int, Literal["interface", "old packet", "simple packet", "packet"]] = {
    1: "interface", 2: "old packet", 3: "simple packet", 6: "packet",
}  # fmt: skip
_IF_TSRESOL, _IF_TSOFFSET = 9, 14
_LARGEST_BLOCK = 16 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _CaptureInterface:
    """An interface of a section: its times count from `offset` (ns), `ticks` to the second."""

    link_type: int
    snap_length: int
    ticks: int = 10**6
    offset: int = 0


def read_pcapng(source: Source) -> Iterator[CapturedPacket]:
    order = _read_section(source)
    interfaces: list[_CaptureInterface] = []
    while (head := source.take_or_end(4, "a block header")) is not None:
        if head == SECTION_MAGIC:
            order, interfaces = _read_section(source), []
            continue
        block = _Block(source, order, _read_block(source, order))
        match _BLOCK_TYPES.get(struct.unpack(f"{order}I", head)[0]):
            case "interface":
                interfaces.append(_interface(block))
            case "packet":
                yield _packet(block, "IIIII", interfaces)
            case "old packet":
                yield _packet(block, "HxxIIII", interfaces)
            case "simple packet":
                yield _simple_packet(block, interfaces)
            case None:
                pass


def _read_section(source: Source) -> ByteOrder:
    """Read a section header block behind its type, and return the section's byte order."""
    size_field, order_magic = source.take(4, "a section header"), source.take(4, "a section header")
    order: ByteOrder = "<" if order_magic == b"\x4d\x3c\x2b\x1a" else ">"
    if order == ">" and order_magic != b"\x1a\x2b\x3c\x4d":
        raise source.unknown(f"the byte-order magic {order_magic.hex(' ')}", "1a 2b 3c 4d in either order")
    body = _read_block_body(source, order, size_field, already=order_magic)
    _, major, minor = struct.unpack_from(f"{order}IHH", body.ljust(8, b"\0"))
    # Version 1.2 is what 1.0 is, written by some old programs.
    if (major, minor) not in ((1, 0), (1, 2)):
        raise source.unknown(f"pcapng version {major}.{minor}", "1.0")
    return order


def _read_block(source: Source, order: ByteOrder) -> bytes:
    return _read_block_body(source, order, source.take(4, "a block header"), already=b"")


def _read_block_body(source: Source, order: ByteOrder, size_field: bytes, *, already: bytes) -> bytes:
    """Read the rest of a block, of which the type, the size and `already` are read."""
    (size,) = struct.unpack(f"{order}I", size_field)
    if size % 4 or not 12 + len(already) <= size <= _LARGEST_BLOCK:
        raise source.damaged(f"a block of {size} bytes")
    body = already + source.take(size - 12 - len(already), "a block")
    if source.take(4, "a block") != size_field:
        raise source.damaged("a block's size differs at its end")
    return body


@dataclass(frozen=True, slots=True)
class _Block:
    """A block's contents, and how to read them."""

    source: Source
    order: ByteOrder
    body: bytes

    def numbers(self, form: str) -> tuple[int, ...]:
        """Read the numbers that the block begins with.

        Raises:
            UserError: when it is too short for them.
        """
        layout = struct.Struct(self.order + form)
        if len(self.body) < layout.size:
            raise self.source.damaged("a block too short for its type")
        numbers: tuple[int, ...] = layout.unpack_from(self.body)
        return numbers

    def part(self, start: int, size: int) -> bytes:
        """Return so many bytes of the body."""
        self.source.check_size(size)
        if len(self.body) < start + size:
            raise self.source.damaged(f"a packet of {size} bytes in a block of {len(self.body) + 12}")
        return self.body[start : start + size]


def _interface(block: _Block) -> _CaptureInterface:
    link_type, snap_length = block.numbers("HxxI")
    interface = _CaptureInterface(link_type, snap_length)
    for code, value in _options(block, 8):
        if code == _IF_TSRESOL and len(value) == 1:
            base, power = (2, value[0] & 127) if value[0] & 128 else (10, value[0])
            interface = replace(interface, ticks=base**power)
        if code == _IF_TSOFFSET and len(value) == 8:
            seconds: int = struct.unpack(f"{block.order}q", value)[0]
            interface = replace(interface, offset=seconds * 10**9)
    return interface


def _options(block: _Block, start: int) -> Iterator[tuple[int, bytes]]:
    at = start
    while at + 4 <= len(block.body):
        code, size = struct.unpack_from(f"{block.order}HH", block.body, at)
        if at + 4 + size > len(block.body):
            raise block.source.damaged(f"an option of {size} bytes goes beyond its block")
        yield code, block.body[at + 4 : at + 4 + size]
        at += 4 + (size + 3) // 4 * 4


def _find_interface(block: _Block, number: int, interfaces: list[_CaptureInterface]) -> _CaptureInterface:
    if number >= len(interfaces):
        raise block.source.damaged(f"a packet of interface {number}, which is not described before it")
    block.source.check_link_type(interfaces[number].link_type)
    return interfaces[number]


def _packet(block: _Block, form: str, interfaces: list[_CaptureInterface]) -> CapturedPacket:
    number, high, low, size, _ = block.numbers(form)
    interface = _find_interface(block, number, interfaces)
    time = interface.offset + (high << 32 | low) * 10**9 // interface.ticks
    return block.source.captured(time, block.part(20, size))


def _simple_packet(block: _Block, interfaces: list[_CaptureInterface]) -> CapturedPacket:
    """A packet of the first interface, without a time: it is given the earliest one."""
    (wire_size,) = block.numbers("I")
    interface = _find_interface(block, 0, interfaces)
    size = min(wire_size, interface.snap_length) if interface.snap_length else wire_size
    return block.source.captured(0, block.part(4, size))
