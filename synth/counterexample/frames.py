"""Frames from Z3's models, and frames in words."""

import struct

from synth.net.addresses import print_ipv4, print_ipv6, print_mac
from synth.net.fields import FIELDS
from synth.net.frame import IPV6_PROTOCOLS, Rejected, admit, field_reader, write_frame
from synth.net.ipv6 import DESTINATION, EXTENSIONS, FRAGMENT, HOP_BY_HOP, ROUTING
from synth.proof.witness import Witness
from synth.traffic.frames import Frame
from synth.traffic.frames6 import Frame6, fragment, options, routing

NO_NEXT_HEADER = 59  # IANA
UNKNOWN_ETHERTYPE = 0x88B5  # IEEE 802, for local experiments


def frame_of(witness: Witness) -> bytes | None:
    """Return a frame with a model's kind and fields, its checksums right, or None if there is none."""
    present, fields = witness.present, witness.fields
    base = _base(witness)
    admitted = admit(base)
    if isinstance(admitted, Rejected):
        return None
    writes = {
        path: value
        for path, value in fields.items()
        if FIELDS[path].is_writable and FIELDS[path].header in admitted.present & present
    }
    return write_frame(admitted, writes)


def _base(witness: Witness) -> bytes:
    present, fields = witness.present, witness.fields
    tags = (0,) * (("vlan" in present) + ("vlan_inner" in present))
    if "ipv4" in present:
        return _ipv4_base(witness, tags)
    if "ipv6" in present:
        return _ipv6_base(witness, tags)
    head = bytes(12) + b"".join(struct.pack("!HH", 0x8100, tag) for tag in tags)
    if "arp" in present:
        return head + bytes.fromhex("0806000108000604") + bytes(38)
    ethertype = fields["eth.type"]
    is_other = ethertype >= 1536 and ethertype not in (0x0800, 0x0806, 0x86DD, 0x8100, 0x88A8)
    return head + struct.pack("!H", ethertype if is_other else UNKNOWN_ETHERTYPE) + bytes(46)


def _ipv4_base(witness: Witness, tags: tuple[int, ...]) -> bytes:
    fields = witness.fields
    offset, more = fields["ipv4.fragment_offset"], fields["ipv4.mf"]
    return Frame(
        0,
        0,
        fields["ipv4.protocol"],
        dport=fields.get("icmp.type", 0),
        fragment=offset | more << 13,
        options=b"\x01" * 4 * (fields["ipv4.ihl"] - 5),
        vlans=tags,
    ).encode()


def _ipv6_base(witness: Witness, tags: tuple[int, ...]) -> bytes:
    """Return a frame of the kind, with the first extension header that the model asks for."""
    present, first = witness.present, witness.fields["ipv6.next_header"]
    chain = [options(first)] if first in (HOP_BY_HOP, DESTINATION) else []
    chain += [routing(0)] if first == ROUTING else []
    if "fragment" in present:
        chain.append(fragment(8 * ("later_fragment" in present), 1, is_last=False))
    elif first == FRAGMENT:
        chain.append(fragment(0, 1, is_last=True))
    protocols = (number for number, word in IPV6_PROTOCOLS.items() if word in present)
    protocol = next(protocols, NO_NEXT_HEADER if first in EXTENSIONS else first)
    kind = witness.fields.get("icmpv6.type", 0)
    return Frame6(0, 0, protocol, dport=kind, extensions=tuple(chain), vlans=tags).encode()


def describe(data: bytes) -> str:
    """Return a frame in words: what it is, and where from and to."""
    admitted = admit(data)
    if isinstance(admitted, Rejected):
        return f"{len(data)} bytes, not admitted ({admitted.reason})"
    frame, kind = admitted.data, admitted.kind
    words = [f"{len(data)} bytes", *(["vlan"] * kind.vlan_tags)]
    if kind.l3 not in ("ipv4", "ipv6"):
        name = "ARP" if kind.l3 == "arp" else "not IP"
        return ", ".join([*words, name, f"from {_mac(frame[6:12])} to {_mac(frame[:6])}"])
    at = admitted.l3
    if kind.l3 == "ipv4":
        ends = [print_ipv4(int.from_bytes(frame[at + place : at + place + 4], "big")) for place in (12, 16)]
        next_protocol, life = frame[at + 9], f"ttl {frame[at + 8]}"
    else:
        ends = [
            f"[{print_ipv6(int.from_bytes(frame[at + place : at + place + 16], 'big'))}]" for place in (8, 24)
        ]
        next_protocol, life = frame[at + 6], f"hop limit {frame[at + 7]}"
    if kind.l4 in ("tcp", "udp"):
        ports = struct.unpack_from("!HH", frame, admitted.l4)
        ends = [f"{address}:{port}" for address, port in zip(ends, ports, strict=True)]
    if kind.fragment != "whole":
        words.append(f"{kind.fragment} fragment")
    protocol = {"none": f"protocol {next_protocol}"}.get(kind.l4, kind.l4)
    return ", ".join([*words, protocol, f"from {ends[0]} to {ends[1]}", life])


def differing_fields(one: bytes, other: bytes) -> list[str]:
    """Return in words what differs between two frames: header fields, or else bytes."""
    first, second = admit(one), admit(other)
    if isinstance(first, Rejected) or isinstance(second, Rejected) or first.present != second.present:
        return ["what they are"]
    found = []
    for path, field in FIELDS.items():
        if field.header in first.present:
            read = field_reader(path)
            if (old := read(first)) != (new := read(second)):
                found.append(f"{path} ({old:#x}, {new:#x})")
    places = [str(at) for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b]
    return found or [f"bytes {' '.join(places)}"]


def _mac(octets: bytes) -> str:
    return print_mac(int.from_bytes(octets, "big"))
