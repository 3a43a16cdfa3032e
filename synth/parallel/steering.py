"""What a core is chosen by: which header fields go into the hash, and where in its input they stand.

Roles name the fields independently of the packet's kind: an ICMP echo has its identifier in the place of
both ports, as `flow(pkt)` has it; ARP's addresses stand for IPv4's. The NIC hashes what it can; other kinds
are hashed by the core that receives them, with the same key, and handed over.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from synth.net.fields import FIELDS
from synth.net.kinds import Kind
from synth.parallel.plan import PacketClass, Role
from synth.parallel.units import Unit

WIDTHS: Mapping[Role, int] = {
    "src": 32, "dst": 32, "sport": 16, "dport": 16, "eth.src": 48, "eth.dst": 48,
}  # fmt: skip
Roles = tuple[Role, ...]
HashClass = PacketClass | Literal["none"]
By = Literal["nic", "software"]


def field_of(role: Role, kind: Kind) -> str | None:
    """Return the header field that has a role in packets of a kind."""
    match role:
        case "src" | "dst":
            arp = {"src": "arp.sender_ip", "dst": "arp.target_ip"}[role]
            return {"ipv4": f"ipv4.{role}", "ipv6": None, "arp": arp, "none": None}[kind.l3]
        case "sport" | "dport":
            if kind.l4 == "icmp_echo":
                return "icmp_echo.id"
            return f"l4.{role}" if kind.l4 in ("tcp", "udp") else None
        case _:
            return role


def hash_class(kind: Kind, vlan_tags: int) -> HashClass:
    """Return how a NIC that looks behind at most so many VLAN tags classifies packets of a kind."""
    if kind.l3 != "ipv4" or kind.vlan_tags > vlan_tags:
        return "none"
    if kind.fragment != "whole":
        return "fragment"
    return kind.l4 if kind.l4 in ("tcp", "udp") else "other"


@dataclass(frozen=True, slots=True)
class Hashing:
    """How one kind of packets on an interface is hashed: the roles, in order, closely packed, and by whom."""

    roles: Roles
    by: By

    def input(self, kind: Kind) -> tuple[tuple[str, int], ...]:
        """Return the fields and their first bit in the hash's input; a role that the kind lacks is zeros."""
        found, place = [], 0
        for role in self.roles:
            path = field_of(role, kind)
            if path is not None:
                found.append((path, place))
            place += WIDTHS[role]
        return tuple(found)

    @property
    def width(self) -> int:
        """The input's size in bits."""
        return sum(WIDTHS[role] for role in self.roles)


@dataclass(frozen=True, slots=True)
class Steering:
    """The hashing of every unit."""

    by_unit: Mapping[Unit, Hashing]

    def key_bits(self, interface: str) -> int:
        """Return how many key bits of an interface can matter."""
        widths = [hashing.width for unit, hashing in self.by_unit.items() if unit.interface == interface]
        return max(widths, default=0) + 31


def field_width(path: str) -> int:
    """Return a field's size in bits."""
    return FIELDS[path].width
