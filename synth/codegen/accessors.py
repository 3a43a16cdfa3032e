"""C functions that read and write header fields, made from the table of `net/fields.py`."""

from collections.abc import Iterator
from dataclasses import dataclass

from synth.codegen.expressions import storage_bits
from synth.graph.nodes import Bits
from synth.net.fields import FIELDS, HeaderField

_STARTS = {
    "eth": "PACKET_ETH(packet)",
    "vlan": "PACKET_VLAN_TCI(packet)",
    "vlan_inner": "PACKET_VLAN_INNER_TCI(packet)",
    "arp": "PACKET_L3(packet)",
    "ipv4": "PACKET_L3(packet)",
    "ipv6": "PACKET_L3(packet)",
    "l4": "PACKET_L4_HEADER(packet)",
    "tcp": "PACKET_L4_HEADER(packet)",
    "udp": "PACKET_L4_HEADER(packet)",
    "icmp": "PACKET_L4_HEADER(packet)",
    "icmp_echo": "PACKET_L4_HEADER(packet)",
    "icmpv6": "PACKET_L4_HEADER(packet)",
    "icmpv6_echo": "PACKET_L4_HEADER(packet)",
}
"""Where `runtime/packet.h` has each header's first byte."""

_UPDATES = {
    "none": (), "ipv4": ("ipv4",), "l4": ("l4",), "ipv4+pseudo": ("ipv4", "pseudo"), "pseudo": ("pseudo",),
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Accessor:
    """A field as a template prints it: its type, and the statements of its functions."""

    name: str
    path: str
    type: str
    load: str
    store: tuple[str, ...]


def accessor(path: str) -> Accessor:
    """Return the functions of a header field."""
    field = FIELDS[path]
    start, size = _container(field)
    shift = (start * 8 + size) - (field.bit_offset + field.width)
    at = _address(field, start)
    return Accessor(
        name=path.replace(".", "_"),
        path=path,
        type="bool" if field.kind == "bool" else f"uint{storage_bits(Bits(field.width))}_t",
        load=_loaded(field, at, size, shift),
        store=tuple(_stored(field, at, size, shift)) if field.is_writable else (),
    )


def _container(field: HeaderField) -> tuple[int, int]:
    """Return the first byte and the size in bits of what a field is loaded from.

    A field that a checksum covers is loaded in whole words of 16 bits from the header's start.
    """
    first, last = field.bit_offset // 8, (field.bit_offset + field.width - 1) // 8
    if field.covered_by != "none":
        first -= first % 2
    size = next(bits for bits in (8, 16, 32, 48, 64, 128) if (last - first + 1) * 8 <= bits)
    return first, max(size, 16) if field.covered_by != "none" else size


def _address(field: HeaderField, start: int) -> str:
    if field.path == "eth.type":
        return "PACKET_ETH_TYPE(packet)"
    return f"{_STARTS[field.header]} + {start}" if start else _STARTS[field.header]


def _loaded(field: HeaderField, at: str, size: int, shift: int) -> str:
    word = f"load{size}({at})"
    if field.width == size:
        return word
    shifted = f"{word} >> {shift}" if shift else word
    if shift + field.width < size:
        mask = (1 << field.width) - 1
        shifted = f"({shifted}) & {mask:#x}" if shift else f"{shifted} & {mask:#x}"
    if field.kind == "bool":
        return f"({shifted}) != 0"
    return f"(uint{storage_bits(Bits(field.width))}_t)({shifted})"


def _stored(field: HeaderField, at: str, size: int, shift: int) -> Iterator[str]:
    updates = _UPDATES[field.covered_by]
    is_whole = field.width == size
    if is_whole and not updates:
        yield f"store{size}({at}, value);"
        return
    yield f"uint8_t *const at = {at};"
    yield f"const uint{size}_t before = load{size}(at);"
    after = "value"
    if not is_whole:
        kept = (1 << size) - 1 & ~(((1 << field.width) - 1) << shift)
        moved = f"value << {shift}" if shift else "value"
        yield f"const uint{size}_t after = (uint{size}_t)((before & {kept:#x}) | ({moved}));"
        after = "after"
    yield f"store{size}(at, {after});"
    for update in updates:
        yield f"packet_update_{update}_checksum{size}(packet, before, {after});"
