"""Each interface's part of the plan: key, fields, indirection table, who steers what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from synth.graph.nodes import ChainGraph
from synth.net.kinds import UNIVERSE, Kind
from synth.parallel.choose import Configuration, Support, constrained
from synth.parallel.gf2 import elements
from synth.parallel.nic import CLASSES, Nic
from synth.parallel.plan import HashedField, InterfacePlan, KindSteering, NicHash, Role, Steerer
from synth.parallel.quality import Quality, judge
from synth.parallel.relations import Relation
from synth.parallel.spread import fill_table, low_bits, measure
from synth.parallel.steering import WIDTHS, Hashing, hash_class
from synth.parallel.units import Unit
from synth.parallel.words import NAMES

NOBODY = Hashing((), "software")


@dataclass(frozen=True, slots=True)
class Planned:
    """The interfaces, and what the user should know of them."""

    interfaces: tuple[InterfacePlan, ...]
    warnings: tuple[str, ...]


def plan_interfaces(
    graph: ChainGraph,
    relations: Sequence[Relation],
    support: Support,
    found: Configuration,
    nic: Nic,
    cores: int,
) -> Planned:
    """Return the interfaces' plans, with the tables filled over what can be reached."""
    bound = frozenset(constrained(relations))
    units = tuple(found.steering.by_unit)
    names = [interface.name for interface in graph.interfaces]
    own = {name: [unit for unit in units if unit.interface == name] for name in names}
    generators = {name: _generators(own[name], bound, found, nic) for name in names}
    linked = link(relations, names)
    plans: list[InterfacePlan] = []
    warnings: list[str] = []
    for name in names:
        together = tuple(one for other in linked[name] for one in generators[other])
        table = fill_table(together, nic.reta, cores)
        plans.append(_plan(name, own[name], bound, found, nic, support.get(name, {}), together, table, cores))
        quality = judge(own[name], bound, found, nic)
        warnings += [] if quality is None else _warnings(name, quality, nic, cores)
    return Planned(tuple(plans), tuple(warnings))


def _plan(
    name: str,
    own: Sequence[Unit],
    bound: frozenset[Unit],
    found: Configuration,
    nic: Nic,
    by_role: Mapping[Role, int],
    generators: Sequence[int],
    table: tuple[int, ...],
    cores: int,
) -> InterfacePlan:
    key = found.keys.get(name, bytes(nic.key_bytes))
    main = max(own, key=lambda unit: _weight(unit, bound, found), default=None)
    worst = 0.0 if main is None else measure(found.steering.by_unit[main], key, main.kind, table, cores)
    return InterfacePlan(
        name=name,
        key=key,
        table=table,
        nic_hashes=_nic_hashes(own, bound, found, nic),
        steering=_steering(own, bound, found, nic),
        shards_by=tuple(_bits_word(role, mask) for role, mask in by_role.items()),
        free_bits=found.space.freedom(name) if own else 0,
        reachable=len(elements(generators)),
        worst=worst,
    )


def _weight(unit: Unit, bound: frozenset[Unit], found: Configuration) -> tuple[bool, bool, int, bool]:
    """Return how well a unit stands for its interface: what must meet, hashed by the NIC, spread, TCP."""
    by_nic = found.steering.by_unit[unit].by == "nic"
    return unit in bound, by_nic, found.ranks.get(unit, 0), unit.kind.l4 == "tcp"


def _generators(
    own: Sequence[Unit], bound: frozenset[Unit], found: Configuration, nic: Nic
) -> tuple[int, ...]:
    """Return what the table's entries that an interface reaches are made of."""
    counted = [unit for unit in own if unit in bound] or own
    return tuple(
        one
        for unit in counted
        for one in low_bits(found.steering.by_unit[unit], found.keys[unit.interface], unit.kind, nic.reta)
    )


def link(relations: Sequence[Relation], names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return the interfaces that share a table with each: those that a relation links, however far."""
    groups = {name: {name} for name in names}
    for relation in relations:
        one, other = (unit.interface for unit in relation.units)
        joined = groups[one] | groups[other]
        for name in joined:
            groups[name] = joined
    return {name: tuple(other for other in names if other in group) for name, group in groups.items()}


def _nic_hashes(
    own: Sequence[Unit], bound: frozenset[Unit], found: Configuration, nic: Nic
) -> tuple[NicHash, ...]:
    """Return what the NIC is told for each class: as what it brings to a core needs, else any set."""
    chosen: dict[str, NicHash] = {}
    for unit in sorted(own, key=lambda unit: unit not in bound):
        hashing = found.steering.by_unit[unit]
        packets = hash_class(unit.kind, nic.vlan_tags)
        if hashing.by == "nic" and packets != "none":
            chosen.setdefault(packets, NicHash(packets=packets, fields=hashing.roles))
    return tuple(chosen[packets] for packets in CLASSES if packets in chosen)


def _steering(
    own: Sequence[Unit], bound: frozenset[Unit], found: Configuration, nic: Nic
) -> tuple[KindSteering, ...]:
    """Return who steers which kinds; those that are treated alike together, and every kind once."""
    by_kind: dict[Kind, tuple[Steerer, Hashing]] = {}
    for unit in own:
        hashing = found.steering.by_unit[unit]
        by_kind |= {kind: _steerer(kind, hashing, nic, is_bound=unit in bound) for kind in unit.kinds}
    groups: dict[object, KindSteering] = {}
    for kind in sorted(UNIVERSE, key=_order):
        by, hashing = by_kind.get(kind, ("nobody", NOBODY))
        fields = tuple(HashedField(path=path, first_bit=start) for path, start in hashing.input(kind))
        same = by, fields, hashing.width
        before = groups[same].kinds if same in groups else ()
        groups[same] = KindSteering(
            kinds=(*before, kind), by=by, fields=fields, input_bytes=hashing.width // 8
        )
    return tuple(groups.values())


def _steerer(kind: Kind, hashing: Hashing, nic: Nic, *, is_bound: bool) -> tuple[Steerer, Hashing]:
    """Return who steers a kind: what the NIC cannot see into is left to software.

    Where nothing hashes in hardware, software also spreads the packets that could be handled anywhere.
    """
    if not is_bound and (nic.has_hash or not hashing.input(kind)):
        return "nobody", NOBODY
    is_seen = hash_class(kind, nic.vlan_tags) != "none"
    return ("nic" if hashing.by == "nic" and is_seen else "software"), hashing


L4_ORDER = ("tcp", "udp", "icmp_echo", "icmp_other", "icmpv6_echo", "icmpv6_other", "none")


def _order(kind: Kind) -> tuple[object, ...]:
    return (
        kind.l3 != "ipv4",
        kind.l3,
        kind.fragment != "whole",
        kind.fragment,
        L4_ORDER.index(kind.l4),
        kind.vlan_tags,
    )


def _bits_word(role: Role, mask: int) -> str:
    width = WIDTHS[role]
    text = format(mask, f"0{width}b")
    leading = len(text) - len(text.lstrip("1"))
    if leading == width:
        return NAMES[role]
    return f"{NAMES[role]} /{leading}" if "1" not in text[leading:] else f"some bits of {NAMES[role]}"


def _warnings(name: str, quality: Quality, nic: Nic, cores: int) -> list[str]:
    found = []
    if quality.rank < quality.most:
        found.append(f"{name}: only {1 << quality.rank} of the table's {nic.reta} entries can be reached")
    if quality.top_only is not None:
        path, count = quality.top_only
        found.append(
            f"{name}: the table's index depends on the top {count} bits of {path} only: what shares them "
            "goes to one core; a NIC that hashes exactly what counts, or software RSS, spreads better"
        )
    if 1 << quality.rank < 4 * cores:
        found.append(f"{name}: fewer than 4 entries for each of {cores} cores")
    if quality.is_software:
        found.append(f"{name}: the NIC cannot: the core that receives hashes, and hands over (software RSS)")
    return found
