"""Chooses field sets, and the key among all valid ones that spreads best. Deterministic: one seed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from random import Random

from synth.parallel.nic import Nic
from synth.parallel.plan import ROLES, Role
from synth.parallel.relations import Relation
from synth.parallel.spread import low_bits, rank
from synth.parallel.steering import WIDTHS, HashClass, Hashing, Roles, Steering, hash_class
from synth.parallel.system import Keys, solve
from synth.parallel.units import Unit

SEED = 6
SAMPLES = 24
"""How many keys are drawn; most are as good as keys can be (maestro.md, section 3.1)."""
SETS = 3
"""How many field sets of a NIC are tried on each interface."""

Support = Mapping[str, Mapping[Role, int]]
"""For each interface, the bits of each role that some valid linear hash reads (first bit: the highest)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """Keys that work.

    `keys` are whole keys by interface, `ranks` how many bits of the table's index each unit varies, and
    `reads` how many header bits that index depends on, the least of all interfaces.
    """

    steering: Steering
    keys: Mapping[str, bytes]
    space: Keys
    ranks: Mapping[Unit, int]
    reads: int

    @property
    def score(self) -> tuple[int, int, int, int]:
        """What is better is greater: worst rank, what the index depends on, units in hardware, freedom."""
        by_nic = sum(self.steering.by_unit[unit].by == "nic" for unit in self.ranks)
        return min(self.ranks.values(), default=0), self.reads, by_nic, len(self.space.basis)


def constrained(relations: Sequence[Relation]) -> tuple[Unit, ...]:
    """Return the units that relations speak of, in order."""
    return tuple(dict.fromkeys(unit for relation in relations for unit in relation.units))


def find_support(relations: Sequence[Relation], units: Sequence[Unit]) -> Support | None:
    """Return what linear hashes can depend on, or None when an interface's packets must all meet."""
    free = Steering({unit: Hashing(ROLES, "software") for unit in units})
    space = solve(relations, free, hash_bits=1)
    found: dict[str, dict[Role, int]] = {}
    for interface in dict.fromkeys(unit.interface for unit in constrained(relations)):
        mask = 0
        for vector in space.basis:
            mask |= space.part(interface, vector)
        found[interface] = _by_role(mask)
        if not _is_read(
            found[interface], [unit for unit in constrained(relations) if unit.interface == interface]
        ):
            return None
    return found


def _by_role(mask: int) -> dict[Role, int]:
    found: dict[Role, int] = {}
    place = 0
    for role in ROLES:
        own = mask >> place & (1 << WIDTHS[role]) - 1
        place += WIDTHS[role]
        if own:
            found[role] = int(format(own, f"0{WIDTHS[role]}b")[::-1], 2)
    return found


def _is_read(support: Mapping[Role, int], units: Sequence[Unit]) -> bool:
    """Tell whether some unit has a field that may be read."""
    return any(Hashing((role,), "software").input(unit.kind) for role in support for unit in units)


def configure(
    relations: Sequence[Relation], units: Sequence[Unit], support: Support, nic: Nic
) -> Configuration | None:
    """Return the best configuration that a NIC, or software, can have; None when there is no key at all."""
    bound = constrained(relations)
    best: Configuration | None = None
    for sets in _field_sets(units, support, nic):
        found = _try(relations, units, bound, sets, nic)
        if found is not None and (best is None or found.score > best.score):
            best = found
        if best is not None and (not bound or best.reads >= _most(support)):
            return best
    return best or _in_software(relations, units, bound, support, nic)


def _most(support: Support) -> int:
    """Return how many bits the index can depend on, at least on one interface."""
    return min(sum(mask.bit_count() for mask in by_role.values()) for by_role in support.values())


def _field_sets(units: Sequence[Unit], support: Support, nic: Nic) -> Iterator[dict[str, Roles]]:
    """Yield which set of fields each interface hashes TCP and UDP by, the most promising first."""
    common = [roles for roles in nic.hashes["tcp"] if roles in nic.hashes["udp"]]
    choices: dict[str, list[Roles]] = {}
    for interface in dict.fromkeys(unit.interface for unit in units):
        wanted = set(support.get(interface, ROLES))
        fitting = [roles for roles in common if wanted & set(roles)]
        fitting.sort(key=lambda roles: (not set(roles) <= wanted, -len(wanted & set(roles)), len(roles)))
        choices[interface] = fitting[: SETS if interface in support else 1]
    for chosen in product(*choices.values()):
        yield dict(zip(choices, chosen, strict=True))


def _try(
    relations: Sequence[Relation],
    units: Sequence[Unit],
    bound: Sequence[Unit],
    sets: Mapping[str, Roles],
    nic: Nic,
) -> Configuration | None:
    """Hash in hardware what can be; what it would send to one place, or forbid every key, in software."""
    in_software: frozenset[Unit] = frozenset()
    ports = frozenset(unit for unit in bound if hash_class(unit.kind, nic.vlan_tags) not in ("tcp", "udp"))
    found = None
    for _ in range(2):
        found = _solve(relations, bound, _steer(units, sets, in_software, nic), nic)
        stuck = ports if found is None else ports & {unit for unit, own in found.ranks.items() if own == 0}
        if not stuck - in_software:
            break
        in_software |= stuck
    return found if found is not None and min(found.ranks.values(), default=1) > 0 else None


def _steer(
    units: Sequence[Unit], sets: Mapping[str, Roles], in_software: frozenset[Unit], nic: Nic
) -> Steering:
    return Steering({unit: _hashing(unit, sets[unit.interface], unit in in_software, nic) for unit in units})


def _hashing(unit: Unit, roles: Roles, is_software: bool, nic: Nic) -> Hashing:  # noqa: FBT001 - asked once
    own: HashClass = hash_class(unit.kind, nic.vlan_tags)
    if own in ("tcp", "udp"):
        return Hashing(roles, "nic")
    addresses = tuple(role for role in roles if role in ("src", "dst"))
    if not is_software and addresses and addresses in nic.hashes.get(own, ()):
        return Hashing(addresses, "nic")
    return Hashing(roles, "software")


def _in_software(
    relations: Sequence[Relation], units: Sequence[Unit], bound: Sequence[Unit], support: Support, nic: Nic
) -> Configuration | None:
    """Hash everything in software, over exactly the fields that may be read."""
    by_interface = {
        unit.interface: tuple(role for role in ROLES if role in support.get(unit.interface, ROLES[:4]))
        for unit in units
    }
    steering = Steering({unit: Hashing(by_interface[unit.interface], "software") for unit in units})
    found = _solve(relations, bound, steering, nic)
    by_ranks: dict[str, int] = {}
    for unit, own in (found.ranks if found else {}).items():
        by_ranks[unit.interface] = max(by_ranks.get(unit.interface, 0), own)
    return found if all(by_ranks.values()) else None


def _solve(
    relations: Sequence[Relation], bound: Sequence[Unit], steering: Steering, nic: Nic
) -> Configuration | None:
    space = solve(relations, steering)
    if any(not space.freedom(interface) for interface in {unit.interface for unit in bound}):
        return None
    random = Random(SEED)  # noqa: S311 - keys are public; they must come out the same each time
    best: Configuration | None = None
    for _ in range(SAMPLES):
        keys = _draw(space, random, nic)
        ranks = {
            unit: rank(low_bits(steering.by_unit[unit], keys[unit.interface], unit.kind, nic.reta))
            for unit in bound
        }
        reads = _reads(bound, steering, keys, nic)
        found = Configuration(steering=steering, keys=keys, space=space, ranks=ranks, reads=reads)
        if best is None or sum(ranks.values()) > sum(best.ranks.values()):
            best = found
        if not ranks or min(ranks.values()) == nic.reta.bit_length() - 1:
            break
    return best


def _reads(bound: Sequence[Unit], steering: Steering, keys: Mapping[str, bytes], nic: Nic) -> int:
    """Return how many header bits the index depends on, on the interface where they are fewest."""
    found: dict[str, int] = {}
    for unit in bound:
        low = low_bits(steering.by_unit[unit], keys[unit.interface], unit.kind, nic.reta)
        found[unit.interface] = max(found.get(unit.interface, 0), sum(one != 0 for one in low))
    return min(found.values(), default=0)


def _draw(space: Keys, random: Random, nic: Nic) -> dict[str, bytes]:
    """Return random keys of the space; bits that no input reaches are random, too."""
    vector = 0
    for one in space.basis:
        if random.getrandbits(1):
            vector ^= one
    keys = {}
    for interface, length in space.lengths.items():
        used = int(format(space.part(interface, vector), f"0{length}b")[::-1], 2)
        rest = 8 * nic.key_bytes - length
        keys[interface] = (used << rest | random.getrandbits(rest)).to_bytes(nic.key_bytes, "big")
    return keys
