"""Why there is no key: a smallest set of relations that nothing serves, and what the rest could do."""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence

from synth.parallel.choose import constrained, find_support
from synth.parallel.example import example_of
from synth.parallel.plan import ROLES, Reason
from synth.parallel.relations import Relation
from synth.parallel.units import Unit
from synth.parallel.words import describe, place

LIKELY = ("tcp", "udp", "icmp_echo", "none", "icmp_other", "icmpv6_echo", "icmpv6_other")
"""Whose packets make an example, the best known first."""


def find_reason(relations: Sequence[Relation], units: Sequence[Unit]) -> Reason:
    """Return a smallest conflict among relations that cannot be served together."""

    def is_served(some: Sequence[Relation]) -> bool:
        return find_support(some, units) is not None

    core = _minimize(_group(relations), is_served)
    interfaces = dict.fromkeys(unit.interface for unit in constrained(core))
    return Reason(
        meetings=describe(core, dict.fromkeys(interfaces, ROLES)),
        example=_examples(core),
        hints=_hints(core, relations, is_served),
    )


def _examples(core: Sequence[Relation]) -> tuple[str, ...]:
    """Return, for each meeting of a conflict, two packets that come together, and where."""
    found: dict[str, None] = {}
    for group in _group(core):
        plainest = min(group, key=_oddness)
        one, other = example_of(plainest)
        cause = plainest.causes[0]
        found[f"{one} and {other} both use {cause.object} ({place(cause.span)})"] = None
    return tuple(found)


def _oddness(relation: Relation) -> int:
    """Return how unusual the packets of a relation are."""
    kinds = [unit.kind for unit in relation.units]
    return sum(LIKELY.index(kind.l4) + 9 * (kind.fragment != "whole" or kind.l3 != "ipv4") for kind in kinds)


def _group(relations: Sequence[Relation]) -> list[list[Relation]]:
    """Put the relations together that say the same of other kinds of packets: TCP's and UDP's.

    Those that bring any packets together come last: a conflict of keys says more.
    """
    found: dict[object, list[Relation]] = {}
    for relation in relations:
        same = (describe([relation], {})[0].when, relation.causes[0].object)
        found.setdefault(same, []).append(relation)
    return sorted(found.values(), key=lambda group: not group[0].rows)


def _minimize(
    groups: list[list[Relation]], is_served: Callable[[Sequence[Relation]], bool]
) -> list[Relation]:
    """Return a smallest conflict: none of its groups can be left out.

    The group that ends the shortest prefix which cannot be served belongs to it; with that one in front, the
    next is found in what came before.
    """
    core: list[Relation] = []
    rest = groups
    while is_served(core):
        last = bisect_left(
            range(len(rest)), x=True, key=lambda end: not is_served([*core, *_joined(rest[: end + 1])])
        )
        core = [*core, *rest[last]]
        rest = rest[:last]
    return core


def _joined(groups: Iterable[list[Relation]]) -> list[Relation]:
    return [relation for group in groups for relation in group]


def _hints(
    core: Sequence[Relation], relations: Sequence[Relation], is_served: Callable[[Sequence[Relation]], bool]
) -> tuple[str, ...]:
    """Say which object, or which access to it, stands alone in the way."""
    hints: list[str] = []
    for name in dict.fromkeys(relation.causes[0].object for relation in core):
        rest = [relation for relation in relations if relation.causes[0].object != name]
        if is_served(rest):
            what = "the rest is shared-nothing" if rest else "nothing else is shared"
            hints.append(f"without {name}, {what}")
    for cause in dict.fromkeys(cause for relation in core for cause in relation.causes):
        same = (cause.object, cause.unit.interface, cause.how)
        rest = [
            relation
            for relation in relations
            if all((own.object, own.unit.interface, own.how) != same for own in relation.causes)
        ]
        if rest and is_served(rest):
            how = "" if cause.how == "cell" else f" by its {cause.how}"
            hints.append(
                f"if no packet of {cause.unit.interface} touched {cause.object}{how} ({place(cause.span)}), "
                "the rest is shared-nothing"
            )
    return tuple(dict.fromkeys(hints))
