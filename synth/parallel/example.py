"""An example of two packets that must meet, in words: a solution of a relation's equations."""

from functools import reduce
from ipaddress import IPv4Address

from synth.net.fields import FIELDS
from synth.parallel.gf2 import Rows, bits
from synth.parallel.linear import OFFSETS
from synth.parallel.relations import SIZE, Relation
from synth.parallel.steering import field_of
from synth.parallel.units import Unit
from synth.parallel.words import kind_word

PREFERRED: tuple[dict[str, int], ...] = (
    {
        "ipv4.src": 0xC6336407,
        "ipv4.dst": 0xCB007109,
        "l4.sport": 40000,
        "l4.dport": 443,
        "icmp_echo.id": 7,
        "eth.src": 0x02_00_00_00_0A_01,
        "eth.dst": 0x02_00_00_00_0A_02,
    },
    {
        "ipv4.src": 0xC0000205,
        "ipv4.dst": 0xC6336450,
        "l4.sport": 50001,
        "l4.dport": 8080,
        "icmp_echo.id": 9,
        "eth.src": 0x02_00_00_00_0B_01,
        "eth.dst": 0x02_00_00_00_0B_02,
    },
)
"""What the fields of either packet are where the equations leave them free (addresses of RFC 5737)."""


STATIONS = (1 << OFFSETS["eth.dst"] + 48) - (1 << OFFSETS["eth.src"])
"""The coordinates of both MAC addresses: they are shown where they count."""


def example_of(relation: Relation) -> tuple[str, str]:
    """Return two packets that a relation brings together, each in words."""
    wanted = 1
    for packet, fields in enumerate(PREFERRED):
        for path, value in fields.items():
            wanted |= _place(path, value) << packet * SIZE
    found = _nearest(relation.rows, wanted)
    one, other = relation.units
    told = reduce(int.__or__, relation.rows, 0)
    shows = bool((told | told >> SIZE) & STATIONS)
    return _words(one, found, shows_stations=shows), _words(other, found >> SIZE, shows_stations=shows)


def _place(path: str, value: int) -> int:
    """Return a field's value at its coordinates: the most significant bit first."""
    width = FIELDS[path].width
    return sum(1 << OFFSETS[path] + bit for bit in range(width) if value >> width - 1 - bit & 1)


def _nearest(rows: tuple[int, ...], wanted: int) -> int:
    """Return a solution of equations that differs from what is wanted in the leading coordinates only."""
    system = Rows()
    for row in rows:
        system.add(row)
    found = wanted
    for top, row in sorted(system.reduced().items()):
        if (row & found).bit_count() & 1:
            found ^= 1 << top
    return found


def _words(unit: Unit, coordinates: int, *, shows_stations: bool) -> str:
    kind = unit.kind
    parts = {}
    for role in ("src", "dst", "sport", "dport", "eth.src", "eth.dst"):
        path = field_of(role, kind)
        if path is not None:
            width = FIELDS[path].width
            value = coordinates >> OFFSETS[path] & (1 << width) - 1
            parts[role] = sum(1 << width - 1 - bit for bit in bits(value))
    ends = []
    for address, port in (("src", "sport"), ("dst", "dport")):
        if address in parts:
            text = str(IPv4Address(parts[address]))
            ends.append(f"{text}:{parts[port]}" if port in parts else text)
        else:
            ends.append("")
        if shows_stations or not ends[-1]:
            ends[-1] = f"{ends[-1]} {parts[f'eth.{address}'].to_bytes(6, 'big').hex(':')}".strip()
    return f"{kind_word(kind)} on {unit.interface}: {' -> '.join(ends)}"
