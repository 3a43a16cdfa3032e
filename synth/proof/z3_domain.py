"""The Z3 domain: a scalar is a term, a packet is a row of unknowns with the fields written so far.

Bits are bit-vectors and truth values are Booleans. A branch goes both ways, each with its path
condition, unless the condition is a constant or a `prune` function shows that a way is impossible.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import z3

from synth.graph.evaluator.domain import Handle
from synth.graph.nodes import BinaryOp, Bits, Bool, Type, UnaryOp
from synth.net.fields import FIELDS, HeaderField
from synth.net.frame import ICMPV6_ECHO_TYPES, IPV6_PROTOCOLS
from synth.net.icmp import HEADERS_BYTES, ICMP_ERRORS, MOST_BYTES, TTL, TYPE_OF_SERVICE
from synth.net.ipv6 import EXTENSIONS
from synth.net.kinds import HEADERS, UNIVERSE

Term = Any
"""A Z3 expression; Z3 publishes no types."""
Condition = tuple[Term, ...]
"""A conjunction, in the order in which it came about."""
Prune = Callable[[Condition], bool]
"""Tells whether a path condition is impossible for certain. *Unknown* is no."""

CRC32C_REFLECTED = 0x82F63B78
LENGTH_WIDTH = 32
TCP_FLAGS = ("tcp.cwr", "tcp.ece", "tcp.urg", "tcp.ack", "tcp.psh", "tcp.rst", "tcp.syn", "tcp.fin")

# ---------------------------------------------------------------- packets


@dataclass(frozen=True, slots=True)
class SymbolicPacket:
    """A packet value: the unknowns of the packet that came in or was made, and the fields written since.

    Attributes:
        origin: what it was before anything was written. Packets of one origin have the same `has`,
            `fields`, `length` and payload, and are the same when what is written to them is.
        has: a Boolean for each word of `HEADERS`.
        fields: a term for each field of `FIELDS`; it means something where the header is there.
        length: the frame's length.
    """

    origin: str
    has: Mapping[str, Term]
    fields: Mapping[str, Term]
    length: Term
    writes: Mapping[str, Term] = field(default_factory=dict)

    def current(self, path: str) -> Term:
        """Return a field's value as it is now."""
        return self.writes.get(path, self.fields[path])

    def rule_inputs(self) -> tuple[Term, ...]:
        """Return all that a rule can ask: src, dst, protocol, has ports, sport, dport, has flags, flags.

        Ports and flags of a packet that has none are zero.
        """
        none = z3.BitVecVal(0, 16)
        flags = z3.Concat(*(_as_bits(self.current(path), 1) for path in TCP_FLAGS), z3.BitVecVal(0, 8))
        icmp = z3.Concat(self.current("icmp.type"), self.current("icmp.code"))
        return (
            *(self.current(f"ipv4.{name}") for name in ("src", "dst", "protocol")),
            self.has["l4"],
            *(z3.If(self.has["l4"], self.current(f"l4.{name}"), none) for name in ("sport", "dport")),
            z3.Or(self.has["tcp"], self.has["icmp"]),
            z3.If(self.has["tcp"], flags, z3.If(self.has["icmp"], icmp, none)),
        )


def symbolic_packet(name: str) -> SymbolicPacket:
    """Return a packet of which nothing is known but its kind's consistency (`packet_laws`)."""
    return SymbolicPacket(
        origin=name,
        has={header: z3.Bool(f"{name}.has.{header}") for header in HEADERS},
        fields={path: _field_unknown(name, described) for path, described in FIELDS.items()},
        length=z3.BitVec(f"{name}.length", LENGTH_WIDTH),
    )


def _field_unknown(name: str, described: HeaderField) -> Term:
    if described.kind == "bool":
        return z3.Bool(f"{name}.{described.path}")
    return z3.BitVec(f"{name}.{described.path}", described.width)


QUOTED = "quoted"
"""The header, as it were, of what a made packet quotes: its `fields` are those of the quoted packet."""


def made_error(about: SymbolicPacket, error: str, source: Term, mtu: Term) -> SymbolicPacket:
    """Return the ICMP error about a packet (`synth.net.icmp`).

    All of its fields count as written, and so does what was written to the packet that it quotes: whatever
    may differ between two errors of one origin.
    """
    kind = ICMP_ERRORS[error]
    has = dict.fromkeys(HEADERS, z3.BoolVal(val=False)) | {
        word: z3.BoolVal(val=True) for word in ("eth", "ipv4", "icmp", QUOTED)
    }
    has |= {word: about.has[word] for word in ("vlan", "vlan_inner")}
    quoted = z3.If(
        z3.UGT(about.current("ipv4.length"), MOST_BYTES - HEADERS_BYTES),
        z3.BitVecVal(MOST_BYTES - HEADERS_BYTES, 16),
        about.current("ipv4.length"),
    )
    length = quoted + HEADERS_BYTES
    known = {
        "eth.type": 0x0800, "ipv4.ihl": 5, "ipv4.dscp": TYPE_OF_SERVICE >> 2, "ipv4.df": 1, "ipv4.ttl": TTL,
        "ipv4.protocol": 1, "icmp.type": kind.type, "icmp.code": kind.code,
    }  # fmt: skip
    writes = {
        path: constant(known.get(path, 0), described.width, is_bool=described.kind == "bool")
        for path, described in FIELDS.items()
    }
    writes |= {path: about.current(path) for path in FIELDS if FIELDS[path].header in ("vlan", "vlan_inner")}
    writes |= {"eth.dst": about.current("eth.src"), "eth.src": about.current("eth.dst")}
    writes |= {"ipv4.src": source, "ipv4.dst": about.current("ipv4.src"), "ipv4.length": length}
    writes |= {f"{QUOTED}.{path}": _where_present(about, path) for path in about.writes}
    tags = sum(
        z3.If(about.has[word], z3.BitVecVal(4, LENGTH_WIDTH), z3.BitVecVal(0, LENGTH_WIDTH))
        for word in ("vlan", "vlan_inner")
    )
    return SymbolicPacket(
        origin=f"{error} about {about.origin}",
        has=has,
        fields={
            **about.fields,
            **{f"{QUOTED}.{path}": term for path, term in about.fields.items()},
            MTU: z3.BitVecVal(0, 16),
        },
        length=z3.ZeroExt(LENGTH_WIDTH - 16, length) + tags + 14,
        writes=writes | {MTU: mtu},
    )


MTU = f"{QUOTED}.mtu"


def _where_present(packet: SymbolicPacket, path: str) -> Term:
    return z3.If(packet.has[FIELDS[path].header], packet.current(path), packet.fields[path])


def packet_laws(packet: SymbolicPacket) -> Condition:
    """Return what admission guarantees of a received packet.

    Its kind is one of `UNIVERSE`, and the fields that decide it, which nobody writes, agree with it.
    """
    has, fields = packet.has, packet.fields
    protocol, offset = fields["ipv4.protocol"], fields["ipv4.fragment_offset"]
    with_l4 = z3.And(has["ipv4"], z3.Not(has["later_fragment"]))
    return (
        _is_some_kind(has),
        z3.Implies(has["ipv4"], fields["eth.type"] == 0x0800),
        z3.Implies(has["arp"], fields["eth.type"] == 0x0806),
        z3.Implies(has["ipv4"], z3.UGE(fields["ipv4.ihl"], 5)),
        z3.Implies(has["ipv4"], z3.UGE(fields["ipv4.length"], z3.ZeroExt(12, fields["ipv4.ihl"]) * 4)),
        z3.Implies(has["ipv4"], has["later_fragment"] == (offset != 0)),
        z3.Implies(has["ipv4"], has["fragment"] == z3.Or(offset != 0, fields["ipv4.mf"])),
        z3.Implies(with_l4, has["tcp"] == (protocol == 6)),
        z3.Implies(with_l4, has["udp"] == (protocol == 17)),
        z3.Implies(with_l4, has["icmp"] == (protocol == 1)),
        z3.Implies(
            has["icmp"], has["icmp_echo"] == z3.Or(fields["icmp.type"] == 0, fields["icmp.type"] == 8)
        ),
        z3.Implies(has["tcp"], z3.UGE(fields["tcp.data_offset"], 5)),
        *_ipv6_laws(has, fields),
    )


def _ipv6_laws(has: Mapping[str, Term], fields: Mapping[str, Term]) -> Condition:
    """Return what the walk over extension headers guarantees; behind one, the protocol is not a field."""
    first = fields["ipv6.next_header"]
    is_extended = z3.Or(*(first == word for word in sorted(EXTENSIONS)))
    plain = z3.And(has["ipv6"], z3.Not(is_extended))
    echo = z3.Or(*(fields["icmpv6.type"] == word for word in sorted(ICMPV6_ECHO_TYPES)))
    return (
        z3.Implies(has["ipv6"], fields["eth.type"] == 0x86DD),
        *(z3.Implies(plain, has[name] == (first == word)) for word, name in IPV6_PROTOCOLS.items()),
        z3.Implies(plain, z3.Not(has["fragment"])),
        z3.Implies(has["icmpv6"], has["icmpv6_echo"] == echo),
    )


def _is_some_kind(has: Mapping[str, Term]) -> Term:
    """Return that a kind is possible. Tags go with every shape, so that a third of the rows will do."""
    words = tuple(word for word in HEADERS if word not in ("vlan", "vlan_inner"))
    rows = dict.fromkeys(tuple(kind.has(word) for word in words) for kind in sorted(UNIVERSE, key=str))
    shapes = (z3.And(*(has[word] == holds for word, holds in zip(words, row, strict=True))) for row in rows)
    return z3.And(z3.Implies(has["vlan_inner"], has["vlan"]), z3.Or(*shapes))


# ---------------------------------------------------------------- scalars


def _as_bits(term: Term, width: int) -> Term:
    """Return a term as bits: a truth value is 0 or 1."""
    if z3.is_bool(term):
        return z3.If(term, z3.BitVecVal(1, width), z3.BitVecVal(0, width))
    return term


def constant(value: int, width: int, *, is_bool: bool = False) -> Term:
    """Return a scalar that is known."""
    return z3.BoolVal(bool(value)) if is_bool else z3.BitVecVal(value, width)


def crc32c_term(parts: Sequence[Term]) -> Term:
    """Return the CRC-32C of scalars, each big-endian in whole bytes, bit by bit as RFC 3720 has it."""
    crc = z3.BitVecVal(0xFFFFFFFF, 32)
    for part in parts:
        bits = _as_bits(part, 8)
        size = (bits.size() + 7) // 8
        padded = z3.ZeroExt(size * 8 - bits.size(), bits)
        for high in range(size * 8 - 1, -1, -8):
            crc ^= z3.ZeroExt(24, z3.Extract(high, high - 7, padded))
            for _ in range(8):
                shifted = z3.LShR(crc, 1)
                crc = z3.If(z3.Extract(0, 0, crc) == 1, shifted ^ CRC32C_REFLECTED, shifted)
    return ~crc


def crc32c_unknown(parts: Sequence[Term]) -> Term:
    """Return CRC-32C as an unknown function of its operands, one for each row of widths."""
    sorts = [part.sort() for part in parts]
    name = "crc32c_" + "_".join("bool" if z3.is_bool(part) else str(part.size()) for part in parts)
    return z3.Function(name, *sorts, z3.BitVecSort(32))(*parts)


class Z3Domain:
    """The domain that proofs use.

    `hash_function` gives CRC-32C its meaning: unknown (`crc32c_unknown`), or to the bit (`crc32c_term`).
    """

    def __init__(
        self, *, prune: Prune | None = None, hash_function: Callable[[Sequence[Term]], Term] = crc32c_unknown
    ) -> None:
        self._prune = prune
        self._hash_function = hash_function

    def constant(self, value: int, of: Type) -> Term:
        return constant(value, _width(of), is_bool=isinstance(of, Bool))

    def unary(self, op: UnaryOp, of: Type) -> Callable[[Term], Term]:  # noqa: ARG002 - terms know their sort
        return z3.Not if op == "not" else lambda operand: ~operand

    def binary(self, op: BinaryOp, of: Type) -> Callable[[Term, Term], Term]:
        return _LOGIC[op] if isinstance(of, Bool) else _ARITHMETIC[op]

    def select(self, of: Type) -> Callable[[Term, Handle, Handle], Handle]:  # noqa: ARG002 - terms know their sort
        return select

    def resize(self, of: Type, to: Type) -> Callable[[Term], Term]:
        width, wanted = _width(of), _width(to)
        if isinstance(of, Bool):
            return lambda operand: _as_bits(operand, wanted)
        if width <= wanted:
            return lambda operand: z3.ZeroExt(wanted - width, operand)
        return lambda operand: z3.Extract(wanted - 1, 0, operand)

    def hash(self, of: tuple[Type, ...]) -> Callable[[Sequence[Term]], Term]:  # noqa: ARG002 - terms know
        return self._hash_function

    def has(self, header: str) -> Callable[[SymbolicPacket], Term]:
        return lambda packet: packet.has[header]

    def read(self, path: str) -> Callable[[SymbolicPacket], Term]:
        return lambda packet: packet.current(path)

    def write(self, path: str) -> Callable[[SymbolicPacket, Term], SymbolicPacket]:
        return lambda packet, value: replace(packet, writes={**packet.writes, path: value})

    def length(self) -> Callable[[SymbolicPacket], Term]:
        return lambda packet: packet.length

    def icmp_error(self, error: str) -> Callable[[SymbolicPacket, Term, Term], SymbolicPacket]:
        return lambda packet, source, mtu: made_error(packet, error, source, mtu)

    def branch(self, condition: Term, path: Condition) -> Sequence[tuple[bool, Condition]]:
        if z3.is_true(condition) or z3.is_false(condition):
            return ((z3.is_true(condition), path),)
        ways = ((True, (*path, condition)), (False, (*path, z3.Not(condition))))
        if self._prune is None:
            return ways
        # When neither is possible, nor is the path: it stays, as the protocol asks for one way at least.
        return tuple((holds, way) for holds, way in ways if not self._prune(way)) or ways


def select(condition: Term, then: Handle, otherwise: Handle) -> Handle:
    """Return `then` or `otherwise`: terms, handles to entries (rows of terms), or packets."""
    if isinstance(then, tuple):
        return tuple(z3.If(condition, one, other) for one, other in zip(then, otherwise, strict=True))
    if isinstance(then, SymbolicPacket):
        if then.origin != otherwise.origin:
            return _either(condition, then, otherwise)
        paths = dict.fromkeys((*then.writes, *otherwise.writes))
        writes = {path: z3.If(condition, then.current(path), otherwise.current(path)) for path in paths}
        return replace(then, writes=writes)
    return z3.If(condition, then, otherwise)


def _either(condition: Term, then: SymbolicPacket, otherwise: SymbolicPacket) -> SymbolicPacket:
    """Return one of two packets of different origins: a packet of an origin of its own, all of it written."""
    paths = dict.fromkeys((*FIELDS, *then.writes, *otherwise.writes))
    ways = [
        {path: packet.writes.get(path, packet.fields.get(path)) for path in paths}
        for packet in (then, otherwise)
    ]
    fields = {
        path: one if other is None else other if one is None else z3.If(condition, one, other)
        for path, one, other in ((path, ways[0][path], ways[1][path]) for path in paths)
    }
    return SymbolicPacket(
        origin=f"{then.origin} if {condition.sexpr()} else {otherwise.origin}",
        has={word: z3.If(condition, then.has[word], otherwise.has[word]) for word in HEADERS}
        | {QUOTED: z3.BoolVal(val=True)},
        fields=fields,
        length=z3.If(condition, then.length, otherwise.length),
        writes=fields,
    )


def _width(of: Type) -> int:
    match of:
        case Bits(width):
            return width
        case Bool():
            return 1
        case _:
            raise TypeError(f"{of} is not a scalar")


_LOGIC: Mapping[BinaryOp, Callable[[Term, Term], Term]] = {
    "and": z3.And,
    "or": z3.Or,
    "xor": z3.Xor,
    "eq": lambda left, right: left == right,
    "ne": lambda left, right: left != right,
}

_ARITHMETIC: Mapping[BinaryOp, Callable[[Term, Term], Term]] = {
    "add": lambda left, right: left + right,
    "sub": lambda left, right: left - right,
    "mul": lambda left, right: left * right,
    "div": z3.UDiv,
    "rem": z3.URem,
    "and": lambda left, right: left & right,
    "or": lambda left, right: left | right,
    "xor": lambda left, right: left ^ right,
    "shl": lambda left, right: left << right,
    "shr": z3.LShR,
    "eq": lambda left, right: left == right,
    "ne": lambda left, right: left != right,
    "lt": z3.ULT,
    "le": z3.ULE,
    "add_overflows": lambda left, right: z3.Not(z3.BVAddNoOverflow(left, right, signed=False)),
    "sub_overflows": z3.ULT,
    "mul_overflows": lambda left, right: z3.Not(z3.BVMulNoOverflow(left, right, signed=False)),
}
