"""The plan: how a chain runs on several cores. Data only: what makes binaries reads nothing else here.

A packet's core is found in three steps, the same in hardware and in software: its interface and kind name a
`KindSteering`; the Toeplitz hash (`net.toeplitz`) of its fields under the interface's key; the entry of the
interface's table at the hash's low bits.
"""

from dataclasses import dataclass
from typing import Literal

from synth.net.kinds import Kind

Strategy = Literal["shared-nothing", "locks"]
Treatment = Literal["split", "locked", "copied", "summed"]
Steerer = Literal["nic", "software", "nobody"]
PacketClass = Literal["tcp", "udp", "other", "fragment"]
Role = Literal["src", "dst", "sport", "dport", "eth.src", "eth.dst"]
ROLES: tuple[Role, ...] = ("src", "dst", "sport", "dport", "eth.src", "eth.dst")


@dataclass(frozen=True, slots=True, kw_only=True)
class HashedField:
    """A header field (`net.fields.FIELDS`) as received, and its first bit's place in the hash's input."""

    path: str
    first_bit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KindSteering:
    """How packets of some kinds find their core.

    `nic`: the NIC's hash brings them there. `software`: the core that receives one computes the hash of
    `fields` and hands it over. `nobody`: they need no state of a certain core, and are handled where they
    arrive. The hash's input has `input_bytes`; bits of it that no field fills are zero. A field can stand
    in two places.
    """

    kinds: tuple[Kind, ...]
    by: Steerer
    fields: tuple[HashedField, ...]
    input_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class NicHash:
    """What the NIC is told to hash packets of a class by, in the order of the input.

    `other` is IPv4 that is neither TCP nor UDP. Classes that are not listed need no hash. The fields are
    those of the packet itself; a NIC that hashes more or fewer than these must not be used as the plan
    says.
    """

    packets: PacketClass
    fields: tuple[Role, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class InterfacePlan:
    """An interface's configuration.

    `table` (a power of two of entries) names the core of each index. `steering` has every kind exactly
    once. `shards_by` are, in words, the fields that a core may be chosen by (empty: any will do);
    `free_bits` how many of the key's bits could be chosen; `reachable` how many entries of the table occur;
    `worst` the packets of the fullest core against the mean, for uniformly random packets.
    """

    name: str
    key: bytes
    table: tuple[int, ...]
    nic_hashes: tuple[NicHash, ...]
    steering: tuple[KindSteering, ...]
    shards_by: tuple[str, ...]
    free_bits: int
    reachable: int
    worst: float

    def steering_of(self, kind: Kind) -> KindSteering:
        """Return how packets of a kind find their core."""
        return next(one for one in self.steering if kind in one.kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectPlan:
    """What becomes of a state object.

    `split`: each core has its own, and a table's `capacities` are each core's share. `copied`: no packet
    changes it; each core may have its own, or share one. `summed`: a counter; each core has its own, and
    reports add. `locked`: one for all, which packets of several cores use; `capacities` is then the whole.
    `by` is the sharding key in words.
    """

    name: str
    treatment: Treatment
    by: tuple[str, ...] = ()
    capacities: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RangeShare:
    """Which values each core may choose for a unique column: `ranges[core]` is (low, high), both included."""

    table: str
    column: str
    ranges: tuple[tuple[int, int], ...]

    @property
    def counts(self) -> tuple[int, ...]:
        """How many values each core has."""
        return tuple(high - low + 1 for low, high in self.ranges)

    def owner(self, value: int) -> int:
        """Return the core that may choose a value of the whole range."""
        return next(core for core, (low, high) in enumerate(self.ranges) if low <= value <= high)


@dataclass(frozen=True, slots=True, kw_only=True)
class HashShare:
    """Which values each core may choose, so that packets that carry one on `interface` come to the core.

    A core may choose a value of `low`..`high` when it is its `owner`: `contributions` has, for each bit of
    the value, the most significant first, what it adds (XOR) to the hash; `table` is the interface's.
    """

    table: str
    column: str
    low: int
    high: int
    interface: str
    contributions: tuple[int, ...]
    cores_table: tuple[int, ...]
    counts: tuple[int, ...]

    def owner(self, value: int) -> int:
        """Return the core that may choose a value."""
        total = 0
        for place, added in enumerate(reversed(self.contributions)):
            if value >> place & 1:
                total ^= added
        return self.cores_table[total & len(self.cores_table) - 1]


Share = RangeShare | HashShare


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """Packets that must come to one core: in words, which objects ask for it, and where in the source."""

    when: str
    objects: tuple[str, ...]
    places: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """Why locks are needed: a smallest set of meetings that no hash can serve together.

    `example`: packets, in words, that have to be on one core though nothing that they have says so.
    `hints`: the smallest changes that would help.
    """

    meetings: tuple[Meeting, ...]
    example: tuple[str, ...]
    hints: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a chain runs on several cores with a NIC.

    With `locks`, objects that are `split` all the same are those that the interfaces' keys keep on one
    core. `differences`: what can be told apart from one core. `checked`: how many ways to meet the solver
    confirmed.
    """

    chain: str
    nic: str
    cores: int
    strategy: Strategy
    summary: str
    interfaces: tuple[InterfacePlan, ...]
    objects: tuple[ObjectPlan, ...]
    shares: tuple[Share, ...] = ()
    meetings: tuple[Meeting, ...] = ()
    differences: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    reason: Reason | None = None
    checked: int = 0

    @property
    def locked(self) -> tuple[str, ...]:
        """The objects that need a lock."""
        return tuple(one.name for one in self.objects if one.treatment == "locked")

    def interface(self, name: str) -> InterfacePlan:
        """Return an interface's configuration."""
        return next(one for one in self.interfaces if one.name == name)
